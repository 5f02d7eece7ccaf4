/* SPDX-License-Identifier: MIT */
#include <bareperf/mark.h>

#include "workload/sdk/sdk.h"

#define TIMES 16 /* several tries, because interrupts disturb some */

/* Measures an empty region: the counted events are the cost of begin and end. bareperf_marks_here
 * is defined elsewhere (tls.c), as it is for the program, so the cost is the same. */
static __attribute__((noinline)) void mark_nothing(void)
{
	bareperf_mark_begin("");
	bareperf_mark_end("");
}

/* Runs inside a region without a name, so that none of this is in the events' totals. */
void sdk_mark_calibrate(void)
{
	if (!sdk_system->counts_regions)
		return;
	bareperf_mark_begin("");
	for (int i = 0; i < TIMES; i++)
		mark_nothing();
	bareperf_mark_end("");
}

void sdk_mark_begin(void)
{
	bareperf_marks_here = sdk_system->marks();
	sdk_mark_calibrate();
}
