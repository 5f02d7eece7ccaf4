/* SPDX-License-Identifier: MIT */
/*
 * Counts the taken branches of an Intel CPU by two of its counters. The difference to the recorded
 * branches is the number that the trace lost. Not every CPU has these events: a CPU that counts a
 * loop of known length wrong is treated as without them.
 */
#ifndef PMU_X86_INTEL_TAKEN_H
#define PMU_X86_INTEL_TAKEN_H

#include <stdbool.h>
#include <stdint.h>

/* Claim two counters of the calling CPU and try them; exclude: PERF_ATTR_EXCLUDE_* flags. Returns
 * false if no two are free, or if they do not count taken branches. Thread, interrupts masked. */
bool intel_taken_add(uint64_t exclude);
void intel_taken_del(void);

/* start: count from 0. stop: stop; intel_taken_now() then keeps its value. On that CPU, between
 * arch_trace_hold() and arch_trace_release(). */
void intel_taken_start(void);
void intel_taken_stop(void);

/* Taken branches that this CPU has retired since the start, the returns from our handlers
 * included. On that CPU, any context that the counters do not count. */
uint64_t intel_taken_now(void);

/* The far branches among the taken ones, including each return from a handler; a smaller value
 * means that the CPU does not count them. After the stop. */
uint64_t intel_taken_far(void);

#endif
