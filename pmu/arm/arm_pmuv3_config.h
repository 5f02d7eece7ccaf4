/* SPDX-License-Identifier: MIT */
/* The features of a PMUv3, and an event's values for its registers. This file touches no
 * counter. */
#ifndef PMU_ARM_ARM_PMUV3_CONFIG_H
#define PMU_ARM_ARM_PMUV3_CONFIG_H

#include "pmu/pmu.h"

/* One CPU's PMU; CPUs of different clusters may differ. */
struct arm_pmuv3_unit {
	unsigned counters;   /* event counters */
	bool instructions;   /* there is an instruction counter: FEAT_PMUv3_ICNTR */
	bool long_events;    /* the event counters have 64 bits */
	uint64_t present[2]; /* common events 0 to 3FH, 4000H to 403FH */
	uint64_t midr;       /* the kind of CPU */
	uint32_t last_event; /* the last event number */
	uint32_t threshold;  /* the largest threshold; 0: the CPU has no thresholds */
};

/* The driver's data for an event. */
struct hw_arm_pmuv3 {
	uint64_t type;    /* value of PMEVTYPER: event number, filter, threshold */
	unsigned counter; /* its number, of a chained pair the upper one's */
	bool chained;     /* chained with the counter below it, for 64 bits */
	bool selectable;  /* a single event counter: PMSELR_EL0 can select it */
	uint64_t value;   /* value of the counter when it was last read or written */
	uint64_t mask;    /* mask of the counter's bits */
};
EVENT_HW(struct hw_arm_pmuv3, arm_pmuv3_of)

/* The features that the calling CPU reports. Any context. */
struct arm_pmuv3_unit arm_pmuv3_look(void);

/* Whether the CPU implements this event. Registers report only common events. Any context. */
bool arm_pmuv3_implements(const struct arm_pmuv3_unit *unit, uint32_t number);

/* Why a CPU cannot count this event, as a phrase; NULL: it can. Any context. */
const char *arm_pmuv3_excuse(const struct arm_pmuv3_unit *unit, const struct perf_event *event);

/* Whether the user asks for a 64-bit counter (config1's long). */
bool arm_pmuv3_is_long(const struct perf_event *event);

/* Whether the event counts plain events, without a threshold. Only then can the cycle counter serve
 * the event `cycles`, and the instruction counter `instructions`. */
bool arm_pmuv3_is_plain(const struct perf_event *event);

/* The terms of the source, for struct pmu. */
extern const struct pmu_format arm_pmuv3_formats[];
int arm_pmuv3_probe(const char **why);
int arm_pmuv3_event_init(struct perf_event *event);

#endif
