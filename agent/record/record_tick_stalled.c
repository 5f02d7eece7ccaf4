/* SPDX-License-Identifier: MIT */
/* The parts of the tick that also run while `--lossless` stalls the CPU. */
#include "agent/record/record_beside.h"
#include "agent/record/record_ledger.h"
#include "agent/record/record_stop.h"
#include "agent/record/record_tick.h"
#include "agent/record/recording.h"
#include "lib/watchdog.h"
#include "pmu/clock/clock.h"

void recording_tick_publish(struct traced_cpu *c)
{
	uint64_t now = clock_stamp_of(c->cpu, arch_cycles());
	struct recording *r = c->recording;

	recording_publish(c, now);
	if (c == r->cpus) {
		if (clock_frozen[c->cpu])
			now = clock_steady();
		trace_region_beat(r->region, now);
		if (!r->hosted) {
			recording_progress_tick(r, now);
			if (now >= watchdog_due)
				watchdog_serve(now);
		}
	}
	recording_keep(c, RING_KEEP_TICK);
}

void recording_tick_look_for_key(struct traced_cpu *c)
{
	if (c == c->recording->cpus && !c->recording->hosted)
		recording_keys_tick(c->recording);
}

void recording_tick_stalled(struct traced_cpu *c)
{
	recording_tick_look_for_key(c);
	ring_tick(&c->ring);
	if (recording_obey_stop(c, true))
		recording_signal_others(c->recording);
	recording_tick_publish(c);
}
