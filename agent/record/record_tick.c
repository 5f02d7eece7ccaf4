/* SPDX-License-Identifier: MIT */
/* The tick of a traced CPU. */
#include "agent/record/record_tick.h"

#include "agent/input/mailbox.h"
#include "agent/record/lossless/record_lossless.h"
#include "agent/record/record_beside.h"
#include "agent/record/record_events.h"
#include "agent/record/record_stop.h"
#include "agent/record/recording.h"
#include "pmu/clock/clock.h"
#include "pmu/pmu.h"

void recording_attend(struct perf_event *event)
{
	struct traced_cpu *c = recording_here();

	if (!c || c->aux_event != event)
		return;
	if (c->live) /* a request that came earlier is obeyed once the CPU is live */
		event->heard = __atomic_load_n(event->asked, __ATOMIC_ACQUIRE);
	recording_stop_by_nmi(c);
}

/* A reader whose line is too slow asks for fewer samples. The mailbox keeps the command, so that
 * each CPU sees it. */
static void record_tick_obey_slower(struct traced_cpu *c)
{
	uint64_t factor;

	if (!mailbox_has_number(c->recording->region, "slower ", TR_SLOWEST, &factor) ||
	    factor == c->slower)
		return;
	c->slower = factor;
	context_slow(&c->context, factor);
}

/* One event's poll serves all of the CPU. */
static void record_tick_drain(struct traced_cpu *c)
{
	for (unsigned i = 0; i < c->recording->nr_events; i++) {
		if (c->events[i].memory) {
			c->events[i].pmu->poll(&c->events[i]);
			return;
		}
	}
}

static void record_tick_continue(struct traced_cpu *c, bool is_asked)
{
	if (is_asked)
		record_tick_obey_slower(c);
	if (c->aux_event && c->aux_event->pmu->poll)
		c->aux_event->pmu->poll(c->aux_event);
	if (c->memory)
		record_tick_drain(c);
	recording_snapshot(c);
	context_tick(&c->context);
}

void recording_tick(struct tick *tick, const struct arch_regs *regs)
{
	struct traced_cpu *c =
	    (struct traced_cpu *)((char *)tick - offsetof(struct traced_cpu, tick));
	struct recording *r = c->recording;
	bool is_asked = mailbox_is_asked(r->region);

	recording_tick_look_for_key(c);
	ring_report_lost(&c->ring, &c->events[0].account);
	ring_tick(&c->ring);
	if (recording_obey_stop(c, is_asked))
		recording_signal_others(r);
	else
		record_tick_continue(c, is_asked);
	if (c->paused != __atomic_load_n(&r->off, __ATOMIC_RELAXED))
		recording_switch_here(c);
	if (r->command->lossless)
		lossless_tick(c);
	recording_tick_publish(c);
	channel_tick(r->channel);
	recording_keys_leave(r, regs);
}
