/* SPDX-License-Identifier: MIT */
/*
 * Separates waiting from work in samples. UEFI code waits in services of the firmware (Stall(),
 * WaitForEvent(), CheckEvent() in a loop) or in a delay function that is linked into the module.
 * The waiting time is charged to the caller. The names of modules and functions are EDK2's. A CPU
 * that bareperf runs is idle if no thread runs on it, or if its thread waits for another thread.
 */
#ifndef HOST_TOOLS_REPORT_UEFI_WAITS_H
#define HOST_TOOLS_REPORT_UEFI_WAITS_H

#include "host-tools/report/symbols/symbols.h"
#include "writer/perfdata/sample.h"

/* The texts are from symbols_find() or constant; equal texts have the same pointer. */
struct wait {
	const char *module;   /* the waiting module; without callers, the module whose code waits */
	const char *function; /* its function; NULL: unknown */
	const char *in;       /* the called service, such as "Stall()" */
};

/* Whether CPUs that bareperf runs are idle in this function. function may be NULL: unknown, so
 * false. */
bool waits_is_idle(const char *function);

/* Whether the sampled code waits; if so, sets *wait. Decides by the callchain, or by the sample's
 * address if it has no callchain. */
bool waits_find(const struct symbols *symbols, const struct sample *sample, struct wait *wait);

/* Set *place to the module and function that a sample is charged to, waiting or working: in is NULL
 * for work, and module "[unknown]" for code outside files. Returns whether it waits. */
bool waits_place(const struct symbols *symbols, const struct sample *sample, struct wait *place);

#endif
