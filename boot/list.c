/* SPDX-License-Identifier: MIT */
#include "boot/list.h"

#include <string.h>

#include "boot/console.h"
#include "pmu/pmu.h"

static void print_source(const struct pmu *source)
{
	const char *why = NULL;
	int error = source->probe(&why);

	console_printf("  %-16s %s%s%s\n", source->name, source->description,
	               error ? ": not here, " : "", error ? why : "");
	if (error)
		return;
	for (const struct pmu_event_name *e = source->events; e && e->name; e++)
		console_printf("    -e %-20s %s\n", e->name, e->description);
	if (!source->formats)
		return;
	console_printf("    -e %s/", source->name);
	for (const struct pmu_format *f = source->formats; f->term; f++) {
		if (f == source->formats || strcmp(f->term, f[-1].term) != 0)
			console_printf("%s%s=%s", f == source->formats ? "" : ",", f->term, "N");
	}
	console_printf("/\n");
}

void list_print(const struct channel *channel)
{
	console_printf("event sources:\n");
	for (const struct pmu *const *source = pmu_sources; *source; source++)
		print_source(*source);
	console_printf("channel:\n  %-16s %s\n", channel->ops->name, channel->ops->description);
}
