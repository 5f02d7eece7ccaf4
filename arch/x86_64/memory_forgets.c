/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"
#include "arch/x86_64/pmu/perfmon.h"

#define FEATURES 7U         /* CPUID's leaf */
#define HAS_TME  (1U << 13) /* its ECX */

#define IA32_TME_ACTIVATE 0x982U /* SDM volume 4, table 2-2 */
#define TME_ENABLE        (1U << 1)

/* TME uses a new key after each reset. AMD's counterpart, TSME, is not shown by any register. */
const char *arch_memory_forgets(void)
{
	if (arch_reg_read(CPUID_WORD(0U, CPUID_EAX)) < FEATURES ||
	    !(arch_reg_read(CPUID_WORD(FEATURES, CPUID_ECX)) & HAS_TME) ||
	    !(arch_reg_read(IA32_TME_ACTIVATE) & TME_ENABLE))
		return NULL;
	return "memory encryption (TME) is on";
}
