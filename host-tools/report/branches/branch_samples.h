/* SPDX-License-Identifier: MIT */
/* The branches in the samples of a recording: in branch stacks (PERF_SAMPLE_BRANCH_STACK), and in
 * the records of Arm's Statistical Profiling Extension. Thread: the thread that created the struct.
 */
#ifndef HOST_TOOLS_REPORT_BRANCHES_BRANCH_SAMPLES_H
#define HOST_TOOLS_REPORT_BRANCHES_BRANCH_SAMPLES_H

#include "host-tools/report/branches/branch_edges.h"

/* Add all of them to edges, whose runs were read: edges->runs.aux_type is known. 0, or a negative
 * errno. */
int branch_samples_read(struct branch_edges *edges, struct error *error);

/* Set the error of a view that needs a trace of all branches, for a file without one. -ENODATA. */
int branch_samples_no_trace(const struct branch_runs *runs, struct error *error);

#endif
