/* SPDX-License-Identifier: MIT */
/*
 * Waiting, told from work: UEFI code waits in services of the firmware's (Stall(), WaitForEvent(),
 * CheckEvent() in a loop) or in a delay that is linked into it, and whoever called them is the one
 * whose time it is. EDK2's names of modules and functions. A CPU of ours that has nothing to do is
 * idle: a program's thread that waits for another, or one that no thread runs on.
 */
#ifndef HOST_TOOLS_REPORT_UEFI_WAITS_H
#define HOST_TOOLS_REPORT_UEFI_WAITS_H

#include "host-tools/report/symbols/symbols.h"
#include "writer/perfdata/sample.h"

/* Texts are symbols_find()'s, or constant, and the same pointers each time. */
struct wait {
	const char *module;   /* the waiting module; without callers, the module whose code waits */
	const char *function; /* its function; NULL: unknown */
	const char *in;       /* the called service, such as "Stall()" */
};

/* Whether this function is where CPUs of ours are idle; NULL: a function that nobody knows. */
bool waits_is_idle(const char *function);

/* Whether a sample was taken of one who waits; *wait is set then. By its callchain, and without one
 * by its own place. */
bool waits_find(const struct symbols *symbols, const struct sample *sample, struct wait *wait);

#endif
