/* SPDX-License-Identifier: MIT */
/*
 * Serves a hardware watchdog that the firmware has left running, while the machine is taken over.
 * It is called by the tick of a recording, by the loop of a CPU that stalls for room, and by the
 * loop that waits for commands.
 */
#ifndef LIB_WATCHDOG_H
#define LIB_WATCHDOG_H

#include "arch/platform.h"

/* Map its registers, if it is known how to serve it; platform is kept by reference. Boot services
 * only. Thread. */
void watchdog_init(const struct arch_platform *platform);

/* Whether there is a watchdog that is served while it counts; if its state cannot be read, it is
 * always served. */
bool watchdog_is_served(void);

enum watchdog_state { WATCHDOG_UNKNOWN, WATCHDOG_STOPPED, WATCHDOG_COUNTS };

/* Read whether the platform's watchdog counts now. WATCHDOG_UNKNOWN: its table does not say how to
 * read that, or the register is in memory, which the firmware's page tables may not map. After
 * watchdog_init(). Thread. */
enum watchdog_state watchdog_state(const struct arch_platform *platform);

/* When it is served next, in clock_steady()'s time, so that a tick need not call; UINT64_MAX:
 * never. */
extern uint64_t watchdog_due;

/* Restart its time if it counts and 100 ms have passed since the last restart; now is
 * clock_steady(). One CPU at a time. Any context, with our page tables. */
void watchdog_serve(uint64_t now);

#endif
