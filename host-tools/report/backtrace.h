/* SPDX-License-Identifier: MIT */
/* Where a program was when it ended badly, as a debugger shows it. Thread: the one that made the
 * symbols. */
#ifndef HOST_TOOLS_REPORT_BACKTRACE_H
#define HOST_TOOLS_REPORT_BACKTRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "host-tools/report/symbols/symbols.h"

/* Print "#0 function FILE:12" for each of count addresses (at most FRAMES_MAX), the innermost
 * first, then return addresses; what is inlined there has lines of its own, "leaf (inlined)". all:
 * those above main(), too (frames_ours()). */
void backtrace_print(struct symbols *symbols, const uint64_t *addresses, uint32_t count, bool all,
                     FILE *out);

#endif
