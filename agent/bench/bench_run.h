/* SPDX-License-Identifier: MIT */
/* Runs a snippet and measures it. */
#ifndef AGENT_BENCH_BENCH_RUN_H
#define AGENT_BENCH_BENCH_RUN_H

#include "lib/bench/bench.h"

/* Describe this machine for the host. Thread. */
void bench_run_describe(struct bench_hardware *hardware);

/* Carry out a checked request: the values go to result->values, which has room for BENCH_VALUES. An
 * exception of the snippet ends the run. Returns result->status, a negative errno with
 * result->text. bench_memory() is there. Thread, interrupts as they were afterwards. */
int bench_run(const struct bench_request *request, struct bench_result *result);

#endif
