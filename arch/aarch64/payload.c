/* SPDX-License-Identifier: MIT */
/* Runs the payload: at EL1 below our EL2, or as a plain function call. */
#include "arch/aarch64/pmu/step.h"
#include "arch/aarch64/sysreg.h"
#include "arch/aarch64/takeover.h"

int64_t arm_payload_run(int (*fn)(void *arg), void *arg); /* payload.S */

int arch_call_payload(int (*fn)(void *arg), void *arg)
{
	uint64_t masks = read_sysreg(daif);
	int code;

	if (arm_machine.hosted)
		return fn(arg);
	if (arm_machine.el == 2) {
		arm_step_forget();
		return (int)arm_payload_run(fn, arg);
	}
	code = fn(arg);
	write_sysreg(daif, masks); /* in case the payload has masked interrupts */
	return code;
}

/* Entered at EL1, bareperf runs at EL1, next to the payload. In hosted mode the traced code is the
 * firmware, at the level where it entered bareperf. */
unsigned arch_levels(void)
{
	if (arm_machine.hosted)
		return arm_machine.el == 2 ? ARCH_LEVEL_HYPERVISOR : ARCH_LEVEL_KERNEL;
	return ARCH_LEVEL_KERNEL | (arm_machine.el == 2 ? ARCH_LEVEL_HYPERVISOR : 0);
}
