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
#include "agent/payload/payload_hooks.h"
#include "agent/payload/payload_run.h"
#include "agent/record/lossless/lossless_hold.h"
#include "agent/record/lossless/record_lossless.h"
#include "agent/record/record.h"
#include "agent/record/record_cpu.h"
#include "agent/record/record_ledger.h"
#include "agent/record/record_run.h"
#include "agent/record/record_stop.h"
#include "agent/record/recording.h"
#include "pmu/clock/clock.h"

/* The tick wakes a sleeping CPU within a millisecond. The signal is for a CPU that masks the tick,
 * or that runs a thread of the payload. */
static void record_cpus_signal_handler(const struct arch_regs *regs)
{
	struct traced_cpu *c = recording_here();
	bool alone = c && arch_interrupts_thread(regs);

	if (alone) {
		recording_switch_here(c);
		lossless_look(c);
	}
	payload_interrupted(regs);
	if (alone && arch_trace_held()) /* otherwise a tick or the next signal stops it */
		recording_stop_by_nmi(c);
}

static const struct ring *record_cpus_ring(void)
{
	const struct traced_cpu *c = recording_here();

	return c ? &c->ring : NULL;
}

static const struct payload_hooks hooks = {
	.record = record_switch,
	.hold = lossless_hold,
	.release = lossless_release,
	.ring = record_cpus_ring,
};

const struct traced_cpu *recording_start_all(struct recording *r)
{
	recording_set_now(r);
	payload_set_hooks(&hooks);
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

/* Signal the CPU until it has stopped: a signal works only if it interrupts the payload's own code.
 */
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
	recording_set_now(NULL);
}

void record_publish(void)
{
	const struct recording *r = recording_now();

	if (r)
		trace_region_set_backtrace(r->region, panic_backtrace());
	for (unsigned i = 0; r && i < r->nr_cpus; i++) {
		recording_publish(&r->cpus[i], clock_now());
		recording_keep(&r->cpus[i], UINT64_MAX);
	}
}
