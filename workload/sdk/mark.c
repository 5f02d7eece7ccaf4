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

void sdk_mark_calibrate(void)
{
	for (int i = 0; sdk_system->counts_regions && i < TIMES; i++)
		mark_nothing();
}

void sdk_mark_begin(void)
{
	bareperf_marks_here = sdk_system->marks();
	sdk_mark_calibrate();
}
