/* SPDX-License-Identifier: MIT */
/*
 * The branches and straight lines of one program, with their counts, by the addresses of the
 * program's ELF file: the input of profile-guided optimizers. They come from a trace of all
 * branches, or in a file without one from its samples: branch stacks, and the records of Arm's SPE.
 * Thread: the thread that created the struct.
 */
#ifndef HOST_TOOLS_REPORT_BRANCHES_BRANCH_EDGES_H
#define HOST_TOOLS_REPORT_BRANCHES_BRANCH_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/report/branches/branch_runs.h"
#include "host-tools/report/intern.h"

/* Pairs of addresses with counts. First addresses of the machine, after branch_edges_read()
 * addresses of the ELF file. */
struct branch_pairs {
	struct intern pairs; /* a: source or first instruction; b: target or last instruction */
	uint64_t *counts;    /* indexed like pairs; 0: the pair is not in the program */
	uint32_t room;
};

struct branch_edges {
	struct branch_runs runs;     /* the caller sets runs.file, and nothing else of runs */
	const char *path;            /* the program's ELF file; valid while the recording is open */
	const char *name;            /* its base name; of a UEFI image, the image's */
	bool is_uefi;                /* path is an ELF file that was made for a UEFI image */
	uint64_t code;               /* page of the ELF file's first executable segment */
	struct branch_pairs taken;   /* source and target of a taken branch */
	struct branch_pairs lines;   /* first and last instruction of a straight line */
	struct branch_pairs points;  /* SPE: a sampled instruction, twice */
	struct branch_line *waiting; /* lines that an interrupt divides, by CPU */
	uint32_t waiting_count;
};

/* Read the trace of edges->runs.file. The program is the file in which most lines were executed,
 * and bareperf itself only if no other file was. Everything but runs.file must be 0. 0, or a
 * negative errno; -ENODATA: the file has neither, or no code of it. Call
 * branch_edges_free() in both cases. */
int branch_edges_read(struct branch_edges *edges, struct error *error);

/* Count one more pair of addresses. 0 or -ENOMEM. */
int branch_pairs_count(struct branch_pairs *pairs, uint64_t a, uint64_t b);

void branch_edges_free(struct branch_edges *edges);

#endif
