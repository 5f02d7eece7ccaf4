/* SPDX-License-Identifier: MIT */
/*
 * The program pauses and resumes its own recording:
 *
 *	a thread of the program		each traced CPU
 *	off, then a signal	──▶	its events pause: signal, or tick
 *	waits for all		◀──	paused
 */
#include <errno.h>

#include "agent/record/record.h"
#include "agent/record/record_stop.h"
#include "agent/record/recording.h"
#include "pmu/clock/clock.h"

#define PATIENCE_NS 100000000U /* the longest wait for a CPU that masks interrupts */
#define LOOK_NS     10000U /* the most ns that one look counts for: this CPU may stall in between */

static bool record_switch_is_off(const struct recording *r)
{
	return __atomic_load_n(&r->off, __ATOMIC_ACQUIRE);
}

bool recording_switch_is_due(const struct traced_cpu *c)
{
	return c->live && !c->stopped && c->paused != record_switch_is_off(c->recording);
}

void recording_switch_here(struct traced_cpu *c)
{
	bool off = record_switch_is_off(c->recording);

	if (!recording_switch_is_due(c))
		return;
	if (off)
		context_pause(&c->context);
	else
		context_resume(&c->context);
	__atomic_store_n(&c->paused, off, __ATOMIC_RELEASE);
}

static bool record_switch_is_done(const struct traced_cpu *c)
{
	return __atomic_load_n(&c->paused, __ATOMIC_ACQUIRE) ==
	           record_switch_is_off(c->recording) ||
	       __atomic_load_n(&c->stopped, __ATOMIC_ACQUIRE);
}

static bool record_switch_all_done(const struct recording *r)
{
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		if (!record_switch_is_done(&r->cpus[i]))
			return false;
	}
	return true;
}

static void record_switch_signal_rest(const struct recording *r)
{
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		if (!record_switch_is_done(&r->cpus[i]))
			arch_cpu_signal(r->cpus[i].cpu);
	}
}

int record_switch(bool on)
{
	struct recording *r = recording_now();
	uint64_t last = clock_steady(), looked = 0, next = 0;

	if (!r)
		return -ENODEV;
	if (r->aux_pages)
		return -EOPNOTSUPP;
	__atomic_store_n(&r->off, !on, __ATOMIC_RELEASE);
	while (!record_switch_all_done(r)) {
		uint64_t now = clock_steady();

		looked += clock_look(&last, now, LOOK_NS);
		if (looked >= PATIENCE_NS)
			return -ETIMEDOUT;
		if (now >= next) {
			record_switch_signal_rest(r);
			next = now + TICK_NS;
		}
		arch_relax();
	}
	return 0;
}
