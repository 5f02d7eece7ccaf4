# SPDX-License-Identifier: MIT
"""What a mark costs, its call included: C for a program that measures it under -icount, and what that
says."""

import re

import machine

# The least of many turns: ticks, samples and other CPUs come between some. To be put in front of main().
SOURCE = r"""
#include <bareperf/clock.h>
#include <bareperf/mark.h>
#include <stdio.h>

#define BATCH 16
#define BATCHES 80

static uint64_t cost_of(int values)
{
	uint64_t least = ~0ULL;

	for (int turn = 0; turn < BATCHES; turn++) {
		uint64_t from = bareperf_clock(), to;

		for (unsigned i = 0; i < BATCH; i++) {
			__asm__ volatile("" : : : "memory");
			if (values == 0)
				bareperf_mark("eleven char");
			if (values == 2)
				bareperf_mark("two %u %lu", i, (unsigned long)from);
		}
		to = bareperf_clock();
		least = to - from < least ? to - from : least;
	}
	return least;
}

static void print_cost(void)
{
	uint64_t nothing = cost_of(-1), plain = cost_of(0), values = cost_of(2);

	printf("cost %lu %lu\n", (plain - nothing) / BATCH, (values - nothing) / BATCH);
}
"""


def instructions(text):
    """{"plain": of one without values, "values": of one with two}; None: the program did not say."""
    cost = re.search(r"^cost (\d+) (\d+)$", text, re.MULTILINE)
    return cost and {kind: int(ns) / machine.EXACT_NS for kind, ns in zip(("plain", "values"), cost.groups())}
