/* SPDX-License-Identifier: MIT */
#include "pmu/x86/x86_assignment.h"

#include "arch/x86_64/pmu/perfmon.h"

/* Fixed counters first: they can serve few other events. */
static unsigned x86_first_of(uint64_t counters)
{
	uint64_t fixed = counters & ~(uint64_t)0 << GLOBAL_FIXED;

	return (unsigned)__builtin_ctzll(fixed ? fixed : counters);
}

static uint64_t x86_free_ones(struct perf_event *const holders[X86_COUNTERS], uint64_t counters)
{
	uint64_t found = 0;

	for (; counters; counters &= counters - 1) {
		if (!holders[__builtin_ctzll(counters)])
			found |= counters & -counters;
	}
	return found;
}

/* Breadth-first search: the counters that can be freed without a move, by one move, by two. */
unsigned x86_find_counter(struct perf_event *const holders[X86_COUNTERS], uint64_t candidates,
                          uint64_t usable, struct x86_way *way)
{
	uint64_t reached = candidates & usable, level = reached;

	while (level) {
		uint64_t next = 0;

		if (x86_free_ones(holders, level))
			return x86_first_of(x86_free_ones(holders, level));
		for (; level; level &= level - 1) {
			unsigned taken = (unsigned)__builtin_ctzll(level);
			uint64_t more = x86_counter_of(holders[taken])->candidates & usable &
			                ~reached;

			reached |= more;
			next |= more;
			for (; more; more &= more - 1)
				way->giver[__builtin_ctzll(more)] = (uint8_t)taken;
		}
		level = next;
	}
	return X86_COUNTERS;
}
