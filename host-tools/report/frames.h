/* SPDX-License-Identifier: MIT */
/* A sample's callchain as addresses that can be looked up. */
#ifndef HOST_TOOLS_REPORT_FRAMES_H
#define HOST_TOOLS_REPORT_FRAMES_H

#include <stdint.h>

#include "host-tools/report/symbols/symbols.h"
#include "writer/perfdata/sample.h"

#define FRAMES_MAX 512U

/* Get the addresses of a sample's callchain, the outermost first. Without a callchain, frames has
 * only the sample's own address. A caller's address is the byte before its return address, because
 * the return address may already belong to the next function. If the sample has a call stack
 * (--call-graph lbr), the innermost callers come from it, at the addresses of their calls; the
 * callchain gives the callers further out. Returns the number of frames, at least 1. If the chain
 * is longer than FRAMES_MAX, the outermost frames are left out. */
uint32_t frames_of(const struct sample *sample, uint64_t frames[FRAMES_MAX]);

/* Like frames_of(), but each address is translated by symbols_at() to the sample's time, for a
 * lookup by symbols.h. */
uint32_t frames_then(const struct symbols *symbols, const struct sample *sample,
                     uint64_t frames[FRAMES_MAX]);

/* How many of these frames (the outermost first) are bareperf's own: frames above main(), above a
 * thread's function, or above a built-in workload. The number is less than count. 0 if the stack
 * has no frame of bareperf. */
uint32_t frames_ours(struct symbols *symbols, const uint64_t *frames, uint32_t count);

#endif
