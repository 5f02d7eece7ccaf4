/* SPDX-License-Identifier: MIT */
/* What this CPU's SPE can do, and an event's attributes as its registers. */
#ifndef PMU_ARM_ARM_SPE_CONFIG_H
#define PMU_ARM_ARM_SPE_CONFIG_H

#include "pmu/pmu.h"

/* On, unless the user says otherwise, as perf has it for a trace of a CPU: without times its
 * samples have none that stock perf could sort. */
#define ARM_SPE_TS_ENABLE (1ULL << 0) /* of attr.config */

struct arm_spe_unit {
	uint64_t version;      /* PMSVer: 1 is v1.0 */
	bool el2;              /* we run at EL2 */
	uint64_t features;     /* PMSIDR_EL1 */
	uint64_t min_interval; /* operations */
	uint64_t max_record;   /* bytes */
	uint64_t align;        /* of a record, bytes */
};

/* As arm_spe_probe() found it; the same on all CPUs. Any context. */
extern struct arm_spe_unit arm_spe_unit;

extern const struct pmu_format arm_spe_formats[];

/* struct pmu's probe() and event_init(). */
int arm_spe_probe(const char **why);
int arm_spe_event_init(struct perf_event *event);

/* Whether the calling CPU's is as the probed one. 0; -ENXIO: it differs, or there is none; -EBUSY:
 * its buffer is not ours. Interrupts masked. */
int arm_spe_check_cpu(void);

/* Filters, interval and its counter into the registers; sampling is off. */
void arm_spe_write_filters(const struct arm_spe_registers *registers);

#endif
