/* SPDX-License-Identifier: MIT */
/* A sample's callchain as addresses that can be looked up. */
#ifndef HOST_TOOLS_REPORT_FRAMES_H
#define HOST_TOOLS_REPORT_FRAMES_H

#include <stdint.h>

#include "host-tools/report/symbols/symbols.h"
#include "writer/perfdata/sample.h"

#define FRAMES_MAX 512U

/* The outermost first; where there is no callchain, the sample's own address alone. Of a caller it
 * is the byte before the one it returns to, which may be the next function's first. Returns how
 * many, at least 1; frames beyond FRAMES_MAX, the outermost, are left out. */
uint32_t frames_of(const struct sample *sample, uint64_t frames[FRAMES_MAX]);

/* The same, to be looked up as they were at the sample's time (symbols_at()). */
uint32_t frames_then(const struct symbols *symbols, const struct sample *sample,
                     uint64_t frames[FRAMES_MAX]);

/* How many of these frames, the outermost first, are bareperf's own above main(), above a thread's
 * function, or above a built-in workload; less than count. Those of a stack without any are
 * somebody else's. */
uint32_t frames_ours(struct symbols *symbols, const uint64_t *frames, uint32_t count);

#endif
