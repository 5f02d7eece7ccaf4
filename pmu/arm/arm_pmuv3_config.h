/* SPDX-License-Identifier: MIT */
/* The features of a PMUv3, and an event as its registers: touches no counter. */
#ifndef PMU_ARM_ARM_PMUV3_CONFIG_H
#define PMU_ARM_ARM_PMUV3_CONFIG_H

#include "pmu/pmu.h"

/* One CPU's PMU; clusters differ. */
struct arm_pmuv3_unit {
	unsigned counters;   /* event counters */
	bool long_events;    /* of 64 bits */
	uint64_t present[2]; /* common events 0 to 3FH, 4000H to 403FH */
	uint64_t midr;       /* the kind of CPU */
	uint32_t last_event; /* number */
	uint32_t threshold;  /* the largest; 0: none can be had */
};

/* The driver's data for an event. */
struct hw_arm_pmuv3 {
	uint64_t type;    /* of PMEVTYPER: event number, filter, threshold */
	unsigned counter; /* 31: the cycle counter; of a chained pair the upper one */
	bool chained;     /* with the one below it, to have 64 bits */
	bool selectable;  /* an event counter by itself: PMSELR_EL0 can select it */
	uint64_t value;   /* of the counter when it was last looked at or written */
	uint64_t mask;    /* of its bits */
};
EVENT_HW(struct hw_arm_pmuv3, arm_pmuv3_of)

/* The features that the calling CPU reports. Any context. */
struct arm_pmuv3_unit arm_pmuv3_look(void);

/* Why a CPU cannot count this event, as a phrase, or NULL. Any context. */
const char *arm_pmuv3_excuse(const struct arm_pmuv3_unit *unit, const struct perf_event *event);

/* Does the user want 64 bits whatever it takes? */
bool arm_pmuv3_is_long(const struct perf_event *event);

/* Is it the number of events that is wanted, and not of cycles with so many of them? Then the cycle
 * counter will do for cycles. */
bool arm_pmuv3_is_plain(const struct perf_event *event);

/* For struct pmu. */
extern const struct pmu_format arm_pmuv3_formats[];
int arm_pmuv3_probe(const char **why);
int arm_pmuv3_event_init(struct perf_event *event);

#endif
