/* SPDX-License-Identifier: MIT */
/* Phases, their modules, and their functions, with work and waiting in columns of their own. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/uefi/phases.h"
#include "host-tools/util/put_text.h"

#define NAME_LONGEST 512

struct part {
	const char *name;
	uint64_t work, waiting, samples;
};

struct phases_table {
	const struct histogram *histogram;
	struct part *modules; /* modules of the phase that is being printed */
	size_t count;
	bool is_clock;
	double limit;
	FILE *out;
};

static bool is_waiting(const struct histogram_entry *entry)
{
	return entry->key.line;
}

static void part_add(struct part *part, const struct histogram_entry *entry)
{
	*(is_waiting(entry) ? &part->waiting : &part->work) += entry->weight;
	part->samples += entry->samples;
}

static void part_add_part(struct part *part, const struct part *other)
{
	part->work += other->work;
	part->waiting += other->waiting;
	part->samples += other->samples;
}

static double share_of(const struct phases_table *table, const struct part *part)
{
	uint64_t whole = table->histogram->weight;

	return whole ? 100.0 * (double)(part->work + part->waiting) / (double)whole : 0;
}

static void put_name(const char *name, FILE *out)
{
	put_text(out, name, NAME_LONGEST, '?', "");
}

static void put_weight(const struct phases_table *table, uint64_t weight)
{
	if (table->is_clock)
		fprintf(table->out, " %13.6f", (double)weight / 1e9);
	else
		fprintf(table->out, " %13" PRIu64, weight);
}

/* begins: the phase's begin in ns; NULL: the row is not a phase. */
static void put_row(const struct phases_table *table, const uint64_t *begins, unsigned depth,
                    const struct part *part)
{
	if (begins) /* truncated to microseconds, like perf script */
		fprintf(table->out, "%6" PRIu64 ".%06" PRIu64, *begins / 1000000000,
		        *begins / 1000 % 1000000);
	else
		fprintf(table->out, "%13s", "");
	put_weight(table, part->work);
	put_weight(table, part->waiting);
	fprintf(table->out, " %8.2f%% %9" PRIu64 "  %*s", share_of(table, part), part->samples,
	        (int)(2 * depth), "");
	put_name(part->name, table->out);
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *left = a, *right = b;
	uint64_t one = left->work + left->waiting, other = right->work + right->waiting;

	if (one != other)
		return one > other ? -1 : 1;
	return strcmp(left->name, right->name);
}

static struct part *find_module(struct phases_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->modules[i].name == name)
			return &table->modules[i];
	}
	table->modules[table->count] = (struct part){ .name = name };
	return &table->modules[table->count++];
}

static struct part add_up(struct phases_table *table, const char *phase)
{
	struct part whole = { .name = phase };

	table->count = 0;
	for (size_t i = 0; i < table->histogram->count; i++) {
		const struct histogram_entry *entry = &table->histogram->entries[i];

		if (entry->key.command != phase)
			continue;
		part_add(find_module(table, entry->key.file), entry);
		part_add(&whole, entry);
	}
	qsort(table->modules, table->count, sizeof(*table->modules), compare_parts);
	return whole;
}

static void put_functions(const struct phases_table *table, const char *phase, const char *module)
{
	for (size_t i = 0; i < table->histogram->count; i++) {
		const struct histogram_entry *entry = &table->histogram->entries[i];
		const char *function = entry->key.function;
		struct part part = { .name = function ? function : "[no name]" };

		if (entry->key.command != phase || entry->key.file != module)
			continue;
		part_add(&part, entry);
		if (share_of(table, &part) < table->limit)
			continue;
		put_row(table, NULL, 2, &part);
		if (is_waiting(entry)) {
			fputs(" in ", table->out);
			put_name(entry->key.line, table->out);
		}
		putc('\n', table->out);
	}
}

static void put_modules(const struct phases_table *table, const char *phase)
{
	struct part rest = { 0 };
	char name[48];
	size_t shown = 0;

	for (; shown < table->count; shown++) {
		const struct part *module = &table->modules[shown];

		if (share_of(table, module) < table->limit)
			break;
		put_row(table, NULL, 1, module);
		putc('\n', table->out);
		put_functions(table, phase, module->name);
	}
	for (size_t i = shown; i < table->count; i++)
		part_add_part(&rest, &table->modules[i]);
	if (shown == table->count)
		return;
	snprintf(name, sizeof(name), "[%zu more]", table->count - shown);
	rest.name = name;
	put_row(table, NULL, 1, &rest);
	putc('\n', table->out);
}

static void put_phase(const struct phases_table *table, const struct phase *phase,
                      const struct part *whole)
{
	put_row(table, phase->times ? &phase->begins : NULL, 0, whole);
	if (phase->times > 1)
		fprintf(table->out, ", %" PRIu64 " times", phase->times);
	putc('\n', table->out);
	put_modules(table, phase->name);
}

static void put_head(const struct phases_table *table, const char *event)
{
	fputs("# Event: ", table->out);
	put_name(event, table->out);
	fprintf(table->out,
	        "\n#%12s %13s %13s  Overhead   Samples  Phase, its modules, and their functions\n",
	        "Begins", table->is_clock ? "Work, s" : "Work",
	        table->is_clock ? "Waiting, s" : "Waiting");
}

int phases_print(const struct phases *phases, const struct histogram *histogram, const char *event,
                 bool is_clock, double limit, FILE *out)
{
	struct phases_table table = {
		.histogram = histogram, .is_clock = is_clock, .limit = limit, .out = out
	};
	struct part all = { .name = "[all]" }, rest = { 0 };
	size_t left_out = 0;
	char name[48];

	table.modules = calloc(histogram->count + 1, sizeof(*table.modules));
	if (!table.modules)
		return -ENOMEM;
	put_head(&table, event);
	for (size_t i = 0; i < phases->nr_all; i++) {
		struct part whole = add_up(&table, phases->all[i].name);

		part_add_part(&all, &whole);
		if (share_of(&table, &whole) >= limit) {
			put_phase(&table, &phases->all[i], &whole);
			continue;
		}
		part_add_part(&rest, &whole);
		left_out++;
	}
	snprintf(name, sizeof(name), "[%zu more]", left_out);
	rest.name = name;
	if (left_out) {
		put_row(&table, NULL, 0, &rest);
		putc('\n', out);
	}
	put_row(&table, NULL, 0, &all);
	fputs("\n\n", out);
	free(table.modules);
	return 0;
}
