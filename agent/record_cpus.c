/* SPDX-License-Identifier: MIT */
/*
 * The recording under way: each traced CPU starts and stops its own events, the boot CPU
 * runs the workload.
 *
 *	boot CPU			another traced CPU
 *	arch_cpu_run()		──▶	start_cpu(), started
 *	all started: the workload	sleeps, its interrupts sample
 *	stop, signal		──▶	wakes, stop_cpu(), idle
 *	all idle: TR_COMPLETE
 */
#include <errno.h>

#include "agent/mailbox.h"
#include "agent/payload_run.h"
#include "agent/payload_threads.h"
#include "agent/reader.h"
#include "agent/record.h"
#include "agent/recording.h"
#include "lib/console.h"
#include "lib/syscalls.h"
#include "pmu/clock.h"
#include "pmu/clock_sync.h"
#include "pmu/counter_census.h"
#include "pmu/pmu.h"
#include "ringbuf/ledger.h"

static struct recording *current; /* while its rings are live, for a panic */

/* Each CPU's clock is compared with the boot CPU's once, before it first traces. */
static bool synchronised[TR_MAX_CPUS] = { [0] = true };

static uint32_t flags_of(unsigned cpu)
{
	return (cpu ? 0 : TR_CPU_BOOT) | (synchronised[cpu] ? TR_CPU_ONLINE : 0);
}

/* Nothing that a run said of a CPU is the next one's. */
static void forget_last_run(const struct trace_region *region)
{
	for (unsigned cpu = 0; cpu < region->limits.cpus; cpu++) {
		struct tr_cpu *entry = &region->cpus[cpu];

		entry->flags = flags_of(cpu);
		entry->ticks = entry->tick_cycles = entry->tick_max = 0;
		entry->spurious = counter_census[cpu].spurious = 0;
	}
}

/* The CPU's counters for the host. On that CPU with interrupts masked, or IRQ; in a panic also for
 * another, as they were last. */
static void publish(struct traced_cpu *c)
{
	struct recording *r = c->recording;
	struct trace_region *region = r->region;
	struct tr_cpu *entry = &region->cpus[c->cpu];

	uint64_t now = clock_now();

	for (unsigned i = 0; i < r->nr_events; i++) {
		if (c->cpu == arch_cpu())
			event_read(&c->events[i]);
		event_publish(&c->events[i], &region->event_ledger[i * r->nr_cpus + c->index], now);
	}
	ring_publish_ledger(&c->ring, &region->ring_ledger[c->index]);
	if (c->aux_event)
		ring_aux_publish(&c->aux, &region->ring_ledger[c->index]);
	entry->ticks = c->tick.count;
	entry->tick_cycles = c->tick.cycles;
	entry->tick_max = c->tick.longest;
	entry->spurious = counter_census[c->cpu].spurious;
}

/* The host may stop the events before the workload ends, be it that it hangs: each CPU stops its
 * own, and waits for nobody. */
static bool obey_stop(struct traced_cpu *c)
{
	if (!c->stopped && mailbox_has(c->recording->region, "stop")) {
		context_stop(&c->context);
		__atomic_store_n(&c->stopped, true, __ATOMIC_RELEASE);
	}
	return c->stopped;
}

/* At every tick, until all have stopped. */
static void tell_others(const struct recording *r)
{
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		if (r->cpus[i].cpu != arch_cpu() &&
		    !__atomic_load_n(&r->cpus[i].stopped, __ATOMIC_ACQUIRE))
			arch_cpu_signal(r->cpus[i].cpu);
	}
}

/* An NMI reaches what masks the tick. It interrupts a thread only, not what a handler does to this
 * CPU's events and timers, nor their start and stop. */
static void stop_by_nmi(struct traced_cpu *c)
{
	if (!c->live || c->stopped || !obey_stop(c))
		return;
	publish(c);
	tell_others(c->recording);
}

static void attend_cpu(struct traced_cpu *c)
{
	struct perf_event *event = c->aux_event;

	if (c->live) /* what comes before is heard then */
		event->heard = __atomic_load_n(event->asked, __ATOMIC_ACQUIRE);
	stop_by_nmi(c);
}

static void attend(struct perf_event *event)
{
	for (unsigned i = 0; i < current->nr_cpus; i++) {
		if (current->cpus[i].aux_event == event)
			attend_cpu(&current->cpus[i]);
	}
}

static void go_on(struct traced_cpu *c)
{
	if (c->aux_event && c->aux_event->pmu->poll)
		c->aux_event->pmu->poll(c->aux_event);
	recording_snapshot(c);
	context_tick(&c->context);
}

static void work(struct tick *tick)
{
	struct traced_cpu *c =
	    (struct traced_cpu *)((char *)tick - offsetof(struct traced_cpu, tick));

	ring_report_lost(&c->ring, &c->events[0].account);
	ring_tick(&c->ring);
	if (obey_stop(c))
		tell_others(c->recording);
	else
		go_on(c);
	publish(c);
}

/* In the program's order, as this CPU's NMIs see it. */
static void set_live(struct traced_cpu *c, bool live)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&c->live, live, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void start_cpu(struct traced_cpu *c)
{
	c->recording->region->cpus[c->cpu].flags = flags_of(c->cpu) | TR_CPU_TRACED;
	if (c->aux_event) {
		c->aux_event->attend = attend;
		c->aux_event->asked = mailbox_watch(c->recording->region, &c->aux_event->heard);
	}
	c->error = context_start(&c->context, c->events, c->recording->nr_events, &c->failed);
	tick_start(&c->tick, work);
	set_live(c, true);
}

static void stop_cpu(struct traced_cpu *c)
{
	set_live(c, false);
	context_stop(&c->context);
	tick_stop(&c->tick);
	if (c->aux_event)
		ring_aux_flush(&c->aux);
	ring_report_lost(&c->ring, &c->events[0].account);
	ring_wake(&c->ring, TR_WAKEUP_END);
	publish(c);
}

static int workload(void *arg)
{
	const struct command *command = arg;

	if (command->workload->run_program)
		return command->workload->run_program(command->argc,
		                                      (char **)(uintptr_t)command->argv);
	return command->workload->run(command->argument);
}

/* What is traced: a workload that may exit(), or crash. */
static int payload(void *arg)
{
	struct recording *r = arg;

	return payload_run(workload, (void *)(uintptr_t)r->command, &r->end);
}

void record_describe_cpu(struct tr_cpu *entry)
{
	struct arch_cpu_id id;

	arch_cpu_identify(&id);
	entry->hw_id = id.hw_id;
	entry->signature = id.signature;
	entry->core_shift = id.core_shift;
	entry->package_shift = id.package_shift;
	trace_region_put_text(entry->vendor, sizeof(entry->vendor), id.vendor);
	trace_region_put_text(entry->model, sizeof(entry->model), id.model);
}

/* What another traced CPU does, from start to stop. */
static void trace_cpu(void *arg)
{
	struct traced_cpu *c = arg;

	record_describe_cpu(&c->recording->region->cpus[c->cpu]);
	c->error = timer_init();
	if (!c->error)
		start_cpu(c);
	payload_threads_open();
	__atomic_store_n(&c->started, true, __ATOMIC_RELEASE);
	arch_irq_enable();
	while (!__atomic_load_n(&c->recording->stop, __ATOMIC_ACQUIRE)) {
		if (!payload_threads_serve())
			arch_wait();
	}
	arch_irq_disable();
	payload_threads_close();
	stop_cpu(c);
}

/* The tick wakes a sleeping CPU within a millisecond; the signal is for one that masks it, and
 * for one that runs a thread of the payload. */
static void signal_handler(const struct arch_regs *regs)
{
	payload_interrupted(regs);
	if (!current || !arch_trace_interrupts_thread(regs))
		return; /* the tick will see, or the next signal */
	for (unsigned i = 0; i < current->nr_cpus; i++) {
		if (current->cpus[i].cpu == arch_cpu())
			stop_by_nmi(&current->cpus[i]);
	}
}

static int synchronise(struct traced_cpu *c)
{
	struct tr_cpu *entry = &c->recording->region->cpus[c->cpu];
	struct clock_sync sync;
	int error;

	if (synchronised[c->cpu])
		return 0;
	error = clock_sync_measure(c->cpu, &sync);
	if (error)
		return error;
	clock_offsets[c->cpu] = entry->clock_offset = sync.offset;
	entry->clock_error = sync.error;
	synchronised[c->cpu] = true;
	return 0;
}

/* NULL, or the first that could not start. */
static const struct traced_cpu *start_all(struct recording *r)
{
	arch_signal_init(signal_handler);
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		struct traced_cpu *c = &r->cpus[i];

		if (c->cpu == arch_cpu()) {
			start_cpu(c);
			c->started = true;
		} else {
			c->error = synchronise(c);
			if (!c->error)
				c->error = arch_cpu_run(c->cpu, trace_cpu, c);
		}
		while (!c->error && !__atomic_load_n(&c->started, __ATOMIC_ACQUIRE))
			arch_relax();
		if (c->error)
			return c;
	}
	return NULL;
}

/* Until it has stopped, for a signal ends only what it finds in the payload's own code. */
static void await(const struct traced_cpu *c)
{
	uint64_t next = 0;

	while (!arch_cpu_idle(c->cpu)) {
		if (clock_now() >= next) {
			arch_cpu_signal(c->cpu);
			next = clock_now() + TICK_NS;
		}
		arch_relax();
	}
}

static void stop_all(struct recording *r)
{
	payload_end_all();
	__atomic_store_n(&r->stop, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		struct traced_cpu *c = &r->cpus[i];

		if (c->cpu == arch_cpu()) {
			if (c->started)
				stop_cpu(c);
			continue;
		}
		if (!arch_cpu_idle(c->cpu))
			arch_cpu_signal(c->cpu);
	}
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		if (r->cpus[i].cpu != arch_cpu())
			await(&r->cpus[i]);
	}
}

/* Before any event is enabled. */
static void await_reader(struct recording *r)
{
	r->found = reader_await(r->region);
	if (r->found == TR_READER_GONE || r->found == TR_READER_LATE)
		console_printf("the reader %s: begun without it\n",
		               r->found == TR_READER_GONE ? "is gone" : "is not ready in time");
}

static int fail_to_start(struct recording *r, const struct traced_cpu *c)
{
	const struct perf_event *event = c->failed;
	const char *reason = event_error_text(c->error);

	if (!event)
		return recording_fail(r, c->error, "CPU %u: %s", c->cpu, reason);
	if (event->group_leader->nr_members > 1)
		return recording_fail(r, c->error, "CPU %u: event %s, in the group of %s: %s",
		                      c->cpu, event->name, event->group_leader->name, reason);
	return recording_fail(r, c->error, "CPU %u: event %s: %s", c->cpu, event->name, reason);
}

int recording_run(struct recording *r)
{
	const struct command *command = r->command;
	const struct traced_cpu *failed;
	const char *uncounted;
	int error = 0;

	current = r;
	payload_begin();
	forget_last_run(r->region);
	trace_region_set_recording(r->region);
	await_reader(r);
	console_hold();
	failed = start_all(r);
	uncounted = recording_uncounted(r);
	if (!failed && !uncounted) {
		arch_irq_enable();
		error = arch_call_payload(payload, r);
		arch_irq_disable();
	}
	stop_all(r);
	console_release();
	recording_tell_counters(r);
	syscalls_take_heap_back();
	current = NULL;
	if (failed)
		return fail_to_start(r, failed);
	if (uncounted)
		return recording_fail(r, -ENXIO, "event %s: %s", uncounted,
		                      event_error_text(-ENXIO));
	if (payload_crash_message())
		return recording_fail(r, -EFAULT, "%s", payload_crash_message());
	if (error && !command->workload->run_program)
		return recording_fail(r, error, "workload %s: %s", command->workload->name,
		                      event_error_text(error));
	r->region->header->exit_status = error;
	if (error)
		console_printf("%s: exit status %d\n", command->workload->name, error);
	recording_summarise(r);
	trace_region_set_state(r->region, TR_COMPLETE);
	return 0;
}

void record_publish(void)
{
	for (unsigned i = 0; current && i < current->nr_cpus; i++)
		publish(&current->cpus[i]);
}
