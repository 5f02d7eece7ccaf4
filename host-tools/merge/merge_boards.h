/* SPDX-License-Identifier: MIT */
/*
 * The recordings to merge, and the offsets of their numbers. Each board's CPUs follow those of
 * earlier boards, and so do its process (1 + its first CPU) and its threads (1 + a CPU). Ids are
 * renumbered. Times are shifted so that all boards begin at the first one's begin.
 *
 * The files may contain any bytes; the loaded numbers are checked. Any thread, one at a time.
 */
#ifndef HOST_TOOLS_MERGE_MERGE_BOARDS_H
#define HOST_TOOLS_MERGE_MERGE_BOARDS_H

#include "host-tools/ledger/ledger_merge.h"
#include "host-tools/perfdata/perf_reader.h"

#define MERGE_NAME_MAX 24U /* of a board's name, bytes */

struct merge_board {
	const char *path;
	char name[MERGE_NAME_MAX + 1];
	char arch[16];
	struct perf_reader reader;
	struct ledger ledger; /* the ledger of the file */
	bool has_time;
	uint64_t first_time, last_time; /* ns */
	uint64_t later;                 /* added to its times, modulo 2^64 */
	const uint8_t *build_ids;       /* the BUILD_ID feature's contents; NULL: none */
	size_t build_ids_size;
};

struct merge {
	struct merge_board *boards;
	struct ledger_part *parts; /* one per board */
	uint32_t count;
	struct ledger ledger; /* of all boards, with the ids of the merged file */
};

/* Open files given as `[NAME=]FILE`; without NAME the file's own is used, without its directory and
 * ".data". The arguments must stay valid. 0, or a negative errno: error names the file and the
 * reason. Call merge_close() in all cases. */
int merge_open(struct merge *merge, char *const *arguments, uint32_t count, struct error *error);
void merge_close(struct merge *merge);

/* The path in the merged file for a file of board i: its own, or followed by "#NAME" if an earlier
 * board has another build of it. The caller frees it; NULL: no memory. */
char *merge_path(const struct merge *merge, uint32_t i, const char *path, size_t path_size);

#endif
