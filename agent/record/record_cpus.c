/* SPDX-License-Identifier: MIT */
/*
 * All traced CPUs: each starts and stops its own events, the boot CPU runs the workload.
 *
 *	boot CPU			another traced CPU
 *	arch_cpu_run()		──▶	recording_start_cpu(), started
 *	all started: the workload	sleeps, its interrupts sample
 *	stop, signal		──▶	wakes, recording_stop_cpu(), idle
 *	all idle: TR_COMPLETE
 */
#include "agent/payload/payload_run.h"
#include "agent/record/record.h"
#include "agent/record/record_lossless.h"
#include "agent/record/recording.h"
#include "pmu/clock.h"

static struct recording *current; /* while its rings are live */

struct recording *recording_now(void)
{
	return __atomic_load_n(&current, __ATOMIC_RELAXED);
}

struct traced_cpu *recording_here(void)
{
	struct recording *r = recording_now();

	for (unsigned i = 0; r && i < r->nr_cpus; i++) {
		if (r->cpus[i].cpu == arch_cpu())
			return &r->cpus[i];
	}
	return NULL;
}

/* The tick wakes a sleeping CPU within a millisecond; the signal is for one that masks it, and
 * for one that runs a thread of the payload. */
static void record_cpus_signal_handler(const struct arch_regs *regs)
{
	struct traced_cpu *c = recording_here();
	bool alone = c && arch_interrupts_thread(regs);

	if (alone) {
		recording_switch_here(c);
		lossless_look(c);
	}
	payload_interrupted(regs);
	if (alone && arch_trace_held()) /* else a tick stops it, or the next signal */
		recording_stop_by_nmi(c);
}

const struct traced_cpu *recording_start_all(struct recording *r)
{
	__atomic_store_n(&current, r, __ATOMIC_RELAXED);
	arch_signal_init(record_cpus_signal_handler);
	lossless_begin(r);
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		struct traced_cpu *c = &r->cpus[i];

		if (c->cpu == arch_cpu()) {
			recording_start_cpu(c);
			c->started = true;
		} else {
			c->code = recording_synchronise(c);
			if (!c->code)
				c->code = arch_cpu_run(c->cpu, recording_trace_cpu, c);
		}
		while (!c->code && !__atomic_load_n(&c->started, __ATOMIC_ACQUIRE))
			arch_relax();
		if (c->code)
			return c;
	}
	lossless_started(r);
	return NULL;
}

/* Until it has stopped, for a signal ends only what it finds in the payload's own code. */
static void record_cpus_await(const struct traced_cpu *c)
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

void recording_stop_all(struct recording *r)
{
	payload_end_all();
	__atomic_store_n(&r->stop, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		struct traced_cpu *c = &r->cpus[i];

		if (c->cpu == arch_cpu()) {
			if (c->started && !c->forced)
				recording_stop_cpu(c);
			continue;
		}
		if (!arch_cpu_idle(c->cpu))
			arch_cpu_signal(c->cpu);
	}
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		if (r->cpus[i].cpu != arch_cpu())
			record_cpus_await(&r->cpus[i]);
	}
	lossless_end(r);
	__atomic_store_n(&current, NULL, __ATOMIC_RELAXED);
}

void record_publish(void)
{
	if (current)
		trace_region_set_backtrace(current->region, panic_backtrace());
	for (unsigned i = 0; current && i < current->nr_cpus; i++) {
		recording_publish(&current->cpus[i], clock_now());
		recording_keep(&current->cpus[i], UINT64_MAX);
	}
}
