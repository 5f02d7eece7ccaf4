/* SPDX-License-Identifier: MIT */
/*
 * Hosted mode: the firmware keeps running, with boot services, and is recorded together with the
 * code that uses them (docs/uefi.md). Replaces memory_prepare() and the take-over.
 */
#ifndef LIB_HOSTED_H
#define LIB_HOSTED_H

#include "arch/arch.h"

/* Allocate a heap, and claim a timer. Returns 0; -ENOMEM; arch_hosted_begin()'s errors. On an error
 * *why is a phrase if the missing ability of the machine is known, else NULL. The console reports
 * the parts that a recording will miss. Boot services only, as below. Thread. */
int hosted_begin(const struct arch_platform *platform, const char **why);

/* Give everything but memory back to the firmware. */
void hosted_end(void);

/* Report on the console which parts are missed as well, as found since. Thread. */
void hosted_report_more(void);

/* The code that is not sampled in time, as a phrase, also after the recording; NULL: none, or no
 * firmware was recorded. */
const char *hosted_misses(void);

#endif
