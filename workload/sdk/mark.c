/* SPDX-License-Identifier: MIT */
#include <bareperf/mark.h>

#include "workload/sdk/sdk.h"

#define TIMES 16 /* interrupts come between some */

/* Between these two is nothing: what is counted there is theirs, as it will be in the program, to
 * which bareperf_marks_here is a variable of elsewhere, too (tls.c). */
static __attribute__((noinline)) void mark_nothing(void)
{
	bareperf_mark_begin("");
	bareperf_mark_end("");
}

/* All of it in a region without a name, so that nothing of it is in the events' totals. */
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
