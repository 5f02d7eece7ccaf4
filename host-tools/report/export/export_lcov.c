/* SPDX-License-Identifier: MIT */
/*
 * Writes coverage from traces of all branches. Source: geninfo(1), "FILES". A line's count is the
 * highest count of the first instructions of its statements. A branch is a conditional branch
 * instruction; its number (its block) is its link address; way 0 is "taken".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/report/branches/branch_runs.h"
#include "host-tools/report/branches/branch_samples.h"
#include "host-tools/report/export/export_format.h"
#include "host-tools/report/symbols/lines.h"
#include "host-tools/util/array.h"

/* The kinds of rows, in their order in a file's section. */
enum row_kind { ROW_FUNCTION, ROW_BRANCH, ROW_LINE };

struct row {
	enum row_kind kind;
	struct line line;
	const char *name; /* function's name */
	uint64_t block;   /* branch's number */
	uint64_t done, taken;
};

struct lcov {
	struct export *export;
	struct branch_runs runs;
	struct lines lines;
	struct symbol_mapping mapping; /* the mapping of the current file */
	struct row *rows;
	size_t count;
};

/* ---- Executed code ---- */

static int add_row(struct lcov *lcov, const struct row *row)
{
	if (!ARRAY_ROOM(lcov->rows, lcov->count))
		return -ENOMEM;
	lcov->rows[lcov->count++] = *row;
	return 0;
}

/* Get the machine's address of the byte at an offset of its file. False: the byte was not loaded.
 */
static bool machine_address(const struct symbol_mapping *mapping, uint64_t offset,
                            uint64_t *address)
{
	*address = mapping->start + (offset - mapping->file_offset);
	return offset >= mapping->file_offset && *address < mapping->end;
}

static int add_branches(struct lcov *lcov, const struct lines_row *row, uint64_t address)
{
	struct code_instruction instruction;
	int code = 0;

	for (uint64_t at = row->offset; !code && at < row->end; at += instruction.size) {
		uint64_t here = address + (at - row->offset);
		struct branch_times times;

		if (!branch_runs_code(&lcov->runs, here, &instruction))
			break;
		if (instruction.kind != CODE_CONDITIONAL)
			continue;
		times = branch_runs_at(&lcov->runs, here);
		code = add_row(lcov, &(struct row){ .kind = ROW_BRANCH,
		                                    .line = row->line,
		                                    .block = at,
		                                    .done = times.done,
		                                    .taken = times.taken });
	}
	return code;
}

static int add_line(void *context, const struct lines_row *row)
{
	struct lcov *lcov = context;
	uint64_t address;
	int code = 0;

	if (!machine_address(&lcov->mapping, row->offset, &address))
		return 0;
	if (row->is_statement)
		code = add_row(lcov,
		               &(struct row){ .kind = ROW_LINE,
		                              .line = row->line,
		                              .done = branch_runs_at(&lcov->runs, address).done });
	return code ? code : add_branches(lcov, row, address);
}

static int add_functions(struct lcov *lcov, size_t mapping)
{
	struct symbol function;
	struct line line;
	uint64_t address;
	int code = 0;

	for (size_t i = 0;
	     !code && symbols_function(lcov->export->file->symbols, mapping, i, &function); i++) {
		line = lines_at(&lcov->lines, lcov->mapping.path, function.offset);
		if (line.file && machine_address(&lcov->mapping, function.offset, &address))
			code = add_row(
			    lcov,
			    &(struct row){ .kind = ROW_FUNCTION,
			                   .line = line,
			                   .name = function.name,
			                   .done = branch_runs_at(&lcov->runs, address).done });
	}
	return code;
}

/* Add the rows of all loaded files: bareperf itself (ours), or the files that it ran. */
static int add_mappings(struct lcov *lcov, bool ours)
{
	const struct symbols *symbols = lcov->export->file->symbols;
	int64_t code = 0;

	for (size_t i = 0; code >= 0 && symbols_mapping(symbols, i, &lcov->mapping); i++) {
		const struct symbol_mapping *mapping = &lcov->mapping;
		uint64_t broken;

		if (!mapping->path || !strcmp(mapping->file, BRANCH_OUR_IMAGE) != ours)
			continue;
		code = lines_walk(&lcov->lines, mapping->path, add_line, lcov);
		if (code > 0)
			code = add_functions(lcov, i);
		broken = branch_runs_broken(&lcov->runs, mapping->start, mapping->end);
		if (broken)
			say("%s: %" PRIu64
			    " times the trace has a gap that it does not tell of: "
			    "what was carried out there is not counted",
			    mapping->file, broken);
	}
	return code < 0 ? -ENOMEM : 0;
}

/* ---- The file ---- */

static int compare_rows(const void *one, const void *other)
{
	const struct row *a = one, *b = other;
	int order = strcmp(a->line.file, b->line.file);

	if (!order)
		order = (a->kind > b->kind) - (a->kind < b->kind);
	if (!order)
		order = (a->line.number > b->line.number) - (a->line.number < b->line.number);
	if (!order)
		order = (a->block > b->block) - (a->block < b->block);
	if (!order && a->kind == ROW_FUNCTION)
		order = strcmp(a->name, b->name);
	return order;
}

static bool is_same(const struct row *a, const struct row *b)
{
	return a->kind == b->kind && a->line.number == b->line.number && a->block == b->block &&
	       !strcmp(a->line.file, b->line.file) &&
	       (a->kind != ROW_FUNCTION || !strcmp(a->name, b->name));
}

/* Keep, of equal rows, the row that was executed most often. Drop rows of sources that are not on
 * this computer, such as a library's that was built elsewhere, because genhtml would stop at them.
 */
static void merge_rows(struct lcov *lcov)
{
	size_t kept = 0;
	const char *file = NULL;
	uint32_t absent = 0;
	bool is_here = false;

	if (lcov->count)
		qsort(lcov->rows, lcov->count, sizeof(*lcov->rows), compare_rows);
	for (size_t i = 0; i < lcov->count; i++) {
		struct row *row = &lcov->rows[i], *last = kept ? &lcov->rows[kept - 1] : NULL;

		if (!file || strcmp(file, row->line.file) != 0) {
			file = row->line.file;
			is_here = !access(file, R_OK);
			absent += !is_here;
		}
		if (is_here && (!last || !is_same(row, last)))
			lcov->rows[kept++] = *row;
		else if (is_here && row->done > last->done)
			*last = *row;
	}
	lcov->count = kept;
	if (absent)
		say("%" PRIu32 " sources are not here, and left out", absent);
}

static void put_row(FILE *out, const struct row *row)
{
	uint64_t passed = row->done > row->taken ? row->done - row->taken : 0;

	switch (row->kind) {
	case ROW_FUNCTION:
		fprintf(out, "FN:%" PRIu32 ",", row->line.number);
		export_put_line(out, row->name);
		fprintf(out, "FNDA:%" PRIu64 ",", row->done);
		export_put_line(out, row->name);
		break;
	case ROW_BRANCH:
		for (int way = 0; way < 2; way++) {
			fprintf(out, "BRDA:%" PRIu32 ",%" PRIu64 ",%d,", row->line.number,
			        row->block, way);
			if (row->done)
				fprintf(out, "%" PRIu64 "\n", way ? passed : row->taken);
			else
				fputs("-\n", out);
		}
		break;
	case ROW_LINE:
		fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", row->line.number, row->done);
		break;
	}
}

/* Write the number of rows of a kind, and the number that were executed; a branch counts once for
 * each way. */
static void put_sums(FILE *out, const struct row *rows, size_t count)
{
	static const char *const words[] = { "FN", "BR", "L" };
	const char *word = words[rows->kind];
	size_t found = count, hit = 0;

	for (size_t i = 0; i < count; i++) {
		if (rows->kind == ROW_BRANCH)
			hit += (rows[i].taken > 0) + (rows[i].done > rows[i].taken);
		else
			hit += rows[i].done > 0;
	}
	if (rows->kind == ROW_BRANCH)
		found *= 2;
	fprintf(out, "%sF:%zu\n%sH:%zu\n", word, found, word, hit);
}

static void put_rows(const struct lcov *lcov)
{
	FILE *out = lcov->export->out;
	size_t first = 0;

	for (size_t i = 0; i < lcov->count; i++) {
		const struct row *row = &lcov->rows[i], *next = row + 1;
		bool is_last = i + 1 == lcov->count;

		if (!i || strcmp(row[-1].line.file, row->line.file)) {
			/* geninfo allows only letters, digits and "_" in a test's name */
			fprintf(out, "TN:%s\nSF:", lcov->export->partial ? "at_least" : "");
			export_put_line(out, row->line.file);
		}
		put_row(out, row);
		if (is_last || next->kind != row->kind || strcmp(next->line.file, row->line.file)) {
			put_sums(out, &lcov->rows[first], i + 1 - first);
			first = i + 1;
		}
		if (is_last || strcmp(next->line.file, row->line.file))
			fputs("end_of_record\n", out);
	}
}

int export_lcov(struct export *export, struct error *error)
{
	struct lcov lcov = { .export = export, .runs.file = export->file };
	int code = export_check_whole(export, error);

	if (!code)
		code = branch_runs_read(&lcov.runs, error);
	if (!code && !lcov.runs.branches)
		code = branch_samples_no_trace(&lcov.runs, error);
	if (!code && (add_mappings(&lcov, false) || (!lcov.count && add_mappings(&lcov, true))))
		code = error_set(error, -ENOMEM, "no memory for the lines");
	if (!code && !lcov.count)
		code = error_set(error, -ENODATA,
		                 "no file of %s has lines (DWARF): compile with -g",
		                 export->file->reader.path);
	if (!code) {
		merge_rows(&lcov);
		put_rows(&lcov);
		if (!lcov.count)
			code = error_set(error, -ENODATA,
			                 "no source is here: call it where it was compiled");
	}
	free(lcov.rows);
	lines_free(&lcov.lines);
	branch_runs_free(&lcov.runs);
	return code;
}
