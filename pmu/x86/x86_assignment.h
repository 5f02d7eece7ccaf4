/* SPDX-License-Identifier: MIT */
/*
 * Assigns counters to events when counters are not alike: a fixed counter counts only one event. It
 * searches for an augmenting path, so an event is refused only if no assignment has room for it and
 * for all events that have a counter.
 */
#ifndef PMU_X86_X86_ASSIGNMENT_H
#define PMU_X86_X86_ASSIGNMENT_H

#include "pmu/x86/x86_counters.h"

#define X86_COUNTERS 64U /* bits of the global registers */

/* The necessary moves: the event on counter giver[c] moves to counter c. */
struct x86_way {
	uint8_t giver[X86_COUNTERS];
};

/*
 * Find a counter for an event with these candidates, out of the usable counters. Returns it, or
 * X86_COUNTERS if there is none. If it is no candidate, then the event on way->giver[it] moves to
 * it, and so on, until the counter that becomes free is a candidate. As few events as possible
 * move. holders: the event of each counter with its own candidates; NULL: the counter is free.
 * Bounded; any context.
 */
unsigned x86_find_counter(struct perf_event *const holders[X86_COUNTERS], uint64_t candidates,
                          uint64_t usable, struct x86_way *way);

#endif
