# SPDX-License-Identifier: MIT
"""The cost of a mark, its call included: C code for a program that measures it under -icount, and
the program's results."""

import re

import machine
import tap

# The minimum of many turns, because ticks, samples and other CPUs interrupt some of them. Put this
# text before main().
SOURCE = r"""
#include <bareperf/clock.h>
#include <bareperf/mark.h>
#include <stdio.h>

#define BATCH 16
#define BATCHES 32

#define LEAST_OF(mark)                                                   \
	({                                                               \
		uint64_t least = ~0ULL, from, to;                        \
                                                                         \
		for (int turn = 0; turn < BATCHES; turn++) {             \
			from = bareperf_clock();                         \
			for (unsigned i = 0; i < BATCH; i++) {           \
				__asm__ volatile("" : : "r"(i) : "memory"); \
				mark;                                    \
			}                                                \
			to = bareperf_clock();                           \
			least = to - from < least ? to - from : least;   \
		}                                                        \
		least;                                                   \
	})

static __attribute__((noinline)) void print_cost(void)
{
	uint64_t nothing = LEAST_OF((void)0), kinds[] = {
		LEAST_OF(bareperf_mark("eleven char")),
		LEAST_OF(bareperf_mark("nineteen characters")),
		LEAST_OF(bareperf_mark("thirty characters, as some say")),
		LEAST_OF(bareperf_mark("one %u", i)),
		LEAST_OF(bareperf_mark("two %u %lu", i, (unsigned long)from)),
		LEAST_OF(bareperf_mark("3 %u %u %u", i, i, i)),
		LEAST_OF(bareperf_mark("4 %x %x %x %x", i, i, i, i)),
	};

	printf("cost");
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		printf(" %lu", (kinds[i] - nothing) / BATCH);
	printf("\n");
}
"""
MOST = {"plain": 100, "nineteen": 100, "thirty": 140, "value": 100, "values": 100, "three": 110,
        "four": 120}  # as SOURCE has them
FROZEN = 600  # any number; for machines whose clock may be frozen
# the first words of those marks' texts
WORDS = ("eleven ", "nineteen ", "thirty ", "one ", "two ", "3 ", "4 ")


def instructions(text):
    """The cost by kind: "plain" is a text of 11 characters; then longer texts; then texts with one,
    two, three and four values. None: the program printed no result."""
    cost = re.search(r"^cost((?: \d+)+)$", text, re.MULTILINE)
    return cost and {kind: int(ns) / machine.EXACT_NS for kind, ns in zip(MOST, cost.group(1).split())}


def check(isa, text, frozen=False):
    """No mark costs more than documented."""
    cost = instructions(text)
    if tap.ok(cost, f"{isa}: it says what marks cost", text):
        tap.note(f"{isa}: instructions a mark: {cost}")
        for kind, most in MOST.items():
            most = FROZEN if frozen else most
            tap.ok(0 < cost[kind] <= most, f"{isa}: a mark ({kind}) takes at most {most} instructions",
                   cost)
