/* SPDX-License-Identifier: MIT */
/* IA32_DS_AREA has one user at a time: the branch trace store or PEBS
 * (docs/decisions/0008-one-user-of-the-debug-store.md). */
#ifndef PMU_X86_DEBUG_STORE_H
#define PMU_X86_DEBUG_STORE_H

#include <stdbool.h>

enum debug_store_user {
	DEBUG_STORE_FREE,
	DEBUG_STORE_BTS,
	DEBUG_STORE_PEBS,
};

/* Take this CPU's debug store. Returns false if it is taken. The other: give it back. Interrupts
 * masked. */
bool debug_store_take(unsigned cpu, enum debug_store_user user);
void debug_store_leave(unsigned cpu);

#endif
