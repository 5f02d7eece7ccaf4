/* SPDX-License-Identifier: MIT */
#include "host-tools/report/branches/branch_edges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/branches/branch_samples.h"
#include "host-tools/report/symbols/link_address.h"
#include "host-tools/util/array.h"

#define NESTED 8U /* most interrupts within interrupts whose lines are joined again */

/* The lines of a CPU that interrupts have divided, the outermost first. */
struct branch_line {
	uint32_t cpu, depth;
	struct {
		uint64_t start; /* first instruction of the line */
		uint64_t at;    /* the interrupted instruction */
	} lines[NESTED];
};

/* The first instruction of the line that continues at an address. */
static uint64_t line_start(struct branch_line *waiting, uint64_t at)
{
	for (uint32_t i = waiting->depth; i; i--) {
		if (waiting->lines[i - 1].at == at) {
			waiting->depth = i - 1;
			return waiting->lines[i - 1].start;
		}
	}
	return at;
}

int branch_pairs_count(struct branch_pairs *pairs, uint64_t a, uint64_t b)
{
	uint32_t number = intern(&pairs->pairs, a, b);
	uint64_t *counts;

	if (number == INTERN_NONE)
		return -ENOMEM;
	counts = array_reach(pairs->counts, &pairs->room, number, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	pairs->counts = counts;
	counts[number]++;
	return 0;
}

static struct branch_line *find_line(struct branch_edges *edges, uint32_t cpu)
{
	struct branch_line *lines;
	uint32_t number;

	lines = array_of_cpu(edges->waiting, &edges->waiting_count, sizeof(*lines), cpu, &number);
	if (!lines)
		return NULL;
	edges->waiting = lines;
	return &lines[number];
}

static int add_run(void *context, const struct branch_run *run)
{
	struct branch_edges *edges = context;
	struct branch_line *line = find_line(edges, run->cpu);
	uint64_t start;
	int code;

	if (!line)
		return -ENOMEM;
	if (run->step == BRANCH_GAP)
		line->depth = 0;
	if (run->step != BRANCH_RUN)
		return 0;
	start = line_start(line, run->start);
	if (run->kind == CODE_OTHER) {
		if (line->depth < NESTED) {
			line->lines[line->depth].start = start;
			line->lines[line->depth++].at = run->end;
		}
		return 0;
	}
	code = branch_pairs_count(&edges->lines, start, run->end);
	if (!code && run->kind != CODE_IRET) /* the way back from an interrupt is no branch */
		code = branch_pairs_count(&edges->taken, run->end, run->to);
	return code;
}

/* ---- The program ---- */

/* The lines and single instructions that were executed in a file. */
struct file_lines {
	const char *path, *name;
	bool is_uefi;
	uint64_t lines;
};

static int count_files(const struct symbols *symbols, const struct branch_pairs *pairs,
                       struct file_lines **files, size_t *count)
{
	for (uint32_t i = 0; i < pairs->pairs.count; i++) {
		const uint64_t address = pairs->pairs.keys[i].a;
		const char *path = symbols_elf(symbols, address);
		struct file_lines *grown;
		struct symbol symbol;
		size_t at = 0;

		while (at < *count && (*files)[at].path != path)
			at++;
		if (at == *count) {
			grown = array_grow(*files, *count, sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			*files = grown;
			symbol = symbols_find(symbols, address);
			grown[at] = (struct file_lines){ path, symbol.file, symbol.module, 0 };
			++*count;
		}
		(*files)[at].lines += pairs->counts[i];
	}
	return 0;
}

static int choose_file(struct branch_edges *edges, struct error *error)
{
	struct file_lines *files = NULL;
	uint64_t most = 0;
	size_t count = 0;
	int code = count_files(edges->runs.file->symbols, &edges->lines, &files, &count);

	if (!code)
		code = count_files(edges->runs.file->symbols, &edges->points, &files, &count);
	for (size_t i = 0; !code && i < count; i++) {
		const bool is_ours = !strcmp(files[i].name, BRANCH_OUR_IMAGE);

		if (files[i].path && files[i].lines > most && !(is_ours && count > 1)) {
			most = files[i].lines;
			edges->path = files[i].path;
			edges->name = files[i].name;
			edges->is_uefi = files[i].is_uefi;
		}
	}
	free(files);
	if (code)
		return error_set(error, code, "no memory for the files");
	return edges->path ? 0
	                   : error_set(error, -ENODATA, "%s: the trace has no code of a known file",
	                               edges->runs.file->reader.path);
}

/* The address of a place of the program in its ELF file. False: it is no place of the program. */
static bool in_program(const struct branch_edges *edges, const struct link_map *map,
                       uint64_t *address)
{
	const struct symbols *symbols = edges->runs.file->symbols;

	if (symbols_elf(symbols, *address) != edges->path)
		return false;
	return link_address(map, symbols_find(symbols, *address).offset, address);
}

static void translate(struct branch_edges *edges, struct branch_pairs *pairs,
                      const struct link_map *map)
{
	for (uint32_t i = 0; i < pairs->pairs.count; i++) {
		struct intern_key *key = &pairs->pairs.keys[i];

		if (!in_program(edges, map, &key->a) || !in_program(edges, map, &key->b))
			pairs->counts[i] = 0;
	}
}

int branch_edges_read(struct branch_edges *edges, struct error *error)
{
	struct link_map map = { 0 };
	int code;

	edges->runs.visit = add_run;
	edges->runs.context = edges;
	code = branch_runs_read(&edges->runs, error);
	if (!code && !edges->runs.branches)
		code = branch_samples_read(edges, error);
	if (!code && !edges->taken.pairs.count && !edges->points.pairs.count)
		code = error_set(error, -ENODATA,
		                 "%s has no trace of branches: record -e branch-trace//, or -b",
		                 edges->runs.file->reader.path);
	if (!code)
		code = choose_file(edges, error);
	if (!code && !link_map_load(&map, edges->path))
		code = error_set(error, -EIO, "reading the segments of %s failed", edges->path);
	if (!code) {
		edges->code = link_map_code(&map);
		translate(edges, &edges->taken, &map);
		translate(edges, &edges->lines, &map);
		translate(edges, &edges->points, &map);
	}
	link_map_free(&map);
	return code;
}

static void free_pairs(struct branch_pairs *pairs)
{
	intern_free(&pairs->pairs);
	free(pairs->counts);
}

void branch_edges_free(struct branch_edges *edges)
{
	free_pairs(&edges->taken);
	free_pairs(&edges->lines);
	free_pairs(&edges->points);
	free(edges->waiting);
	branch_runs_free(&edges->runs);
	*edges = (struct branch_edges){ 0 };
}
