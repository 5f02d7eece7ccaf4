/* SPDX-License-Identifier: MIT */
/*
 * Counts how often each instruction was executed, from a trace of all branches. All instructions
 * between the target of one branch and the next branch are executed once. The delivery of an
 * interrupt is not a branch of the program: the interrupted instruction is executed after the
 * interrupt. Thread: the thread that created the struct.
 */
#ifndef HOST_TOOLS_REPORT_BRANCHES_BRANCH_RUNS_H
#define HOST_TOOLS_REPORT_BRANCHES_BRANCH_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/report/intern.h"
#include "host-tools/report/recording_file.h"
#include "host-tools/report/symbols/code.h"

/* The file of bareperf's own functions, whose branches before and after a program are in its trace.
 */
#define BRANCH_OUR_IMAGE "bareperf.sym"

enum branch_step {
	BRANCH_RUN,  /* instructions were executed */
	BRANCH_GAP,  /* the trace has a gap here, or ends; only cpu is set */
	BRANCH_TIME, /* everything so far was before time; only cpu and time are set */
};

/* The instructions that were executed between two branches, including the second branch. */
struct branch_run {
	uint32_t cpu;
	enum branch_step step;
	uint64_t start, end; /* addresses of the first and the last instruction */
	uint64_t to;         /* target of the second branch */
	/* Kind of the last instruction. CODE_OTHER: an interrupt came before the instruction at
	 * end, so that this instruction was not executed in this run. */
	enum code_kind kind;
	uint64_t time; /* ns; of a piece of the trace, when it was announced */
};

struct branch_runs {
	struct recording_file *file;
	/* Called for each run, in the order of a CPU's time; returns a negative errno to stop. May
	 * be NULL. */
	int (*visit)(void *context, const struct branch_run *run);
	void *context;
	uint64_t branches;           /* branches of all CPUs' traces, with deliveries */
	struct intern addresses;     /* a: address where a run begins or ends */
	struct branch_place *places; /* by number in addresses */
	struct branch_count *counts; /* sorted by address; set by branch_runs_read() */
	struct branch_cpu *cpus;
	struct branch_code *codes;
	uint32_t place_room, cpu_count, code_count;
	uint32_t aux_type; /* enum perf_file_auxtrace_type; 0: no trace */
};

/* Read the traces of runs->file. The caller sets file, and may set visit and context; the rest of
 * *runs must be 0. 0, or a negative errno. Call branch_runs_free() in both cases. */
int branch_runs_read(struct branch_runs *runs, struct error *error);

/* How often the instruction at an address was executed (done) and how often it branched (taken). */
struct branch_times {
	uint64_t done, taken;
};
struct branch_times branch_runs_at(const struct branch_runs *runs, uint64_t address);

/* The number of broken runs that begin at addresses from start to end. A run is broken if no
 * straight line of code leads from its begin to its end, because a part of the trace is missing.
 * The code of a broken run is not counted. */
uint64_t branch_runs_broken(const struct branch_runs *runs, uint64_t start, uint64_t end);

/* Decode the instruction at an address of the machine. False: the code at the address is unknown.
 */
bool branch_runs_code(struct branch_runs *runs, uint64_t address,
                      struct code_instruction *instruction);

void branch_runs_free(struct branch_runs *runs);

#endif
