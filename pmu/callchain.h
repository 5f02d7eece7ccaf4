/* SPDX-License-Identifier: MIT */
#ifndef PMU_CALLCHAIN_H
#define PMU_CALLCHAIN_H

#include "arch/arch.h"

#define CALLCHAIN_MAX 127U /* frames, perf's default sample_max_stack */

/*
 * Write the interrupted code's callchain to ips, newest first, as perf has it:
 * PERF_CONTEXT_USER, the interrupted pc, then return addresses. At most 1 + max_frames
 * entries (max_frames <= CALLCHAIN_MAX, at least 1); returns how many.
 *
 * Follows frame records (System V AMD64 ABI 3.4.1; AAPCS64 6.4.6) only while each lies whole
 * and aligned inside the interrupted stack and above the one before, so any value in the
 * frame pointer is safe: nothing is read that is not our stack. Any context.
 */
unsigned callchain_collect(const struct arch_regs *regs, uint64_t *ips, unsigned max_frames);

#endif
