/* SPDX-License-Identifier: MIT */
/* The call stack of a program that crashed, printed as a debugger prints it. Thread: the thread
 * that created the symbols. */
#ifndef HOST_TOOLS_REPORT_BACKTRACE_H
#define HOST_TOOLS_REPORT_BACKTRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "host-tools/report/symbols/symbols.h"

/* Print "#0 function FILE:12" for each of count addresses (at most FRAMES_MAX): first the innermost
 * address, then the return addresses. Each function that is inlined at an address has a line of its
 * own, "leaf (inlined)". all: print the frames above main(), too (frames_ours()). */
void backtrace_print(struct symbols *symbols, const uint64_t *addresses, uint32_t count, bool all,
                     FILE *out);

#endif
