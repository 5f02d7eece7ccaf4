/* SPDX-License-Identifier: MIT */
/*
 * How many branches a CPU of Intel's has taken, by two of its counters: what a branch trace lost
 * is what it did not record of these. Not every CPU has the events; one that counts a loop of
 * known length wrong has not.
 */
#ifndef PMU_X86_INTEL_TAKEN_H
#define PMU_X86_INTEL_TAKEN_H

#include <stdbool.h>
#include <stdint.h>

/* Claim two counters of the calling CPU and try them; exclude: PERF_ATTR_EXCLUDE_* flags. False if
 * there are none free or they do not count taken branches. Thread, interrupts masked. */
bool intel_taken_add(uint64_t exclude);
void intel_taken_del(void);

/* Count from 0; stop, with intel_taken_now() as it is then. On that CPU, between arch_trace_hold()
 * and arch_trace_release(). */
void intel_taken_start(void);
void intel_taken_stop(void);

/* Taken branches that this CPU has retired since the start, the returns from our handlers
 * included. On that CPU, any context that the counters do not count. */
uint64_t intel_taken_now(void);

/* Of these, far ones: at least one for each return from a handler, or the CPU does not count them.
 * After the stop. */
uint64_t intel_taken_far(void);

#endif
