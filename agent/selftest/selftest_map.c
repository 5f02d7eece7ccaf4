/* SPDX-License-Identifier: MIT */
/* A cache line's round trips between two CPUs. */
#include "agent/selftest/selftest_survey.h"
#include "arch/arch.h"
#include "lib/survey/survey_machine.h"
#include "pmu/clock/clock.h"

#define GOODBYE UINT64_MAX
/* looks at the line before the CPU pauses, so that an emulator can run another CPU */
#define LOOKS   4096U
#define PAIR_NS 20000000U /* no new batch of a pair after this time */

/*
 *	CPU a				CPU b
 *	store word = 2n + 1	──▶	load word
 *	load word		◀──	store word = 2n + 2
 *
 * The word is alone in its line, and in the lines beside it that a CPU may fetch too.
 */
static struct {
	_Alignas(256) uint64_t word;
	_Alignas(256) unsigned rounds;
	unsigned batches, done, looks;
	uint64_t *cycles;
} line;

/* Wait for the line to hold value. Returns false if it holds GOODBYE. A relaxing instruction takes
 * as long as a round trip on some CPUs, so it is used only after many looks. */
static bool map_await(uint64_t value)
{
	for (unsigned looks = 0;; looks++) {
		uint64_t seen = __atomic_load_n(&line.word, __ATOMIC_ACQUIRE);

		if (seen == value || seen == GOODBYE)
			return seen == value;
		if (looks >= line.looks)
			arch_relax();
	}
}

static void map_answer(void *unused)
{
	(void)unused;
	for (uint64_t next = 1; map_await(next); next += 2)
		__atomic_store_n(&line.word, next + 1, __ATOMIC_RELEASE);
}

static uint64_t map_send(uint64_t next, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++, next += 2) {
		__atomic_store_n(&line.word, next, __ATOMIC_RELEASE);
		map_await(next + 1);
	}
	return next;
}

static void map_ask(void *unused)
{
	uint64_t limit = arch_cycles() + clock_span_to_cycles(&machine_clock, PAIR_NS);
	/* the first round trip ends when the other CPU has started */
	uint64_t next = map_send(1, 1);

	(void)unused;
	for (line.done = 0; line.done < line.batches; line.done++) {
		uint64_t start = arch_cycles_in_order();

		if (line.done && start > limit)
			break;
		next = map_send(next, line.rounds);
		line.cycles[line.done] = arch_cycles_in_order() - start;
	}
	__atomic_store_n(&line.word, GOODBYE, __ATOMIC_RELEASE);
}

/* The operation of struct survey_machine; the boot CPU may be a. */
unsigned selftest_round_trips(unsigned a, unsigned b, unsigned rounds, uint64_t *cycles,
                              unsigned batches)
{
	line.word = 0;
	line.rounds = rounds;
	line.batches = batches;
	line.done = 0;
	line.looks = selftest_is_emulated() ? 0 : LOOKS;
	line.cycles = cycles;
	if (arch_cpu_run(b, map_answer, NULL))
		return 0;
	if (a == arch_cpu())
		map_ask(NULL);
	else if (arch_cpu_run(a, map_ask, NULL))
		__atomic_store_n(&line.word, GOODBYE, __ATOMIC_RELEASE);
	while ((a != arch_cpu() && !arch_cpu_idle(a)) || !arch_cpu_idle(b))
		arch_relax();
	return line.done;
}
