/* SPDX-License-Identifier: MIT */
#include "host-tools/report/modules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/util/printable.h"

#define NAME_LONGEST 512

struct module {
	const char *name;
	uint64_t weight, samples;
};

struct modules {
	struct module *all;
	size_t count;
	uint64_t whole;
	bool is_clock;
	FILE *out;
};

static struct module *find_module(struct modules *modules, const char *name)
{
	for (size_t i = 0; i < modules->count; i++) {
		if (modules->all[i].name == name)
			return &modules->all[i];
	}
	modules->all[modules->count] = (struct module){ .name = name };
	return &modules->all[modules->count++];
}

static int compare_modules(const void *a, const void *b)
{
	const struct module *left = a, *right = b;

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	return strcmp(left->name, right->name);
}

static double share_of(const struct modules *modules, uint64_t weight)
{
	return modules->whole ? 100.0 * (double)weight / (double)modules->whole : 0;
}

static void put_name(const char *name, FILE *out)
{
	for (const char *at = name; *at && at - name < NAME_LONGEST; at++)
		putc(printable_char(*at), out);
}

static void put_row(const struct modules *modules, uint64_t weight, uint64_t samples,
                    const char *indent, const char *name)
{
	if (modules->is_clock)
		fprintf(modules->out, "%14.6f", (double)weight / 1e9);
	else
		fprintf(modules->out, "%14" PRIu64, weight);
	fprintf(modules->out, " %8.2f%% %9" PRIu64 "  %s", share_of(modules, weight), samples,
	        indent);
	put_name(name, modules->out);
	putc('\n', modules->out);
}

static void put_module(const struct modules *modules, const struct histogram *histogram,
                       const struct module *module, double limit)
{
	put_row(modules, module->weight, module->samples, "", module->name);
	for (size_t i = 0; i < histogram->count; i++) {
		const struct histogram_entry *entry = &histogram->entries[i];

		if (entry->key.file == module->name && share_of(modules, entry->weight) >= limit)
			put_row(modules, entry->weight, entry->samples, "  ",
			        entry->key.function ? entry->key.function : "[no name]");
	}
}

int modules_print(const struct histogram *histogram, const char *event, bool is_clock, double limit,
                  FILE *out)
{
	struct modules modules = { .whole = histogram->weight, .is_clock = is_clock, .out = out };

	modules.all = calloc(histogram->count + 1, sizeof(*modules.all));
	if (!modules.all)
		return -ENOMEM;
	for (size_t i = 0; i < histogram->count; i++) {
		const struct histogram_entry *entry = &histogram->entries[i];
		struct module *module = find_module(&modules, entry->key.file);

		module->weight += entry->weight;
		module->samples += entry->samples;
	}
	qsort(modules.all, modules.count, sizeof(*modules.all), compare_modules);
	fputs("# Event: ", out);
	put_name(event, out);
	fprintf(out, "\n#%13s  Overhead   Samples  Module, and its functions\n",
	        is_clock ? "Seconds" : "Count");
	for (size_t i = 0; i < modules.count; i++)
		put_module(&modules, histogram, &modules.all[i], limit);
	put_row(&modules, histogram->weight, histogram->samples, "", "[all]");
	putc('\n', out);
	free(modules.all);
	return 0;
}
