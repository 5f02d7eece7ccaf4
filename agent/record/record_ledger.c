/* SPDX-License-Identifier: MIT */
/* Publish one CPU's counts and losses, for the host and for the agent after a reset. */
#include "agent/record/record_ledger.h"

#include "agent/record/recording.h"
#include "pmu/clock/clock.h"
#include "pmu/pmu.h"
#include "pmu/precise.h"
#include "ringbuf/ledger.h"

void recording_publish(struct traced_cpu *c, uint64_t now)
{
	struct recording *r = c->recording;
	struct trace_region *region = r->region;
	struct tr_cpu *entry = &region->cpus[c->cpu];
	bool here = c->cpu == arch_cpu();

	for (unsigned i = 0; i < r->nr_events; i++) {
		if (here)
			event_read(&c->events[i]);
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
