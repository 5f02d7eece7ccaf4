/* SPDX-License-Identifier: MIT */
/* Publish one CPU's counts and losses, for the host and for the agent after a reset. */
#include "agent/record/record_ledger.h"

#include "agent/record/recording.h"
#include "pmu/branch_stack.h"
#include "pmu/clock/clock.h"
#include "pmu/pmu.h"
#include "pmu/precise.h"
#include "ringbuf/ledger.h"

/* From tick to tick a CPU executes at least its way out of the tick, which each of these events
 * counts. A counter without an increment has been taken away for that time: hypervisors that make
 * counters of an operating system's events do so without an error (docs/kvm.md). */
#define LEDGER_TICK_NS 500000ULL /* shorter times are not compared */

static bool record_ledger_always_counts(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE &&
	       (attr->config == PERF_COUNT_HW_CPU_CYCLES ||
	        attr->config == PERF_COUNT_HW_INSTRUCTIONS) &&
	       !(attr->flags &
	         (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV));
}

/* The ns for which this event's counter has just counted nothing, on its own CPU, by the ledger as
 * it was just published. */
static uint64_t record_ledger_uncounted(struct perf_event *event,
                                        const struct tr_event_ledger *ledger)
{
	uint64_t passed = ledger->time_running - event->seen_running;

	if (ledger->count != event->seen_count) {
		event->seen_count = ledger->count;
		event->seen_running = ledger->time_running;
		return 0;
	}
	if (passed < LEDGER_TICK_NS || !record_ledger_always_counts(&event->attr))
		return 0;
	event->seen_running = ledger->time_running;
	return passed;
}

void recording_publish(struct traced_cpu *c, uint64_t now)
{
	struct recording *r = c->recording;
	struct trace_region *region = r->region;
	struct tr_cpu *entry = &region->cpus[c->cpu];
	bool here = c->cpu == arch_cpu();
	uint64_t uncounted = 0;

	for (unsigned i = 0; i < r->nr_events; i++) {
		struct perf_event *event = &c->events[i];
		struct tr_event_ledger *ledger = &region->event_ledger[i * r->nr_cpus + c->index];

		if (here)
			event_read(event);
		event_publish(event, ledger, now);
		if (here) {
			uint64_t ns = record_ledger_uncounted(event, ledger);

			uncounted = ns > uncounted ? ns : uncounted;
		}
	}
	ring_publish_ledger(&c->ring, &region->ring_ledger[c->index]);
	if (c->memory || precise_ledgers[c->cpu].records)
		region->ring_ledger[c->index].precise = precise_ledgers[c->cpu];
	region->ring_ledger[c->index].precise.operations = sampled_operations[c->cpu].ledger;
	region->ring_ledger[c->index].operations_rest = sampled_operations[c->cpu].rest;
	if (c->aux_event)
		ring_aux_publish(&c->aux, &region->ring_ledger[c->index]);
	entry->ticks = c->tick.count;
	entry->tick_cycles = c->tick.cycles;
	entry->tick_max = c->tick.longest;
	entry->stall_ns = c->stall_ns;
	entry->stalls = c->stalls;
	entry->given_up = c->given_up;
	entry->frozen = c->frozen;
	entry->spurious = arch_spurious[c->cpu];
	entry->erroneous = branch_stack_erroneous[c->cpu];
	c->uncounted += uncounted;
	entry->uncounted = c->uncounted;
}

void recording_keep(struct traced_cpu *c, uint64_t most)
{
	const struct trace_region *region = c->recording->region;

	if (!region->is_kept)
		return;
	if (c == c->recording->cpus)
		trace_region_keep_beat(region);
	arch_memory_clean_begin(&region->cpus[c->cpu], sizeof(*region->cpus));
	c->keep.has_reader |= __atomic_load_n(&region->header->reader.id, __ATOMIC_RELAXED) != 0;
	ring_keep(&c->keep, most);
}
