/* SPDX-License-Identifier: MIT */
#include "host-tools/report/uefi/modules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/util/put_text.h"

#define NAME_LONGEST 512

struct module {
	const char *name;
	uint64_t weight, samples;
};

/* The modules with their work, or with their waiting. */
struct modules {
	const struct histogram *histogram;
	struct module *all;
	size_t count;
	uint64_t weight, samples;
	bool waiting;
	bool is_clock;
	double limit;
	FILE *out;
};

static bool is_waiting(const struct histogram_entry *entry)
{
	return entry->key.line;
}

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
	uint64_t whole = modules->histogram->weight;

	return whole ? 100.0 * (double)weight / (double)whole : 0;
}

static void put_name(const char *name, FILE *out)
{
	put_text(out, name, NAME_LONGEST, '?', "");
}

static void put_weight(const struct modules *modules, uint64_t weight, uint64_t samples)
{
	if (modules->is_clock)
		fprintf(modules->out, "%14.6f", (double)weight / 1e9);
	else
		fprintf(modules->out, "%14" PRIu64, weight);
	fprintf(modules->out, " %8.2f%% %9" PRIu64 "  ", share_of(modules, weight), samples);
}

static void put_row(const struct modules *modules, uint64_t weight, uint64_t samples,
                    const char *name)
{
	put_weight(modules, weight, samples);
	put_name(name, modules->out);
	putc('\n', modules->out);
}

static void put_function(const struct modules *modules, const struct histogram_entry *entry)
{
	put_weight(modules, entry->weight, entry->samples);
	fputs("  ", modules->out);
	put_name(entry->key.function ? entry->key.function : "[no name]", modules->out);
	if (is_waiting(entry)) {
		fputs(" in ", modules->out);
		put_name(entry->key.line, modules->out);
	}
	putc('\n', modules->out);
}

static void put_module(const struct modules *modules, const struct module *module)
{
	put_row(modules, module->weight, module->samples, module->name);
	for (size_t i = 0; i < modules->histogram->count; i++) {
		const struct histogram_entry *entry = &modules->histogram->entries[i];

		if (entry->key.file == module->name && is_waiting(entry) == modules->waiting &&
		    share_of(modules, entry->weight) >= modules->limit)
			put_function(modules, entry);
	}
}

static void add_up(struct modules *modules)
{
	modules->count = 0;
	modules->weight = modules->samples = 0;
	for (size_t i = 0; i < modules->histogram->count; i++) {
		const struct histogram_entry *entry = &modules->histogram->entries[i];
		struct module *module;

		if (is_waiting(entry) != modules->waiting)
			continue;
		module = find_module(modules, entry->key.file);
		module->weight += entry->weight;
		module->samples += entry->samples;
		modules->weight += entry->weight;
		modules->samples += entry->samples;
	}
	qsort(modules->all, modules->count, sizeof(*modules->all), compare_modules);
}

/* Print one row for the lightest modules, all[first] and later. */
static void put_rest(const struct modules *modules, size_t first)
{
	uint64_t weight = 0, samples = 0;
	char name[48];

	for (size_t i = first; i < modules->count; i++) {
		weight += modules->all[i].weight;
		samples += modules->all[i].samples;
	}
	snprintf(name, sizeof(name), "[%zu more]", modules->count - first);
	put_row(modules, weight, samples, name);
}

static void put_part(struct modules *modules, bool waiting)
{
	modules->waiting = waiting;
	add_up(modules);
	fprintf(modules->out, "#%13s  Overhead   Samples  %s, and its functions\n",
	        modules->is_clock ? "Seconds" : "Count", waiting ? "Module that waits" : "Module");
	for (size_t i = 0; i < modules->count; i++) {
		const struct module *module = &modules->all[i];

		if (share_of(modules, module->weight) < modules->limit) {
			put_rest(modules, i);
			break;
		}
		put_module(modules, module);
	}
}

int modules_print(const struct histogram *histogram, const char *event, bool is_clock, double limit,
                  FILE *out)
{
	struct modules modules = {
		.histogram = histogram, .is_clock = is_clock, .limit = limit, .out = out
	};

	modules.all = calloc(histogram->count + 1, sizeof(*modules.all));
	if (!modules.all)
		return -ENOMEM;
	fputs("# Event: ", out);
	put_name(event, out);
	putc('\n', out);
	put_part(&modules, false);
	if (modules.samples != histogram->samples) {
		put_row(&modules, modules.weight, modules.samples, "[work]");
		put_part(&modules, true);
		put_row(&modules, modules.weight, modules.samples, "[waiting]");
	}
	put_row(&modules, histogram->weight, histogram->samples, "[all]");
	putc('\n', out);
	free(modules.all);
	return 0;
}
