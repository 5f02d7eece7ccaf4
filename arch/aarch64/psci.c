/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/psci.h"

#include <errno.h>

/* DEN0022, 5.1: function identifiers */
#define PSCI_CPU_OFF       0x84000002UL
#define PSCI_CPU_ON        0xc4000003UL
#define PSCI_AFFINITY_INFO 0xc4000004UL
#define AFFINITY_OFF       1

static bool available, by_hvc;

void psci_init(const struct arch_platform *platform, unsigned el)
{
	available = platform->psci;
	by_hvc = platform->psci_hvc && el == 1;
}

bool psci_available(void)
{
	return available;
}

struct smccc_result psci_smccc(bool hvc, uint64_t function, const uint64_t arguments[3])
{
	register uint64_t x0 asm("x0") = function;
	register uint64_t x1 asm("x1") = arguments[0];
	register uint64_t x2 asm("x2") = arguments[1];
	register uint64_t x3 asm("x3") = arguments[2];

#define CALL(instruction)                                                                     \
	asm volatile(instruction                                                              \
	             : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)                                 \
	             :                                                                        \
	             : "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", \
	               "x15", "x16", "x17", "memory")
	if (hvc)
		CALL("hvc #0");
	else
		CALL("smc #0");
#undef CALL
	return (struct smccc_result){ { x0, x1, x2, x3 } };
}

static int64_t psci_call(uint64_t function, uint64_t arg1, uint64_t arg2, uint64_t arg3)
{
	const uint64_t arguments[3] = { arg1, arg2, arg3 };

	return (int64_t)psci_smccc(by_hvc, function, arguments).x[0];
}

int psci_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context)
{
	return (int32_t)psci_call(PSCI_CPU_ON, mpidr, entry, context) ? -EIO : 0;
}

bool psci_cpu_is_off(uint64_t mpidr)
{
	return (int32_t)psci_call(PSCI_AFFINITY_INFO, mpidr, 0, 0) == AFFINITY_OFF;
}

void psci_cpu_off(void)
{
	psci_call(PSCI_CPU_OFF, 0, 0, 0);
}
