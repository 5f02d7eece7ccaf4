/* SPDX-License-Identifier: MIT */
#include "agent/list.h"

#include <errno.h>
#include <string.h>

#include "lib/console/console.h"
#include "pmu/parse/events.h"
#include "pmu/pmu.h"

static void list_print_machine(void)
{
	unsigned cpus = arch_cpu_count();
	struct arch_cpu_id id;

	arch_cpu_identify(&id);
	console_printf("bareperf %s on %u CPU%s: %s%s%s (signature 0x%lx)\n", BAREPERF_VERSION,
	               cpus, cpus == 1 ? "" : "s", id.vendor, *id.model ? ", " : "", id.model,
	               id.signature);
}

static void list_print_terms(const struct pmu_source *source)
{
	if (!source->formats) {
		if (!source->events)
			console_printf("    -e %s//\n", source->name);
		return;
	}
	console_printf("    -e %s/", source->name);
	for (const struct pmu_format *f = source->formats; f->term; f++) {
		if (f == source->formats || strcmp(f->term, f[-1].term) != 0)
			console_printf("%s%s=N", f == source->formats ? "" : ",", f->term);
	}
	console_printf("/\n");
}

/* Print a source that this machine has, and its terms; or the reason why the source cannot be used.
 */
static void list_print_source(const struct pmu_source *source)
{
	const char *why = NULL;
	int code = pmu_of(source)->probe(&why);

	if (code == -ENODEV)
		return;
	console_printf("  %-16s %s%s%s\n", source->name, source->description,
	               code ? ": not usable, " : "", code && why ? why : "");
	if (code)
		return;
	for (const struct pmu_event_name *e = source->events; e && e->name; e++)
		console_printf("    -e %-20s %s\n", e->name, e->description);
	list_print_terms(source);
}

/* Print perf's generic event names that a source of this machine counts. */
static void list_print_generic_events(void)
{
	unsigned printed = 0;

	for (const struct pmu_event_name *e = parse_generic_events; e->name; e++) {
		struct perf_event event = { .attr = { .type = PERF_TYPE_HARDWARE,
			                              .size = sizeof(event.attr),
			                              .config = e->config,
			                              .sample_max_stack = 1 } };

		if (event_init(&event))
			continue;
		console_printf("%s%s", printed % 4 ? " " : printed ? "\n    " : "  -e ", e->name);
		printed++;
	}
	console_printf("%s\n", printed ? "" : "  none: no counter of this machine counts them");
}

void list_print(const struct channel *channel)
{
	list_print_machine();
	console_printf("event sources:\n");
	for (const struct pmu_source *const *source = pmu_sources; *source; source++)
		list_print_source(*source);
	console_printf("generic events:\n");
	list_print_generic_events();
	console_printf("channel:\n  %-16s %s\n", channel->ops->name, channel->ops->description);
	if (channel->ops->in_ram) /* no host can send a command */
		console_printf(
		    "next: a command in \\bareperf.cfg on the boot volume, or in the boot entry's\n"
		    "load options, as: record -e cpu-clock -g -- calltree (help shows more)\n");
}
