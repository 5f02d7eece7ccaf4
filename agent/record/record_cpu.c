/* SPDX-License-Identifier: MIT */
/* One traced CPU, from the start of its events to their stop. */
#include "agent/record/record_cpu.h"

#include "agent/input/mailbox.h"
#include "agent/payload/payload_threads.h"
#include "agent/record/record.h"
#include "agent/record/record_ledger.h"
#include "agent/record/record_regions.h"
#include "agent/record/record_tick.h"
#include "agent/record/recording.h"
#include "arch/steal.h"
#include "pmu/branch_stack.h"
#include "pmu/clock/clock.h"
#include "pmu/clock/clock_freeze.h"
#include "pmu/clock/clock_sync.h"
#include "pmu/precise.h"

void record_describe_cpu(struct tr_cpu *entry)
{
	struct arch_cpu_id id;

	arch_cpu_identify(&id);
	entry->hw_id = id.hw_id;
	entry->signature = id.signature;
	entry->core_shift = id.core_shift;
	entry->package_shift = id.package_shift;
	entry->cache_line = id.cache_line;
	trace_region_put_text(entry->vendor, sizeof(entry->vendor), id.vendor);
	trace_region_put_text(entry->model, sizeof(entry->model), id.model);
}

/* Each CPU's clock is compared with the boot CPU's once, before it first traces. */
static bool synchronised[TR_MAX_CPUS] = { [0] = true };

static uint32_t record_flags_of(unsigned cpu)
{
	return (cpu ? 0 : TR_CPU_BOOT) | (synchronised[cpu] ? TR_CPU_ONLINE : 0);
}

void recording_forget_last(const struct trace_region *region)
{
	for (unsigned cpu = 0; cpu < region->limits.cpus; cpu++) {
		struct tr_cpu *entry = &region->cpus[cpu];

		entry->flags = record_flags_of(cpu);
		entry->ticks = entry->tick_cycles = entry->tick_max = 0;
		entry->stall_ns = entry->stalls = entry->given_up = entry->frozen = 0;
		entry->spurious = arch_spurious[cpu] = 0;
		entry->erroneous = branch_stack_erroneous[cpu] = 0;
		entry->stolen = entry->uncounted = 0;
		precise_ledgers[cpu] = (struct tr_precise_ledger){ 0 };
		sampled_operations[cpu] = (struct sampled_operations){ 0 };
	}
}

int recording_synchronise(struct traced_cpu *c)
{
	struct tr_cpu *entry = &c->recording->region->cpus[c->cpu];
	struct clock_sync sync;
	int code;

	if (synchronised[c->cpu])
		return 0;
	code = clock_sync_measure(c->cpu, &sync);
	if (code)
		return code;
	clock_offsets[c->cpu] = entry->clock_offset = sync.offset;
	entry->clock_error = sync.error;
	synchronised[c->cpu] = true;
	return 0;
}

/* The fences order the flag against the stores before and after it, as an NMI on this CPU sees
 * them. */
static void record_set_live(struct traced_cpu *c, bool live)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&c->live, live, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The hypervisor's time is part of the program's times: nothing else would show it. */
static void record_end_steal(struct tr_cpu *entry)
{
	if (entry->flags & TR_CPU_STEAL)
		entry->stolen = arch_steal_end();
}

void recording_start_cpu(struct traced_cpu *c)
{
	struct tr_cpu *entry = &c->recording->region->cpus[c->cpu];

	entry->flags = record_flags_of(c->cpu) | TR_CPU_TRACED;
	entry->flags |= arch_steal_begin() ? TR_CPU_STEAL : 0;
	clock_freeze_begin_cpu(c->cpu);
	if (c->aux_event) {
		c->aux_event->attend = recording_attend;
		c->aux_event->asked = mailbox_watch(c->recording->region, &c->aux_event->heard);
	}
	c->code = context_start(&c->context, c->events, c->recording->nr_events, &c->failed);
	c->paused = !c->code && c->recording->off;
	if (c->paused)
		context_start_paused(&c->context);
	tick_start(&c->tick, recording_tick);
	record_set_live(c, true);
}

void recording_stop_cpu(struct traced_cpu *c)
{
	record_set_live(c, false);
	context_stop(&c->context);
	tick_stop(&c->tick);
	record_end_steal(&c->recording->region->cpus[c->cpu]);
	if (c->aux_event)
		ring_aux_flush(&c->aux);
	regions_report(c);
	ring_report_lost(&c->ring, &c->events[0].account);
	ring_wake(&c->ring, TR_WAKEUP_END);
	recording_publish(c, clock_now());
	recording_keep(c, UINT64_MAX);
}

void recording_trace_cpu(void *arg)
{
	struct traced_cpu *c = arg;

	record_describe_cpu(&c->recording->region->cpus[c->cpu]);
	c->code = timer_init();
	if (!c->code)
		recording_start_cpu(c);
	payload_threads_open();
	__atomic_store_n(&c->started, true, __ATOMIC_RELEASE);
	arch_irq_enable();
	regions_learn();
	while (!__atomic_load_n(&c->recording->stop, __ATOMIC_ACQUIRE)) {
		if (!payload_threads_serve())
			arch_wait();
	}
	arch_irq_disable();
	payload_threads_close();
	recording_stop_cpu(c);
}
