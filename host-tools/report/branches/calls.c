/* SPDX-License-Identifier: MIT */
#include "host-tools/report/branches/calls.h"

#include <inttypes.h>
#include <string.h>

#include "host-tools/report/branches/call_table.h"
#include "host-tools/report/branches/call_walk.h"
#include "host-tools/report/summary_json.h"
#include "writer/util/printable.h"

#define NAME_SIZE 512U

struct calls {
	struct call_walk walk;
	struct call_table table;
	/* Whether bareperf's own functions are shown: if the trace has a call of no other file. */
	bool shows_ours;
	uint32_t functions;                /* shown */
	uint64_t calls, cut, instructions; /* of the shown functions */
	uint64_t ours;                     /* instructions of functions that are not shown */
};

static int add_call(void *context, const struct call_cpu *cpu, const struct call_frame *frame,
                    bool is_return)
{
	struct calls *calls = context;

	(void)cpu;
	return call_table_add(&calls->table, frame, is_return);
}

static bool is_ours(const struct calls *calls, const struct call_row *row)
{
	const char *file = call_walk_symbol(&calls->walk, row->function).file;

	return !file || !strcmp(file, BRANCH_OUR_IMAGE);
}

static bool is_shown(const struct calls *calls, const struct call_row *row)
{
	return calls->shows_ours || !is_ours(calls, row);
}

static void sum_up(struct calls *calls)
{
	call_table_sort(&calls->table);
	calls->shows_ours = true;
	for (uint32_t i = 0; calls->shows_ours && i < calls->table.count; i++) {
		if (calls->table.rows[i].calls && !is_ours(calls, &calls->table.rows[i]))
			calls->shows_ours = false;
	}
	for (uint32_t i = 0; i < calls->table.count; i++) {
		const struct call_row *row = &calls->table.rows[i];

		if (!is_shown(calls, row)) {
			calls->ours += row->instructions;
			continue;
		}
		calls->functions++;
		calls->calls += row->calls;
		calls->cut += row->cut;
		calls->instructions += row->instructions;
	}
}

static double share_of(const struct calls *calls, const struct call_row *row)
{
	return calls->instructions ? 100.0 * (double)row->instructions / (double)calls->instructions
	                           : 0;
}

static bool is_wanted(const struct calls *calls, const struct calls_options *options,
                      const struct call_row *row)
{
	return is_shown(calls, row) && share_of(calls, row) >= options->limit;
}

static double mean_of(const struct call_row *row, const struct call_range *range)
{
	return (double)range->sum / (double)row->calls;
}

/* Get the text of a function's name or file. */
static void name_text(char text[NAME_SIZE], const char *name, const char *otherwise)
{
	snprintf(text, NAME_SIZE, "%s", name ? name : otherwise);
	printable_make(text);
}

/* ---- Text ---- */

static void put_cell(const struct calls_options *options, FILE *out, int width, const char *text)
{
	if (options->separator)
		fprintf(out, "%s%s", options->separator, text);
	else
		fprintf(out, " %*s", width, text);
}

static void put_number(const struct calls_options *options, FILE *out, int width, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	put_cell(options, out, width, text);
}

/* Print the three columns of a range: least, mean, most. known: the instructions are known. */
static void put_range(const struct calls_options *options, FILE *out, const struct call_row *row,
                      const struct call_range *range, bool known)
{
	char mean[32];

	if (!row->calls || !known) {
		for (int i = 0; i < 3; i++)
			put_cell(options, out, 10, "-");
		return;
	}
	snprintf(mean, sizeof(mean), "%.1f", mean_of(row, range));
	put_number(options, out, 10, range->least);
	put_cell(options, out, 10, mean);
	put_number(options, out, 10, range->most);
}

static void put_row(const struct calls *calls, const struct calls_options *options,
                    const struct call_row *row, FILE *out)
{
	struct symbol symbol = call_walk_symbol(&calls->walk, row->function);
	char name[NAME_SIZE], file[NAME_SIZE];

	name_text(name, symbol.name, "[unknown]");
	name_text(file, symbol.module ? symbol.module : symbol.file, "[unknown]");
	fprintf(out, options->separator ? "%.2f%%" : "%8.2f%%", share_of(calls, row));
	put_number(options, out, 10, row->calls);
	put_number(options, out, 4, row->cut);
	put_range(options, out, row, &row->self, row->function);
	put_range(options, out, row, &row->total, row->function);
	if (options->separator)
		fprintf(out, "%s%s%s%s\n", options->separator, name, options->separator, file);
	else
		fprintf(out, "  %s, %s\n", name, file);
}

static void print_columns(const struct calls_options *options, FILE *out)
{
	static const char *const columns[] = { "calls",        "cut",          "self least",
		                               "self mean",    "self most",    "callees least",
		                               "callees mean", "callees most", "function",
		                               "shared object" };

	if (!options->separator) {
		fputs(
		    "#                          A call's instructions: itself      with the "
		    "calls it made\n"
		    "# Share       Calls  Cut      least       mean       most      least"
		    "       mean       most  Function, Shared Object\n"
		    "# .....  .......... .... .......... .......... .......... .........."
		    " .......... ..........  .......................\n#\n",
		    out);
		return;
	}
	fputs("# share", out);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		fprintf(out, "%s%s", options->separator, columns[i]);
	fputc('\n', out);
}

static void print_head(const struct calls *calls, const struct calls_options *options, FILE *out)
{
	fprintf(out,
	        "# Calls: %" PRIu64 " of %" PRIu32 " functions, and %" PRIu64
	        " that the trace does not have from begin to end (Cut)\n"
	        "# Instructions: %" PRIu64 ", counted in a trace of %" PRIu64 " branches\n",
	        calls->calls, calls->functions, calls->cut, calls->instructions,
	        calls->walk.runs.branches);
	if (calls->ours)
		fprintf(out,
		        "# Without bareperf's own functions and their %" PRIu64 " instructions\n",
		        calls->ours);
	fputs("#\n", out);
	print_columns(options, out);
}

static void print_text(const struct calls *calls, const struct calls_options *options, FILE *out)
{
	print_head(calls, options, out);
	for (uint32_t i = 0; i < calls->table.count; i++) {
		if (is_wanted(calls, options, &calls->table.rows[i]))
			put_row(calls, options, &calls->table.rows[i], out);
	}
	fputc('\n', out);
}

/* ---- JSON ---- */

static json_t *range_json(const struct call_row *row, const struct call_range *range)
{
	if (!row->calls || !row->function)
		return json_null();
	return json_pack("{so so so so}", "least", summary_number(range->least), "mean",
	                 json_real(mean_of(row, range)), "most", summary_number(range->most), "sum",
	                 summary_number(range->sum));
}

static json_t *text_json(const char *text)
{
	return text ? summary_text(text, strlen(text)) : json_null();
}

static json_t *row_json(const struct calls *calls, const struct call_row *row)
{
	struct symbol symbol = call_walk_symbol(&calls->walk, row->function);

	return json_pack("{so so so so so so so}", "function", text_json(symbol.name), "file",
	                 text_json(symbol.module ? symbol.module : symbol.file), "calls",
	                 summary_number(row->calls), "cut", summary_number(row->cut),
	                 "instructions", summary_number(row->instructions), "self",
	                 range_json(row, &row->self), "with_callees", range_json(row, &row->total));
}

static int print_json(const struct calls *calls, const struct calls_options *options, FILE *out,
                      struct error *error)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < calls->table.count; i++) {
		if (is_wanted(calls, options, &calls->table.rows[i]))
			json_array_append_new(rows, row_json(calls, &calls->table.rows[i]));
	}
	return summary_print(json_pack("{so so so so so so}", "calls", summary_number(calls->calls),
	                               "cut", summary_number(calls->cut), "instructions",
	                               summary_number(calls->instructions), "branches",
	                               summary_number(calls->walk.runs.branches),
	                               "instructions_of_bareperf", summary_number(calls->ours),
	                               "functions", rows),
	                     out, "the calls as JSON", error);
}

int calls_print(struct recording_file *file, const struct calls_options *options, FILE *out,
                struct error *error)
{
	struct calls calls = { .walk = { .runs.file = file, .left = add_call } };
	int code;

	calls.walk.context = &calls;
	code = call_walk_read(&calls.walk, error);
	if (!code) {
		sum_up(&calls);
		if (options->is_json)
			code = print_json(&calls, options, out, error);
		else
			print_text(&calls, options, out);
	}
	call_table_free(&calls.table);
	call_walk_free(&calls.walk);
	return code;
}
