/* SPDX-License-Identifier: MIT */
/*
 * A machine that hangs with interrupts masked does not see the host's stop. A debugger can set its
 * boot CPU to this code, and afterwards back to the hung code:
 *
 *	debugger				boot CPU
 *	saves the registers			hangs
 *	pc = tr_header.forced_stop, go ──▶	its own stack, interrupts masked
 *						events off, ledgers final, state = FAILED (release)
 *	sees FAILED, stops it, sets	◀──	spins
 *	the registers back, go ──────────▶	hangs, untraced
 *
 * This replaces the end of recording_run(), because the hung workload does not return there.
 */
#include <errno.h>

#include "agent/record/record.h"
#include "agent/record/record_cpu.h"
#include "agent/record/record_stop.h"
#include "agent/record/recording.h"
#include "pmu/clock/clock.h"

#define OTHERS_NS 100000000U /* time that the other CPUs get to stop */

static bool force_all_stopped(const struct recording *r)
{
	bool all = true;

	for (unsigned i = 0; i < r->nr_cpus; i++)
		all = all && __atomic_load_n(&r->cpus[i].stopped, __ATOMIC_ACQUIRE);
	return all;
}

/* The other CPUs stop in their ticks or by a signal: the debugger has posted `stop'. Returns
 * whether all have stopped. */
static bool force_others(const struct recording *r)
{
	uint64_t until = clock_now() + OTHERS_NS, next = 0;

	while (!force_all_stopped(r) && clock_now() < until) {
		if (clock_now() >= next) {
			recording_signal_others(r);
			next = clock_now() + TICK_NS;
		}
		arch_relax();
	}
	return force_all_stopped(r);
}

void record_stop_by_force(void)
{
	struct traced_cpu *c = recording_here();

	if (c && c->live && !c->forced) {
		struct trace_region *region = c->recording->region;

		c->forced = true;
		recording_stop_cpu(c);
		__atomic_store_n(&c->stopped, true, __ATOMIC_RELEASE);
		trace_region_set_message(
		    region, -EINTR,
		    force_others(c->recording)
		        ? "stopped by a debugger, because the workload masked interrupts"
		        : "stopped by a debugger on the first CPU; others mask interrupts as well and may "
		          "still sample");
		trace_region_set_state(region, TR_FAILED);
	}
	for (;;)
		arch_relax();
}
