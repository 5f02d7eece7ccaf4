/* SPDX-License-Identifier: MIT */
/* Housekeeping on a traced CPU: its tick, and the NMI that reaches what masks the tick. */
#include "agent/input/mailbox.h"
#include "agent/record/record_lossless.h"
#include "agent/record/recording.h"
#include "lib/watchdog.h"
#include "pmu/clock.h"
#include "pmu/pmu.h"

/* The host may stop the events before the workload ends, be it that it hangs, and a key may: each
 * CPU stops its own, and waits for nobody. */
static bool record_tick_is_told_to_stop(const struct recording *r, bool is_asked)
{
	return (is_asked && mailbox_has(r->region, "stop")) ||
	       __atomic_load_n(&r->by_key, __ATOMIC_ACQUIRE) ||
	       (r->channel->lines && lines_have_typed(r->channel->lines, "stop"));
}

static bool record_tick_obey_stop(struct traced_cpu *c, bool is_asked)
{
	if (!c->stopped && record_tick_is_told_to_stop(c->recording, is_asked)) {
		context_stop(&c->context);
		__atomic_store_n(&c->stopped, true, __ATOMIC_RELEASE);
	}
	return c->stopped;
}

/* At every tick, until all have stopped. One that has not started hears it at its first: an NMI
 * before it has its tables would reset an x86 machine. */
void recording_tell_others(const struct recording *r)
{
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		const struct traced_cpu *c = &r->cpus[i];

		if (c->cpu != arch_cpu() && __atomic_load_n(&c->started, __ATOMIC_ACQUIRE) &&
		    !__atomic_load_n(&c->stopped, __ATOMIC_ACQUIRE))
			arch_cpu_signal(c->cpu);
	}
}

void recording_stop_by_nmi(struct traced_cpu *c)
{
	if (!c->live || c->stopped || !record_tick_obey_stop(c, true))
		return;
	recording_publish(c, clock_now());
	recording_tell_others(c->recording);
}

void recording_attend(struct perf_event *event)
{
	struct traced_cpu *c = recording_here();

	if (!c || c->aux_event != event)
		return;
	if (c->live) /* a request from before that is heard once it is live */
		event->heard = __atomic_load_n(event->asked, __ATOMIC_ACQUIRE);
	recording_stop_by_nmi(c);
}

/* A reader whose line is too slow asks for fewer samples. The command stays, so that each CPU hears
 * it. */
static void record_tick_obey_slower(struct traced_cpu *c)
{
	uint64_t factor;

	if (!mailbox_has_number(c->recording->region, "slower ", TR_SLOWEST, &factor) ||
	    factor == c->slower)
		return;
	c->slower = factor;
	context_slow(&c->context, factor);
}

static void record_tick_go_on(struct traced_cpu *c, bool is_asked)
{
	if (is_asked)
		record_tick_obey_slower(c);
	if (c->aux_event && c->aux_event->pmu->poll)
		c->aux_event->pmu->poll(c->aux_event);
	recording_snapshot(c);
	context_tick(&c->context);
}

static void tick_tell(struct traced_cpu *c)
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

static void record_tick_look_for_key(struct traced_cpu *c)
{
	if (c == c->recording->cpus && !c->recording->hosted)
		recording_keys_tick(c->recording);
}

void recording_tick_standing(struct traced_cpu *c)
{
	record_tick_look_for_key(c);
	ring_tick(&c->ring);
	if (record_tick_obey_stop(c, true))
		recording_tell_others(c->recording);
	tick_tell(c);
}

void recording_tick(struct tick *tick, const struct arch_regs *regs)
{
	struct traced_cpu *c =
	    (struct traced_cpu *)((char *)tick - offsetof(struct traced_cpu, tick));
	struct recording *r = c->recording;
	bool is_asked = mailbox_is_asked(r->region);

	record_tick_look_for_key(c);
	ring_report_lost(&c->ring, &c->events[0].account);
	ring_tick(&c->ring);
	if (record_tick_obey_stop(c, is_asked))
		recording_tell_others(r);
	else
		record_tick_go_on(c, is_asked);
	if (c->paused != __atomic_load_n(&r->off, __ATOMIC_RELAXED))
		recording_switch_here(c);
	if (r->command->lossless)
		lossless_tick(c);
	tick_tell(c);
	channel_tick(r->channel);
	recording_keys_leave(r, regs);
}
