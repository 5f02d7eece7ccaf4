/* SPDX-License-Identifier: MIT */
/*
 * How often each instruction was carried out, from a trace of all branches: between where one
 * branch leads to and where the next one starts, everything was, once. An interrupt's delivery is
 * none of the program's branches: the instruction that it came before is carried out afterwards.
 * Thread: the one that made it.
 */
#ifndef HOST_TOOLS_REPORT_EXPORT_BRANCH_RUNS_H
#define HOST_TOOLS_REPORT_EXPORT_BRANCH_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/report/intern.h"
#include "host-tools/report/recording_file.h"
#include "host-tools/report/symbols/code.h"

/* The instructions executed between two branches, with the second branch. */
struct branch_run {
	uint32_t cpu;
	uint64_t start, end; /* the first instruction, and the last one */
	uint64_t to;         /* where that led to */
	enum code_kind
	    kind; /* the last one's; CODE_OTHER: an interrupt came before it, which is not in it */
	bool is_gap; /* nobody knows what comes next; nothing else is set but cpu */
};

struct branch_runs {
	struct recording_file *file;
	/* NULL, or to be shown each of them, a CPU's in their order; a negative errno stops. */
	int (*visit)(void *context, const struct branch_run *run);
	void *context;
	uint64_t branches;           /* of all CPUs' traces, deliveries among them */
	struct intern addresses;     /* a: where a run begins or ends */
	struct branch_place *places; /* by number */
	struct branch_count *counts; /* by address, once branch_runs_read() is done */
	struct branch_cpu *cpus;
	struct branch_code *codes;
	uint32_t place_room, cpu_count, code_count;
	uint32_t aux_type; /* enum perf_file_auxtrace_type; 0: there is no trace */
};

/* Read the traces. runs has its file, and is else all 0 before. 0, or a negative errno. */
int branch_runs_read(struct branch_runs *runs, struct error *error);

/* How often the instruction at an address was carried out, and how often it branched. */
struct branch_times {
	uint64_t done, taken;
};
struct branch_times branch_runs_at(const struct branch_runs *runs, uint64_t address);

/* How many pairs of branches there were between which no straight line is, of those that lead to
 * these addresses: a part of the trace is missing. The code between them is not counted. */
uint64_t branch_runs_broken(const struct branch_runs *runs, uint64_t start, uint64_t end);

/* The instruction at an address of the machine; false: nobody knows of one. */
bool branch_runs_code(struct branch_runs *runs, uint64_t address,
                      struct code_instruction *instruction);

void branch_runs_free(struct branch_runs *runs);

#endif
