/* SPDX-License-Identifier: MIT */
#include "pmu/x86/intel_features.h"

#include "arch/arch.h"
#include "arch/x86_64/pmu/perfmon.h"

static uint32_t intel_features_field(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((1U << bits) - 1);
}

static uint64_t intel_features_mask_of(unsigned width)
{
	return width && width < 64 ? (1ULL << width) - 1 : UINT32_MAX;
}

uint32_t intel_features_word(uint32_t reg)
{
	return (uint32_t)arch_reg_read(reg);
}

/* From version 5 on a bit mask reports the fixed counters, in addition to the number of the first
 * ones. */
static uint32_t intel_features_fixed(unsigned version)
{
	uint32_t edx = intel_features_word(CPUID_WORD(CPUID_PERFMON, CPUID_EDX));
	uint32_t mask = (1U << intel_features_field(edx, CPUID_PERFMON_FIXED, 5)) - 1;

	if (version >= 5)
		mask |= intel_features_word(CPUID_WORD(CPUID_PERFMON, CPUID_ECX));
	return version >= 2 ? mask & ((1U << INTEL_FIXED_MOST) - 1) : 0;
}

uint32_t intel_features_core_type(void)
{
	uint32_t edx = intel_features_word(CPUID_WORD(CPUID_STRUCTURED, CPUID_EDX));

	if (!(edx & CPUID_STRUCTURED_HYBRID))
		return 0;
	return intel_features_field(intel_features_word(CPUID_WORD(CPUID_CORE, CPUID_EAX)),
	                            CPUID_CORE_TYPE, 8);
}

struct intel_features intel_features_look(void)
{
	uint32_t eax = intel_features_word(CPUID_WORD(CPUID_PERFMON, CPUID_EAX));
	uint32_t ebx = intel_features_word(CPUID_WORD(CPUID_PERFMON, CPUID_EBX));
	uint32_t edx = intel_features_word(CPUID_WORD(CPUID_PERFMON, CPUID_EDX));
	unsigned events = intel_features_field(eax, CPUID_PERFMON_EVENTS, 8);
	unsigned version = intel_features_field(eax, CPUID_PERFMON_VERSION, 8);
	unsigned general = intel_features_field(eax, CPUID_PERFMON_COUNTERS, 8);

	return (struct intel_features){
		.version = version,
		.general = general < GLOBAL_FIXED ? general : GLOBAL_FIXED,
		.general_mask =
		    intel_features_mask_of(intel_features_field(eax, CPUID_PERFMON_WIDTH, 8)),
		.fixed = intel_features_fixed(version),
		.fixed_mask =
		    intel_features_mask_of(intel_features_field(edx, CPUID_PERFMON_FIXED_WIDTH, 8)),
		.missing = events < 32 ? ebx | ~((1U << events) - 1) : ebx,
		.type = intel_features_core_type(),
		.any = version >= 3 && !(edx & CPUID_PERFMON_ANY_GONE),
	};
}
