/* SPDX-License-Identifier: MIT */
/* What Intel's performance monitor of this CPU is, and an event's attributes as its register. */
#ifndef PMU_INTEL_PMU_CONFIG_H
#define PMU_INTEL_PMU_CONFIG_H

#include "pmu/pmu.h"

struct intel_unit {
	unsigned version, general, fixed;
	uint64_t general_mask, fixed_mask; /* of a counter's value */
	uint32_t missing;                  /* architectural events, a bit each */
};

/* As intel_pmu_probe() found it; the same on all CPUs, as far as we ask. Any context. */
const struct intel_unit *intel_unit(void);

extern const struct pmu_format intel_pmu_formats[];

/* struct pmu's probe() and event_init(). */
int intel_pmu_probe(const char **why);
int intel_pmu_event_init(struct perf_event *event);

/* The fixed counter that counts this value of PERFEVTSEL, + 1; 0: none. It counts an architectural
 * event as it is, with no other condition. */
unsigned intel_pmu_fixed(uint64_t select);

/* The first register by which general counters are written. Not asked by probe(), which comes
 * before MSRs may be read. Thread. */
uint32_t intel_pmu_write_register(void);

#endif
