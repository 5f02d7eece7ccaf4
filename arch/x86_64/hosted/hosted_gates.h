/* SPDX-License-Identifier: MIT */
/*
 * Two gates of each interrupt descriptor table that the firmware has loaded lead to us (SDM volume
 * 3A, 6.14.1), and from us to where they led, each table's to its own, for all that is not ours.
 *
 *	2	NMI: our timer, a comparator of the HPET; the performance monitor
 *	13	#GP: an MSR that does not exist, where a driver asks for one
 */
#ifndef ARCH_X86_64_HOSTED_HOSTED_GATES_H
#define ARCH_X86_64_HOSTED_HOSTED_GATES_H

#include <stdint.h>

enum hosted_gate { HOSTED_GP, HOSTED_NMI, HOSTED_GATES };

#define HOSTED_TABLES 8U /* that are kept */

/* Why a table's gates do not lead to us, a phrase: of the first, and of a later one. */
struct hosted_gates_refusal {
	const char *first, *later;
};

/* Have those of the table of this limit at base, loaded now or before, lead to us; selector is of
 * the code that they enter. What has been changed since they did counts as the firmware's. NULL, or
 * why not. Thread. */
const struct hosted_gates_refusal *hosted_gates_take(uint64_t base, uint16_t limit,
                                                     uint16_t selector);

/* Those that are still ours are as they were. Thread; nothing of ours may come. */
void hosted_gates_give_back(void);

/* Where it led in the table at base; 0: it led nowhere. A table that is not known is a copy of the
 * newest. Any context. */
uint64_t hosted_gates_next(enum hosted_gate gate, uint64_t base);

#endif
