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

/* Whether there is one that is served as long as it runs. */
bool watchdog_is_served(void);

/* When it is served again, as clock_steady() has it, so that a tick need not ask; UINT64_MAX:
 * never. */
extern uint64_t watchdog_due;

/* Have its time begin anew, if it runs, and 100 ms have passed since the last time: now is
 * clock_steady(). One CPU at a time. Any context, with page tables of ours. */
void watchdog_serve(uint64_t now);

#endif
