/* SPDX-License-Identifier: MIT */
#include "pmu/arm/arm_pmuv3_config.h"

#include <errno.h>

#include "arch/aarch64/pmu/pmuv3.h"
#include "pmu/arm/arm_brbe.h"
#include "pmu/sampling.h"

/* ELF's number; elsewhere there are no such registers to ask. */

#define NOT_SERVED UINT32_MAX

/* config1, as Linux has it */
#define LONG           1U /* 64 bits wanted */
#define CONTROL        2  /* shift; 3 bits, as PMEVTYPER.TC */
#define CONTROL_MASK   7U
#define THRESHOLD      5 /* shift; 12 bits, as PMEVTYPER.TH; 0: no threshold */
#define THRESHOLD_MASK 0xfffU

const struct pmu_format arm_pmuv3_formats[] = {
	{ "event", 0, 0, 15 },
	{ "long", 1, 0, 0 },
	{ "threshold", 1, THRESHOLD, THRESHOLD + 11 },
	{ "threshold_compare", 1, CONTROL + 1, CONTROL + 2 },
	{ "threshold_count", 1, CONTROL, CONTROL },
	{ "midr", 2, 0, 31 }, /* a term of ours, not Linux's: only on CPUs of this kind */
	{ NULL, 0, 0, 0 },
};

static uint64_t arm_pmuv3_version(void)
{
	return arch_reg_read(ID_AA64DFR0_EL1) >> ID_AA64DFR0_PMUVER & 0xf;
}

int arm_pmuv3_probe(const char **why)
{
	*why = "this CPU has no PMUv3, or a hypervisor keeps it (KVM: QEMU's -cpu host,pmu=on)";
	if (!arm_pmuv3_version() || arm_pmuv3_version() == ID_AA64DFR0_PMUVER_IMP)
		return -ENODEV;
	*why = NULL;
	return 0;
}

/* Older PMUs lack PMMIR_EL1. */
static uint32_t arm_pmuv3_largest_threshold(void)
{
	uint64_t width = arm_pmuv3_version() < PMUVER_V3P4
	                     ? 0
	                     : arch_reg_read(PMMIR_EL1) >> PMMIR_THWIDTH & PMMIR_THWIDTH_MASK;

	return (uint32_t)(1ULL << width) - 1;
}

struct arm_pmuv3_unit arm_pmuv3_look(void)
{
	uint64_t id0 = arch_reg_read(PMCEID0_EL0), id1 = arch_reg_read(PMCEID1_EL0);

	return (struct arm_pmuv3_unit){
		.counters = arch_reg_read(PMCR_EL0) >> PMCR_N & PMCR_N_MASK,
		.instructions = arch_reg_read(ID_AA64DFR1_EL1) >> ID_AA64DFR1_PMICNTR & 0xf,
		.long_events = arm_pmuv3_version() >= PMUVER_V3P5,
		.present = { (id0 & UINT32_MAX) | id1 << 32, id0 >> 32 | (id1 >> 32 << 32) },
		.midr = arch_reg_read(MIDR_EL1),
		.last_event = arm_pmuv3_version() > PMUVER_V3 ? PMEVTYPER_EVENT_MASK
		                                              : PMEVTYPER_EVENT_V3,
		.threshold = arm_pmuv3_largest_threshold(),
	};
}

bool arm_pmuv3_implements(const struct arm_pmuv3_unit *unit, uint32_t number)
{
	if (number < EVENTS_IN_PMCEID)
		return unit->present[0] >> number & 1;
	if (number - EVENTS_EXTENDED < EVENTS_IN_PMCEID)
		return unit->present[1] >> (number - EVENTS_EXTENDED) & 1;
	return true;
}

/* perf's generic events, by PERF_COUNT_HW_*. */
static uint32_t arm_pmuv3_generic_event(uint64_t config)
{
	static const uint8_t events[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = EVENT_CPU_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = EVENT_INST_RETIRED,
		[PERF_COUNT_HW_CACHE_REFERENCES] = EVENT_L1D_CACHE,
		[PERF_COUNT_HW_CACHE_MISSES] = EVENT_L1D_CACHE_REFILL,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = EVENT_PC_WRITE_RETIRED,
		[PERF_COUNT_HW_BRANCH_MISSES] = EVENT_BR_MIS_PRED,
		[PERF_COUNT_HW_BUS_CYCLES] = EVENT_BUS_CYCLES,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = EVENT_STALL_FRONTEND,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = EVENT_STALL_BACKEND,
	};

	if (config >= sizeof(events) || !events[config])
		return NOT_SERVED;
	return events[config];
}

/* Not every CPU implements the event for retired branches; all implement the one for retired writes
 * of the PC. */
static uint32_t arm_pmuv3_event_number(const struct perf_event_attr *attr,
                                       const struct arm_pmuv3_unit *unit)
{
	if (attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS &&
	    arm_pmuv3_implements(unit, EVENT_BR_RETIRED))
		return EVENT_BR_RETIRED;
	if (attr->type == PERF_TYPE_HARDWARE)
		return arm_pmuv3_generic_event(attr->config);
	return attr->config <= PMEVTYPER_EVENT_MASK ? (uint32_t)attr->config : NOT_SERVED;
}

static uint64_t arm_pmuv3_threshold_of(const struct perf_event *event)
{
	return event->attr.config1 >> THRESHOLD & THRESHOLD_MASK;
}

static uint64_t arm_pmuv3_threshold(const struct perf_event *event)
{
	uint64_t control = event->attr.config1 >> CONTROL & CONTROL_MASK;

	return arm_pmuv3_threshold_of(event)
	           ? arm_pmuv3_threshold_of(event) << PMEVTYPER_TH | control << PMEVTYPER_TC
	           : 0;
}

static uint32_t arm_pmuv3_filter(uint64_t flags)
{
	const uint64_t any = PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL |
	                     PERF_ATTR_EXCLUDE_HV;
	uint32_t bits = 0;

	if (flags & PERF_ATTR_EXCLUDE_USER)
		bits |= PMEVTYPER_U;
	if (flags & PERF_ATTR_EXCLUDE_KERNEL)
		bits |= PMEVTYPER_P;
	/* By default EL2 counts only if the traced code runs there, in firmware */
	if (!(flags & PERF_ATTR_EXCLUDE_HV) &&
	    (flags & any || !(arch_levels() & ARCH_LEVEL_KERNEL)))
		bits |= PMEVTYPER_NSH;
	return bits;
}

bool arm_pmuv3_is_long(const struct perf_event *event)
{
	return event->attr.config1 & LONG;
}

bool arm_pmuv3_is_plain(const struct perf_event *event)
{
	return !arm_pmuv3_threshold_of(event);
}

/* Whether the event is for this kind of CPU. Without the term midr it is for every kind. */
static bool arm_pmuv3_is_of_kind(const struct arm_pmuv3_unit *unit, const struct perf_event *event)
{
	return !event->attr.config2 || !((unit->midr ^ event->attr.config2) & MIDR_KIND);
}

const char *arm_pmuv3_excuse(const struct arm_pmuv3_unit *unit, const struct perf_event *event)
{
	uint32_t number = (uint32_t)arm_pmuv3_of(event)->type & PMEVTYPER_EVENT_MASK;

	if (!arm_pmuv3_is_of_kind(unit, event))
		return "it is for CPUs of another kind (MIDR_EL1)";
	if (arm_pmuv3_threshold_of(event) > unit->threshold)
		return unit->threshold
		           ? "its threshold is larger than this CPU's counters can "
		             "compare with (PMMIR_EL1.THWIDTH)"
		           : "this CPU's counters have no threshold (PMMIR_EL1.THWIDTH)";
	if (number > unit->last_event)
		return "this CPU's PMU, Armv8.0's, has events 0 to 0x3ff";
	if (arm_pmuv3_is_plain(event) &&
	    (number == EVENT_CPU_CYCLES || (number == EVENT_INST_RETIRED && unit->instructions)))
		return NULL;
	if (!unit->counters)
		return "the hypervisor at EL2 keeps all event counters (MDCR_EL2.HPMN is 0)";
	if (!arm_pmuv3_implements(unit, number))
		return "this CPU does not implement the event (PMCEID0_EL0, PMCEID1_EL0)";
	if (arm_pmuv3_is_long(event) && !unit->long_events &&
	    (unit->counters < 2 || !arm_pmuv3_implements(unit, EVENT_CHAIN)))
		return "this CPU has no counters of 64 bits, and cannot chain two";
	return NULL;
}

/* This checks the calling CPU only; the CPU that will count the event is checked in add. */
int arm_pmuv3_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	const char *why;
	uint32_t number;
	struct arm_pmuv3_unit unit;
	int code;

	if (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_RAW &&
	    attr->type != PERF_TYPE_ARM_PMUV3)
		return -ENOENT;
	if (arm_pmuv3_probe(&why))
		return -ENOENT;
	unit = arm_pmuv3_look();
	number = arm_pmuv3_event_number(attr, &unit);
	if (number == NOT_SERVED)
		return -ENOENT;
	*arm_pmuv3_of(event) = (struct hw_arm_pmuv3){
		.type = number | arm_pmuv3_filter(attr->flags) | arm_pmuv3_threshold(event),
	};
	event->why = event->cpu == arch_cpu() && arm_pmuv3_is_of_kind(&unit, event)
	                 ? arm_pmuv3_excuse(&unit, event)
	                 : NULL;
	if (event->why)
		return -ENOENT;
	code = arm_brbe_init(event);
	return code ? code : sampling_init(event);
}
