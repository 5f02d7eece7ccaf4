/* SPDX-License-Identifier: MIT */
/*
 * Writes a program's branches for optimizers that read profiles as text. Sources: LLVM 16,
 * bolt/include/bolt/Profile/DataAggregator.h ("pre-aggregated profile"); AutoFDO 0.19,
 * sample_reader.cc (TextSampleReaderWriter); LLVM 16, tools/llvm-profgen/PerfReader.cpp
 * (UnsymbolizedProfileReader). Addresses are those of the program's ELF file, in hexadecimal
 * without 0x.
 */
#include <errno.h>
#include <inttypes.h>

#include "host-tools/report/branches/branch_edges.h"
#include "host-tools/report/export/export_format.h"

static uint32_t count_of(const struct branch_pairs *pairs)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < pairs->pairs.count; i++)
		count += !!pairs->counts[i];
	return count;
}

/* Write each pair of the program as a line: both addresses, less base, and the count. */
static void put_pairs(FILE *out, const struct branch_pairs *pairs, uint64_t base, const char *head,
                      const char *between, const char *before_count, const char *end)
{
	for (uint32_t i = 0; i < pairs->pairs.count; i++) {
		if (pairs->counts[i])
			fprintf(out, "%s%" PRIx64 "%s%" PRIx64 "%s%" PRIu64 "%s\n", head,
			        pairs->pairs.keys[i].a - base, between,
			        pairs->pairs.keys[i].b - base, before_count, pairs->counts[i], end);
	}
}

static void put_bolt(const struct branch_edges *edges, FILE *out)
{
	put_pairs(out, &edges->taken, 0, "B ", " ", " ", " 0"); /* 0: mispredicted */
	put_pairs(out, &edges->lines, 0, "F ", " ", " ", "");
}

static void put_lines(const struct branch_edges *edges, uint64_t base, FILE *out)
{
	fprintf(out, "%" PRIu32 "\n", count_of(&edges->lines));
	put_pairs(out, &edges->lines, base, "", "-", ":", "");
}

static void put_taken(const struct branch_edges *edges, uint64_t base, FILE *out)
{
	fprintf(out, "%" PRIu32 "\n", count_of(&edges->taken));
	put_pairs(out, &edges->taken, base, "", "->", ":", "");
}

/* Single instructions with their counts, which SPE samples, come between ranges and branches.
 * create_gcov uses them if there are no ranges. */
static void put_autofdo(const struct branch_edges *edges, FILE *out)
{
	const struct branch_pairs *points = &edges->points;

	put_lines(edges, 0, out);
	fprintf(out, "%" PRIu32 "\n", count_of(points));
	for (uint32_t i = 0; i < points->pairs.count; i++) {
		if (points->counts[i])
			fprintf(out, "%" PRIx64 ":%" PRIu64 "\n", points->pairs.keys[i].a,
			        points->counts[i]);
	}
	put_taken(edges, 0, out);
}

/* llvm-profgen wants offsets from the first executable segment. */
static void put_profgen(const struct branch_edges *edges, FILE *out)
{
	put_lines(edges, edges->code, out);
	put_taken(edges, edges->code, out);
}

static void say_program(const struct branch_edges *edges)
{
	if (edges->is_uefi)
		say("the profile is of the UEFI image %s, by the addresses of its ELF file",
		    edges->name);
	else
		say("the profile is of %s", edges->path);
}

/* A format's output; its name if the format is of no use without straight lines. */
struct edges_format {
	void (*put)(const struct branch_edges *edges, FILE *out);
	const char *needs_lines;
};

static int export_edges(struct export *export, const struct edges_format *format,
                        struct error *error)
{
	struct branch_edges edges = { .runs.file = export->file };
	int code = export_check_whole(export, error);

	if (!code)
		code = branch_edges_read(&edges, error);
	if (!code && format->needs_lines && !edges.lines.pairs.count && edges.points.pairs.count)
		code = error_set(error, -ENODATA,
		                 "%s: SPE's samples have no straight lines of code, which %s "
		                 "needs: record -e branch-trace//, or export autofdo-text",
		                 export->file->reader.path, format->needs_lines);
	if (!code) {
		say_program(&edges);
		format->put(&edges, export->out);
	}
	branch_edges_free(&edges);
	return code;
}

int export_bolt(struct export *export, struct error *error)
{
	return export_edges(export, &(struct edges_format){ put_bolt, "bolt" }, error);
}

int export_autofdo(struct export *export, struct error *error)
{
	return export_edges(export, &(struct edges_format){ put_autofdo, NULL }, error);
}

int export_profgen(struct export *export, struct error *error)
{
	return export_edges(export, &(struct edges_format){ put_profgen, "llvm-profgen" }, error);
}
