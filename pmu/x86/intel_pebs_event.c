/* SPDX-License-Identifier: MIT */
/* The events that have precise samples, and their counters. */
#include <errno.h>

#include "arch/x86_64/pmu/pebs.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/x86/intel_pebs.h"
#include "pmu/x86/intel_pebs_record.h"
#include "pmu/x86/x86_counters.h"

#define CYCLES_RETIRED   (0x00c0U | PERFEVTSEL_INV | 16U << PERFEVTSEL_CMASK)
#define CYCLES_PREC_DIST (0x01c0U | PERFEVTSEL_INV | 16U << PERFEVTSEL_CMASK)

static unsigned intel_pebs_level(const struct perf_event_attr *attr)
{
	return attr->sample_period ? attr->flags >> PERF_ATTR_PRECISE_IP & 3 : 0;
}

/* Before baseline only some events are precise. Cycles: those in which fewer than 16 instructions
 * retire, which are all. */
static int intel_pebs_precise_event(struct perf_event *event, uint64_t *select)
{
	static const uint64_t generic = 1U << PERF_COUNT_HW_CPU_CYCLES |
	                                1U << PERF_COUNT_HW_INSTRUCTIONS |
	                                1U << PERF_COUNT_HW_BRANCH_INSTRUCTIONS |
	                                1U << PERF_COUNT_HW_BRANCH_MISSES;
	bool most = intel_pebs_level(&event->attr) == 3;

	if (event->attr.type != PERF_TYPE_HARDWARE)
		return 0;
	event->why =
	    "only cycles, instructions, branches and branch-misses have precise samples, "
	    "and the CPU's own events";
	if (event->attr.config >= 64 || !(generic >> event->attr.config & 1))
		return -EOPNOTSUPP;
	event->why = NULL;
	if (event->attr.config == PERF_COUNT_HW_CPU_CYCLES)
		*select = (*select & ~(uint64_t)PERFEVTSEL_EVENT) |
		          (most ? CYCLES_PREC_DIST : CYCLES_RETIRED);
	return 0;
}

bool intel_pebs_needs_at_once(const struct perf_event *event)
{
	return event->attr.sample_type &
	       (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_READ | PERF_SAMPLE_BRANCH_STACK);
}

int intel_pebs_init(struct perf_event *event, uint64_t *select)
{
	struct intel_pebs_form form;

	if (!intel_pebs_level(&event->attr))
		return 0;
	form = intel_pebs_form();
	event->why =
	    "this CPU has no precise samples (PEBS) of a format that bareperf knows (3 to "
	    "6), or a hypervisor hides them";
	if (!form.format)
		return -ENODEV;
	event->why = NULL;
	x86_counter_of(event)->precise.recorded = true;
	event->burst = intel_pebs_needs_at_once(event) ? 0 : INTEL_PEBS_MEMORY / form.size;
	*select |= PERFEVTSEL_INT; /* for x86_counters.c: it has no interrupt of its own */
	if (!form.baseline)
		return intel_pebs_precise_event(event, select);
	*select |= PERFEVTSEL_ADAPTIVE;
	return 0;
}

uint64_t intel_pebs_candidates(const struct perf_event *event, uint64_t counters)
{
	struct intel_pebs_form form;

	if (!x86_counter_of(event)->precise.recorded)
		return counters;
	form = intel_pebs_form();
	if ((x86_counter_of(event)->select & PERFEVTSEL_EVENT) == CYCLES_PREC_DIST)
		counters &= 1U << 1; /* INST_RETIRED.PREC_DIST has this counter only */
	return counters & form.counters;
}

uint64_t intel_pebs_memory(const struct perf_event *event)
{
	return x86_counter_of(event)->precise.recorded ? INTEL_PEBS_MEMORY : 0;
}
