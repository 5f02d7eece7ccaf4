/* SPDX-License-Identifier: MIT */
#include "pmu/x86/intel_taken.h"

#include <string.h>

#include "pmu/x86/intel_pmu.h"

/* BR_INST_RETIRED: SDM volume 3B, chapter 19 of the editions that list a model's events */
#define NEAR_TAKEN 0x20c4U
#define FAR_BRANCH 0x40c4U

#define TRIES  3U /* an NMI in the middle of a try makes its counts wrong */
#define TURNS  1000U
#define NEVER  (1ULL << 61) /* a period that never ends: these events are not sampled */
#define EVENTS 2U

static struct perf_event taken[TR_MAX_CPUS][EVENTS];

static bool intel_taken_open_counter(struct perf_event *event, uint64_t config, uint64_t exclude)
{
	memset(event, 0, sizeof(*event));
	event->attr = (struct perf_event_attr){
		.type = PERF_TYPE_RAW,
		.size = sizeof(event->attr),
		.config = config,
		.sample_period = NEVER,
		.sample_max_stack = 1,
		.flags = exclude,
	};
	event->cpu = arch_cpu();
	return !pmu_intel.event_init(event) && !pmu_intel.add(event);
}

static uint64_t intel_taken_count_of(struct perf_event *event)
{
	pmu_intel.read(event);
	return event->count;
}

/* Run a loop of so many turns; added is how far both counters went. */
static void intel_taken_spin(struct perf_event *events, uint64_t turns, uint64_t added[EVENTS])
{
	uint64_t before[EVENTS];

	for (unsigned i = 0; i < EVENTS; i++)
		before[i] = intel_taken_count_of(&events[i]);
	arch_spin_with_frame_pointer(0, turns);
	for (unsigned i = 0; i < EVENTS; i++)
		added[i] = intel_taken_count_of(&events[i]) - before[i];
}

/* The counts of two loops must differ by exactly the difference of their taken branches; otherwise
 * the CPU counts another event. */
static bool intel_taken_counts_exactly(struct perf_event *events, bool ring0)
{
	uint64_t shorter[EVENTS], longer[EVENTS];
	uint64_t expected = ring0 ? TURNS : 0;

	for (unsigned i = 0; i < TRIES; i++) {
		intel_taken_spin(events, TURNS, shorter);
		intel_taken_spin(events, 2ULL * TURNS, longer);
		if (longer[0] - shorter[0] == expected && longer[1] == shorter[1])
			return true;
	}
	return false;
}

static void intel_taken_begin(struct perf_event *events)
{
	pmu_intel.disable();
	for (unsigned i = 0; i < EVENTS; i++) {
		events[i].count = 0;
		pmu_intel.start(&events[i]);
	}
	pmu_intel.enable();
}

static void intel_taken_finish(struct perf_event *events)
{
	pmu_intel.disable();
	for (unsigned i = 0; i < EVENTS; i++)
		pmu_intel.stop(&events[i]);
	pmu_intel.enable();
}

bool intel_taken_add(uint64_t exclude)
{
	struct perf_event *events = taken[arch_cpu()];
	bool good;

	if (!intel_taken_open_counter(&events[0], NEAR_TAKEN, exclude))
		return false;
	if (!intel_taken_open_counter(&events[1], FAR_BRANCH, exclude)) {
		pmu_intel.del(&events[0]);
		return false;
	}
	intel_taken_begin(events);
	good = intel_taken_counts_exactly(events, !(exclude & PERF_ATTR_EXCLUDE_KERNEL));
	intel_taken_finish(events);
	if (!good)
		intel_taken_del();
	return good;
}

void intel_taken_del(void)
{
	for (unsigned i = 0; i < EVENTS; i++)
		pmu_intel.del(&taken[arch_cpu()][i]);
}

void intel_taken_start(void)
{
	intel_taken_begin(taken[arch_cpu()]);
}

void intel_taken_stop(void)
{
	intel_taken_finish(taken[arch_cpu()]);
}

uint64_t intel_taken_now(void)
{
	struct perf_event *events = taken[arch_cpu()];

	return intel_taken_count_of(&events[0]) + intel_taken_count_of(&events[1]);
}

uint64_t intel_taken_far(void)
{
	return taken[arch_cpu()][1].count;
}
