/* SPDX-License-Identifier: MIT */
/*
 * The recordings to merge, and the offsets of their numbers: each board's CPUs follow those of the
 * boards before it, and so do its process (1 + its first CPU) and threads (1 + a CPU); ids are
 * numbered again; times are moved so that all boards begin at the first one's.
 *
 * The files may contain any bytes; the loaded numbers are checked. Any thread, one at a time.
 */
#ifndef HOST_TOOLS_MERGE_MERGE_BOARDS_H
#define HOST_TOOLS_MERGE_MERGE_BOARDS_H

#include "host-tools/ledger/ledger_merge.h"
#include "host-tools/perfdata/perf_reader.h"

#define MERGE_NAME_MAX 24U /* of a board, bytes */

struct merge_board {
	const char *path;
	char name[MERGE_NAME_MAX + 1];
	char arch[16];
	struct perf_reader reader;
	struct ledger ledger; /* as the file has it */
	bool has_time;
	uint64_t first_time, last_time; /* ns */
	uint64_t later;                 /* to be added to its times, modulo 2^64 */
	const uint8_t *build_ids;       /* the BUILD_ID feature's contents; NULL: there is none */
	size_t build_ids_size;
};

struct merge {
	struct merge_board *boards;
	struct ledger_part *parts; /* a board each */
	uint32_t count;
	struct ledger ledger; /* of all, ids as they are in the merged file */
};

/* Open `[NAME=]FILE` each; NAME is else the file's, without its directory and ".data". They must
 * stay. 0, or a negative errno: error names the file and the reason. merge_close() in any case. */
int merge_open(struct merge *merge, char *const *arguments, uint32_t count, struct error *error);
void merge_close(struct merge *merge);

/* The name in the merged file of a file of board i's: its own, or behind it "#NAME" where a board
 * before has another build there. For free(); NULL: no memory. */
char *merge_path(const struct merge *merge, uint32_t i, const char *path, size_t path_size);

#endif
