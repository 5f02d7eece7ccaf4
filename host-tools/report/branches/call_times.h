/* SPDX-License-Identifier: MIT */
/*
 * The calls of a branch trace as slices of time. A trace has a time stamp for each of its pieces
 * only (when its AUX record was written). The time between two stamps is divided equally among the
 * instructions executed between them. The trace of a CPU begins at its last stamp minus the time
 * that its event ran; without a ledger, each instruction before the first stamp takes 1 ns. Thread:
 * the thread that created the struct.
 */
#ifndef HOST_TOOLS_REPORT_BRANCHES_CALL_TIMES_H
#define HOST_TOOLS_REPORT_BRANCHES_CALL_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/report/branches/call_walk.h"

#define CALL_TIMES_NOTE "times between the trace's time stamps are interpolated by instructions"

/* A function was entered or left. Times of a CPU do not go backwards. */
struct call_moment {
	uint32_t cpu;
	uint64_t time; /* ps */
	uint32_t function;
	uint32_t depth; /* of the stack around the function */
	bool is_end;
	bool is_gap; /* the trace has a gap here, or ends; function is 0 and depth 0 */
};

struct call_times {
	struct call_walk walk; /* the caller sets walk.runs.file, and nothing else of walk */
	int (*show)(void *context, const struct call_moment *moment);
	void *context;
	struct call_clock *clocks; /* a CPU each */
	uint32_t clock_count;
};

/* Read the trace and show its moments. Everything else in *times must be 0. 0, or a negative errno,
 * also show()'s; -ENODATA: no trace of branches. Call call_times_free() in both cases. */
int call_times_read(struct call_times *times, struct error *error);

void call_times_free(struct call_times *times);

/* The name of a function: as `report` prints it, "[unknown]" without a name. */
const char *call_times_name(const struct call_times *times, uint32_t function);

#endif
