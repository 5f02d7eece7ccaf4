/* SPDX-License-Identifier: MIT */
/*
 * A hardware watchdog that the firmware has left running, served while the machine is ours: whoever
 * looks after the machine at the time calls, as the tick of a recording, also where a CPU stands
 * still, and the loop that waits for commands.
 */
#ifndef LIB_WATCHDOG_H
#define LIB_WATCHDOG_H

#include "arch/platform.h"

/* Have its registers mapped, if it is known how it is served, and kept for good. Boot services
 * only. Thread. */
void watchdog_init(const struct arch_platform *platform);

/* Whether there is one that is served as long as it counts; of which that is not known, always. */
bool watchdog_is_served(void);

enum watchdog_state { WATCHDOG_UNKNOWN, WATCHDOG_STOPPED, WATCHDOG_COUNTS };

/* Read whether the platform's watchdog counts now. WATCHDOG_UNKNOWN: its table does not say how
 * that is read, or by a register in memory, which the firmware's page tables need not have. After
 * watchdog_init(). Thread. */
enum watchdog_state watchdog_state(const struct arch_platform *platform);

/* When it is served again, as clock_steady() has it, so that a tick need not ask; UINT64_MAX:
 * never. */
extern uint64_t watchdog_due;

/* Have its time begin anew, if it runs, and 100 ms have passed since the last time: now is
 * clock_steady(). One CPU at a time. Any context, with page tables of ours. */
void watchdog_serve(uint64_t now);

#endif
