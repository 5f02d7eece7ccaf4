/* SPDX-License-Identifier: MIT */
/*
 * Which counter an event gets where counters are not alike: fixed ones count one event each. An
 * augmenting path, so that an event is turned away only when no distribution has room for it and
 * all that have a counter.
 */
#ifndef PMU_X86_X86_ASSIGNMENT_H
#define PMU_X86_X86_ASSIGNMENT_H

#include "pmu/x86/x86_counters.h"

#define X86_COUNTERS 64U /* bits of the global registers */

/* The necessary moves: giver[c] is the counter whose holder goes to counter c. */
struct x86_way {
	uint8_t giver[X86_COUNTERS];
};

/*
 * A free one of the usable counters, or X86_COUNTERS. If it is none of the candidates, then way's
 * giver of it is to move there, and so on until what is freed is a candidate; as few as possible
 * move. holders: by counter, NULL where it is free, each with its candidates. Bounded; any
 * context.
 */
unsigned x86_find_counter(struct perf_event *const holders[X86_COUNTERS], uint64_t candidates,
                          uint64_t usable, struct x86_way *way);

#endif
