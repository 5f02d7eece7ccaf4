/* SPDX-License-Identifier: MIT */
#include <bareperf/record.h>

#include "workload/sdk/sdk.h"

int bareperf_record_start(void)
{
	return sdk_system->record(1);
}

int bareperf_record_stop(void)
{
	return sdk_system->record(0);
}
