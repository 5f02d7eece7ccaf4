/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/steal.h"

#define ARCH_FEATURES    0x80000001U /* DEN0028, 7.3 */
#define PV_TIME_FEATURES 0xc5000020U /* DEN0057, 3.1 */
#define PV_TIME_ST       0xc5000021U /* 3.2 */

#define ALIGNMENT 64U /* of a report */

uint64_t steal_find(steal_call_fn call)
{
	int64_t address;

	if ((int32_t)call(ARCH_FEATURES, PV_TIME_FEATURES) < 0 ||
	    call(PV_TIME_FEATURES, PV_TIME_ST) != 0)
		return 0;
	address = call(PV_TIME_ST, 0);
	return address <= 0 || address % ALIGNMENT ? 0 : (uint64_t)address;
}

bool steal_is_known(const volatile struct steal_report *report)
{
	return report->revision == 0 && report->attributes == 0;
}
