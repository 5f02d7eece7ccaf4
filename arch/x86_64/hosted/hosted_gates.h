/* SPDX-License-Identifier: MIT */
/*
 * Two gates of each interrupt descriptor table that the firmware has loaded lead to us (SDM volume
 * 3A, 6.14.1). An exception that is not ours is passed on to the former target of the gate in its
 * table.
 *
 *	2	NMI: our timer, a comparator of the HPET; the performance monitor
 *	13	#GP: an MSR that does not exist, where a driver asks for one
 */
#ifndef ARCH_X86_64_HOSTED_HOSTED_GATES_H
#define ARCH_X86_64_HOSTED_HOSTED_GATES_H

#include <stdint.h>

enum hosted_gate { HOSTED_GP, HOSTED_NMI, HOSTED_GATES };

#define HOSTED_TABLES 8U /* the most tables that are remembered */

/* Why a table's gates cannot lead to us, a phrase: for the first table, and for a later one. */
struct hosted_gates_refusal {
	const char *first, *later;
};

/* Make the gates of the table at base with this limit lead to us; the table is loaded now or was
 * before. selector is the code segment that they enter. A gate that was changed since then counts
 * as the firmware's new value. Returns NULL, or the reason why not. Thread. */
const struct hosted_gates_refusal *hosted_gates_take(uint64_t base, uint16_t limit,
                                                     uint16_t selector);

/* Restore all gates that are still ours. Thread; no interrupt of ours may come. */
void hosted_gates_give_back(void);

/* The former target of the gate in the table at base; 0: none. A table that is not known is taken
 * for a copy of the newest. Any context. */
uint64_t hosted_gates_next(enum hosted_gate gate, uint64_t base);

#endif
