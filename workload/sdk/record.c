/* SPDX-License-Identifier: MIT */
#include <bareperf/record.h>

#include "workload/sdk/sdk.h"

int bareperf_record_start(void)
{
	int code = sdk_system->record(1);

	sdk_mark_calibrate();
	return code;
}

int bareperf_record_stop(void)
{
	return sdk_system->record(0);
}
