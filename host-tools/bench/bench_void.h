/* SPDX-License-Identifier: MIT */
/* Which figures are void because of the machine's noise, and why. */
#ifndef HOST_TOOLS_BENCH_BENCH_VOID_H
#define HOST_TOOLS_BENCH_BENCH_VOID_H

#include "lib/bench/bench.h"

/* Reasons, a bit each. */
enum {
	BENCH_VOID_SMIS = 1 << 0,
	BENCH_VOID_INTERRUPTS = 1 << 1,
	BENCH_VOID_STOLEN = 1 << 2,
	BENCH_VOID_CHECKS = 1 << 3,
	BENCH_VOID_THROTTLED = 1 << 4,
	BENCH_VOID_FREQUENCY = 1 << 5,
};
#define BENCH_VOIDS 6U

/* The reasons why the figure of this counter is void; 0: it is good. Pure. */
unsigned bench_void(const struct bench_noise *noise, const struct bench_counter *counter);

/* The name of reason number i, for JSON. */
const char *bench_void_name(unsigned i);

#endif
