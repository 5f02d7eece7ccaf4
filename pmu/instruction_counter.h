/* SPDX-License-Identifier: MIT */
/*
 * One counter of retired instructions beside a running firmware: only registers of a counter that
 * nobody uses are changed, and all get their former values back. No overflow interrupt. Each ISA's
 * sources.c names its counter.
 */
#ifndef PMU_INSTRUCTION_COUNTER_H
#define PMU_INSTRUCTION_COUNTER_H

#include <stddef.h>
#include <stdint.h>

struct instruction_counter {
	/* Let a free counter of the calling CPU count the instructions of all levels. *mask: the
	 * bits of its value. NULL; or a phrase: why no counter can, then nothing is changed.
	 * Thread. */
	const char *(*begin)(uint64_t *mask);
	/* The counter's value. Between begin() and end(), on the same CPU. Any context. */
	uint64_t (*read)(void);
	/* Restore the registers. Thread. */
	void (*end)(void);
};

extern const struct instruction_counter *const instruction_counter;

/* instruction_counter->begin(), and a look whether the counter advances. Returns the same. Thread.
 */
static inline const char *instruction_counter_begin(uint64_t *mask)
{
	const char *why = instruction_counter->begin(mask);
	uint64_t before;

	if (why)
		return why;
	before = instruction_counter->read();
	if (instruction_counter->read() != before)
		return NULL;
	instruction_counter->end();
	return "the counter of instructions stands still";
}

#endif
