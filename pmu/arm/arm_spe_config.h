/* SPDX-License-Identifier: MIT */
/* The abilities of this CPU's SPE, and an event's attributes as its registers. */
#ifndef PMU_ARM_ARM_SPE_CONFIG_H
#define PMU_ARM_ARM_SPE_CONFIG_H

#include "pmu/pmu.h"

/* Set unless the user clears it, as perf does for a per-CPU trace: without timestamps stock perf
 * could not sort the samples. */
#define ARM_SPE_TS_ENABLE (1ULL << 0) /* bits of attr.config */

struct arm_spe_unit {
	uint64_t version;      /* PMSVer: 1 is v1.0 */
	bool el2;              /* we run at EL2 */
	uint64_t features;     /* PMSIDR_EL1 */
	uint64_t min_interval; /* operations */
	uint64_t max_record;   /* bytes */
	uint64_t align;        /* alignment of a record, bytes */
};

/* An event's choices as values of Arm's SPE registers. */
struct arm_spe_registers {
	uint64_t pmscr_el1, pmscr_el2, pmsfcr, pmsevfr, pmsnevfr, pmsdsfr, pmslatfr, pmsirr;
	bool discard; /* samples are taken, but no records are written */
};

#define ARM_SPE_COUNTS 4U

/* The counters of the core PMU that count for it; arm_spe_counts.c. */
struct arm_spe_counts {
	struct {
		unsigned counter; /* ARM_PMUV3_NONE: not counted */
		uint64_t value;   /* when it was last read */
	} each[ARM_SPE_COUNTS];
	uint64_t population; /* before the last start */
};

/* The driver's data for an event. */
struct hw_arm_spe {
	struct arm_spe_registers registers;
	uint64_t area;                 /* the AUX area's address */
	struct ring_aux_output output; /* the transaction, while handed_over */
	uint64_t limit;                /* position in the AUX area where the hardware stops */
	uint64_t flags;                /* flags for the next AUX record */
	uint64_t context;              /* CONTEXTIDR_EL1's value before we started */
	uint64_t seen;                 /* PMBSR_EL1, by a handler without a buffer */
	struct arm_spe_counts counts;
	unsigned faults;  /* faults in a row */
	bool running;     /* between start and stop */
	bool handed_over; /* the hardware may write to a piece of the area */
};
EVENT_HW(struct hw_arm_spe, arm_spe_of)

/* The SPE that arm_spe_probe() found; the same on all CPUs. Any context. */
extern struct arm_spe_unit arm_spe_unit;

extern const struct pmu_format arm_spe_formats[];

/* struct pmu's probe() and event_init(). */
int arm_spe_probe(const char **why);
int arm_spe_event_init(struct perf_event *event);

/* Whether the calling CPU's SPE equals the probed one. Returns 0; -ENXIO: it differs, or the CPU
 * has none; -EBUSY: a higher exception level owns its buffer. Interrupts masked. */
int arm_spe_check_cpu(void);

/* Write the filters, the interval and the interval counter to the registers; sampling is off. */
void arm_spe_write_filters(const struct arm_spe_registers *registers);

#endif
