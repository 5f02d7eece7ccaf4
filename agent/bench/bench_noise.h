/* SPDX-License-Identifier: MIT */
/* The ledger of events that spoil a measurement: each is noted only if it came during a measured
 * call, or between the first and the last one of a run. On the CPU that measures, interrupts
 * masked. Thread. */
#ifndef AGENT_BENCH_BENCH_NOISE_H
#define AGENT_BENCH_BENCH_NOISE_H

#include "lib/bench/bench.h"

/* Before the first run of a request: noise becomes empty. */
void bench_noise_begin(struct bench_noise *noise);

/* Around the measured calls of a run (0 or 1). */
void bench_noise_run_begin(void);
void bench_noise_run_end(struct bench_noise *noise, unsigned run);

/* Around one measured call. */
void bench_noise_call_begin(void);
void bench_noise_call_end(struct bench_noise *noise);

#endif
