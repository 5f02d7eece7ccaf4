/* SPDX-License-Identifier: MIT */
/*
 * A machine that hangs with its interrupts masked hears no stop. A debugger can have its boot CPU
 * come here, and set it back to where it was:
 *
 *	debugger				boot CPU
 *	saves the registers			hangs
 *	pc = tr_header.forced_stop, go ──▶	its own stack, interrupts masked
 *						events off, ledgers final, state = FAILED (release)
 *	sees FAILED, stops it, sets	◀──	spins
 *	the registers back, go ──────────▶	hangs, untraced
 *
 * As in recording_run(), to which the workload returns, but it does not.
 */
#include <errno.h>

#include "agent/record/record.h"
#include "agent/record/recording.h"
#include "pmu/clock/clock.h"

#define OTHERS_NS 100000000U /* that the other CPUs get to stop */

static bool force_all_stopped(const struct recording *r)
{
	bool all = true;

	for (unsigned i = 0; i < r->nr_cpus; i++)
		all = all && __atomic_load_n(&r->cpus[i].stopped, __ATOMIC_ACQUIRE);
	return all;
}

/* Their own ticks stop them, or a signal; the debugger has posted `stop'. */
static bool force_others(const struct recording *r)
{
	uint64_t until = clock_now() + OTHERS_NS, next = 0;

	while (!force_all_stopped(r) && clock_now() < until) {
		if (clock_now() >= next) {
			recording_tell_others(r);
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
		        ? "stopped by a debugger, while the workload did not let interrupts in"
		        : "stopped by a debugger on the first CPU; others may still sample, as they "
		          "do not let interrupts in either");
		trace_region_set_state(region, TR_FAILED);
	}
	for (;;)
		arch_relax();
}
