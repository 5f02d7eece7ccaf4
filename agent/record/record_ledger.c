/* SPDX-License-Identifier: MIT */
/* Publish one CPU's counts and losses, for the host and for the agent after a reset. */
#include "agent/record/record_ledger.h"

#include "agent/record/recording.h"
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

/* The ns for which this event's counter has just counted nothing, on its own CPU. */
static uint64_t record_ledger_uncounted(struct perf_event *event, uint64_t now)
{
	uint64_t count = ring_load(&event->count);
	uint64_t running = event_times(event, now).running, passed = running - event->seen_running;
	bool still = count == event->seen_count;

	if (!record_ledger_always_counts(&event->attr) || passed < LEDGER_TICK_NS)
		return 0;
	event->seen_count = count;
	event->seen_running = running;
	return still ? passed : 0;
}

void recording_publish(struct traced_cpu *c, uint64_t now)
{
	struct recording *r = c->recording;
	struct trace_region *region = r->region;
	struct tr_cpu *entry = &region->cpus[c->cpu];
	bool here = c->cpu == arch_cpu();
	uint64_t uncounted = 0;

	for (unsigned i = 0; i < r->nr_events; i++) {
		if (here) {
			uint64_t ns;

			event_read(&c->events[i]);
			ns = record_ledger_uncounted(&c->events[i], now);
			uncounted = ns > uncounted ? ns : uncounted;
		}
		event_publish(&c->events[i], &region->event_ledger[i * r->nr_cpus + c->index], now);
	}
	ring_publish_ledger(&c->ring, &region->ring_ledger[c->index]);
	region->ring_ledger[c->index].precise = precise_ledgers[c->cpu];
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
