/* SPDX-License-Identifier: MIT */
/*
 * A fixed call tree with known weights. All time is spent in one kind of loop, so a
 * leaf's share of the samples is its share of the iterations:
 *
 *	calltree
 *	├── parse 50 %
 *	│   ├── lex  30 %
 *	│   └── hash 20 %
 *	├── solve 40 %
 *	│   ├── pivot 25 %
 *	│   └── swap  15 %
 *	└── emit  10 %
 */
#include "pmu/clock/clock.h"
#include "workload/workload.h"

#define ITERATIONS_PER_CENT 2000U

/* Each leaf has its own inlined copy of the loop, so that the time belongs to the leaf. */
static inline __attribute__((always_inline)) void spin(unsigned weight)
{
	KEEP_FRAME();
	for (unsigned i = 0; i < weight * ITERATIONS_PER_CENT; i++)
		__asm__ volatile("");
}

#define LEAF                static __attribute__((noinline, noclone))
/* Put after the last call, so that it is no tail call and the caller stays in the callchain. */
#define STAY_ON_THE_STACK() __asm__ volatile("")

LEAF void lex(void)
{
	spin(30);
}

LEAF void hash(void)
{
	spin(20);
}

LEAF void pivot(void)
{
	spin(25);
}

LEAF void swap(void)
{
	spin(15);
}

LEAF void emit(void)
{
	spin(10);
}

LEAF void parse(void)
{
	lex();
	hash();
	STAY_ON_THE_STACK();
}

LEAF void solve(void)
{
	pivot();
	swap();
	STAY_ON_THE_STACK();
}

LEAF int calltree(uint64_t ns)
{
	uint64_t start = clock_now();

	do {
		parse();
		solve();
		emit();
	} while (!workload_time_is_up(start, ns));
	return 0;
}

const struct workload workload_calltree = {
	.usage.name = "calltree",
	.usage.arguments = "[SECONDS]",
	.usage.description =
	    "a fixed call tree: parse 50 % (lex 30, hash 20), solve 40 % (pivot 25, "
	    "swap 15), emit 10 %",
	.usage.standard = 3 * NSEC_PER_SEC,
	.usage.most = 86400 * NSEC_PER_SEC,
	.usage.unit = NSEC_PER_SEC,
	.run = calltree,
};
