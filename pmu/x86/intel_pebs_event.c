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

#define MEM_TRANS_RETIRED_LOAD_LATENCY 0x01cdU
#define MEM_INST_RETIRED               0xd0U
#define MEM_INST_RETIRED_STORES        0x02U /* in the unit mask */
#define MEM_LOAD_RETIRED               0xd1U /* and the two events after it */

#define LEAST_LATENCY 3U /* Linux's default */

static unsigned intel_pebs_level(const struct perf_event_attr *attr)
{
	return attr->sample_period ? attr->flags >> PERF_ATTR_PRECISE_IP & 3 : 0;
}

/* Codes of Haswell and later. */
static enum x86_accesses intel_pebs_accesses(const struct perf_event_attr *attr, uint64_t select)
{
	uint64_t event = select & PERFEVTSEL_EVENT_SELECT;

	if (attr->type == PERF_TYPE_HARDWARE)
		return X86_NO_ACCESSES;
	if ((select & (PERFEVTSEL_EVENT_SELECT | PERFEVTSEL_UMASK)) ==
	    MEM_TRANS_RETIRED_LOAD_LATENCY)
		return X86_TIMED_LOADS;
	if (event == MEM_INST_RETIRED)
		return select >> 8 & MEM_INST_RETIRED_STORES ? X86_STORES : X86_LOADS;
	return event - MEM_LOAD_RETIRED < 3 ? X86_LOADS : X86_NO_ACCESSES;
}

uint64_t intel_pebs_latency(const struct perf_event_attr *attr)
{
	return attr->config1 ? attr->config1 : LEAST_LATENCY;
}

/* Latencies and addresses are in precise samples only. */
static void intel_pebs_imply(struct perf_event_attr *attr, enum x86_accesses accesses)
{
	bool wanted = accesses == X86_TIMED_LOADS ||
	              (accesses != X86_NO_ACCESSES && attr->sample_type & PERF_SAMPLE_ADDR);

	if (wanted && attr->sample_period && !intel_pebs_level(attr))
		attr->flags |= 1ULL << PERF_ATTR_PRECISE_IP;
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
	enum x86_accesses accesses = intel_pebs_accesses(&event->attr, *select);
	struct intel_pebs_form form;

	event->why = "ldlat is a term of mem-loads";
	if (event->attr.config1 && accesses != X86_TIMED_LOADS)
		return -EINVAL;
	event->why = NULL;
	intel_pebs_imply(&event->attr, accesses);
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
	x86_counter_of(event)->precise.accesses = accesses;
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
