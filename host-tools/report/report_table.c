/* SPDX-License-Identifier: MIT */
#include "host-tools/report/report_table.h"

#include <inttypes.h>
#include <string.h>

#include "writer/util/printable.h"

#define COLUMNS   5U
#define CELL_SIZE 512U

char report_table_level(const struct perf_event_header *record)
{
	static const char levels[] = { '?', 'k', '.', 'H', 'u', 'g' };
	unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode < sizeof(levels) ? levels[mode] : '?';
}

static void cell_command(const struct histogram_key *key, char *cell)
{
	snprintf(cell, CELL_SIZE, "%s", key->command);
}

static void cell_file(const struct histogram_key *key, char *cell)
{
	snprintf(cell, CELL_SIZE, "%s", key->file);
}

static void cell_symbol(const struct histogram_key *key, char *cell)
{
	if (key->function)
		snprintf(cell, CELL_SIZE, "[%c] %s", key->level, key->function);
	else
		snprintf(cell, CELL_SIZE, "[%c] 0x%016" PRIx64, key->level, key->address);
}

static void cell_cpu(const struct histogram_key *key, char *cell)
{
	snprintf(cell, CELL_SIZE, "%03" PRIu32, key->cpu);
}

static void cell_line(const struct histogram_key *key, char *cell)
{
	snprintf(cell, CELL_SIZE, "%s", key->line);
}

static const struct {
	const char *head;
	void (*cell)(const struct histogram_key *key, char *cell);
} columns[COLUMNS] = {
	{ "Command", cell_command }, { "Shared Object", cell_file }, { "Symbol", cell_symbol },
	{ "CPU", cell_cpu },         { "Source:Line", cell_line },
};

static double share_of(const struct histogram *histogram, const struct histogram_entry *entry)
{
	return histogram->weight ? 100.0 * (double)entry->weight / (double)histogram->weight : 0;
}

/* Print a number in perf's short form: 2732 is 2K. */
static void print_short(uint64_t number, FILE *out)
{
	static const char units[] = " KMGTPE";
	unsigned unit = 0;

	for (; number >= 1000 && unit < sizeof(units) - 2; number /= 1000)
		unit++;
	fprintf(out, "%" PRIu64, number);
	if (unit)
		fputc(units[unit], out);
}

static void measure(const struct report_table *table, const struct histogram *histogram,
                    int widths[COLUMNS])
{
	char cell[CELL_SIZE];

	for (unsigned c = 0; c < COLUMNS; c++) {
		widths[c] = (int)strlen(columns[c].head);
		for (size_t i = 0; table->columns >> c & 1 && i < histogram->count; i++) {
			int length;

			columns[c].cell(&histogram->entries[i].key, cell);
			length = (int)strlen(cell);
			widths[c] = length > widths[c] ? length : widths[c];
		}
	}
}

static void print_rule(int width, FILE *out)
{
	fputs("  ", out);
	while (width--)
		fputc('.', out);
}

static void print_head(const struct report_table *table, const int widths[COLUMNS], FILE *out)
{
	fprintf(out, "# Overhead%s", table->samples ? "       Samples" : "");
	for (unsigned c = 0; c < COLUMNS; c++) {
		if (table->columns >> c & 1)
			fprintf(out, "  %-*s", widths[c], columns[c].head);
	}
	fprintf(out, "\n# ........%s", table->samples ? "  ............" : "");
	for (unsigned c = 0; c < COLUMNS; c++) {
		if (table->columns >> c & 1)
			print_rule(widths[c], out);
	}
	fputs("\n#\n", out);
}

static void print_entry(const struct report_table *table, const struct histogram *histogram,
                        const struct histogram_entry *entry, const int widths[COLUMNS], FILE *out)
{
	const char *separator = table->separator ? table->separator : "  ";
	unsigned last = 0;
	char cell[CELL_SIZE];

	fprintf(out, table->separator ? "%.2f%%" : "%9.2f%%", share_of(histogram, entry));
	if (table->samples)
		fprintf(out, table->separator ? "%s%" PRIu64 : "%s%12" PRIu64, separator,
		        entry->samples);
	for (unsigned c = 0; c < COLUMNS; c++)
		last = table->columns >> c & 1 ? c : last;
	for (unsigned c = 0; c < COLUMNS; c++) {
		if (!(table->columns >> c & 1))
			continue;
		columns[c].cell(&entry->key, cell);
		printable_make(cell);
		fprintf(out, "%s%-*s", separator, c == last || table->separator ? 0 : widths[c],
		        cell);
	}
	fputc('\n', out);
}

void report_table_print(const struct report_table *table, const char *event,
                        const struct histogram *histogram, FILE *out)
{
	int widths[COLUMNS];
	char name[CELL_SIZE];

	snprintf(name, sizeof(name), "%s", event);
	printable_make(name);
	measure(table, histogram, widths);
	fputs("# Samples: ", out);
	print_short(histogram->samples, out);
	fprintf(out, " of event '%s'\n# Event count (approx.): %" PRIu64 "\n", name,
	        histogram->weight);
	if (table->idle)
		fprintf(out, "# Idle: %.2f%% of that, where CPUs wait (cpu_idle, arch_wait)\n",
		        100.0 * (double)table->idle / (double)histogram->weight);
	fputs("#\n", out);
	print_head(table, widths, out);
	for (size_t i = 0; i < histogram->count && (!table->most || i < table->most); i++) {
		if (share_of(histogram, &histogram->entries[i]) >= table->limit)
			print_entry(table, histogram, &histogram->entries[i], widths, out);
	}
	fputc('\n', out);
}
