/* SPDX-License-Identifier: MIT */
/* Intel's performance monitor as a CPU's CPUID describes it. */
#ifndef PMU_X86_INTEL_FEATURES_H
#define PMU_X86_INTEL_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#define INTEL_FIXED_MOST 16U /* fixed counters that we use */

/* The monitor of one CPU. */
struct intel_features {
	unsigned version, general;
	uint64_t general_mask, fixed_mask; /* of a counter's value */
	uint32_t fixed;                    /* fixed counters, a bit each */
	uint32_t missing;                  /* architectural events, a bit each */
	uint32_t type;                     /* CPUID_CORE_TYPE_*; 0: all CPUs are alike */
	bool any;                          /* PERFEVTSEL has the ANY bit */
};

/* The features that the calling CPU reports. CPUID only, so it may run before MSRs may be read. */
struct intel_features intel_features_look(void);

/* A word of CPUID: reg is CPUID_WORD(). */
uint32_t intel_features_word(uint32_t reg);

/* CPUID_CORE_TYPE_*; 0: all CPUs are alike. */
uint32_t intel_features_core_type(void);

#endif
