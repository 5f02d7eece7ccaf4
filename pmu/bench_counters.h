/* SPDX-License-Identifier: MIT */
/*
 * Counters for microbenchmarks: they are set directly, without perf's events, so that generated
 * code reads them with its own instructions. No overflow interrupt, no rotation: the caller uses
 * at most as many counters as the CPU has. No recording may run meanwhile. Each ISA's sources.c
 * names its counters.
 */
#ifndef PMU_BENCH_COUNTERS_H
#define PMU_BENCH_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

enum bench_unit_vendor { BENCH_UNIT_NONE, BENCH_UNIT_INTEL, BENCH_UNIT_AMD, BENCH_UNIT_ARM };

/* The counters of the calling CPU. */
struct bench_unit {
	enum bench_unit_vendor vendor;
	unsigned general; /* number of general counters */
	uint32_t fixed;   /* fixed counters, one bit each; Arm: bit 0, the cycle counter */
	uint64_t general_mask, fixed_mask; /* the bits of a counter's value */
	bool aperf;                        /* the CPU has MPERF and APERF */
	bool freezes;                      /* the counters do not count in system management mode */
	bool froze;                        /* so they did before start() too */
	bool gates;                        /* gate(), arm() and read() are there */
};

/* A counter's task. */
struct bench_task {
	bool fixed;
	unsigned index;
	uint64_t config; /* of a general counter: its event, without enable bits */
};

struct bench_counters {
	/* The calling CPU's counters; none: general and fixed are 0. Any context. */
	void (*look)(struct bench_unit *unit);
	/* Stop all counters, set these to 0 and let them count at all levels; user: at the user
	 * level alone. The counters are the unit's. Interrupts masked. */
	void (*start)(const struct bench_unit *unit, const struct bench_task *tasks, unsigned count,
	              bool user);
	/* Stop all counters. Interrupts masked. */
	void (*stop)(const struct bench_unit *unit);
	/* For counters that freeze at a chosen core cycle (Intel's FREEZE_PERFMON_ON_PMI). gate():
	 * as start(), but they count only while the register *reg has the returned value; the core
	 * cycles are counted too. arm(): before each run, with *reg 0: all counters are 0, and
	 * freeze when the core cycles have overflowed after `cycle` cycles. read(): a counter's
	 * count since arm() with the same cycle. Interrupts masked. */
	uint64_t (*gate)(const struct bench_unit *unit, const struct bench_task *tasks,
	                 unsigned count, bool user, uint32_t *reg);
	void (*arm)(const struct bench_unit *unit, uint32_t cycle);
	uint64_t (*read)(const struct bench_unit *unit, const struct bench_task *task,
	                 uint32_t cycle);
	/* The selector by which generated code reads a counter (arch/bench.h). Any context. */
	uint32_t (*selector)(const struct bench_task *task);
};

extern const struct bench_counters *const bench_counters;

#endif
