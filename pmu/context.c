/* SPDX-License-Identifier: MIT */
#include "pmu/context.h"

#include <errno.h>

#include "pmu/clock/clock.h"
#include "pmu/group.h"
#include "pmu/sampling.h"
#include "pmu/throttle.h"

static struct perf_event *context_end(const struct perf_event_context *c)
{
	return c->events + c->nr_events;
}

/* A source with several events is frozen several times; that has the same effect as once. */
static void context_disable_all(const struct perf_event_context *c)
{
	for (struct perf_event *e = c->events; e < context_end(c); e++) {
		if (e->pmu->disable)
			e->pmu->disable();
	}
}

static void context_enable_all(const struct perf_event_context *c)
{
	for (struct perf_event *e = c->events; e < context_end(c); e++) {
		if (e->pmu->enable)
			e->pmu->enable();
	}
}

static bool context_has_member_of(const struct perf_event *leader, const struct pmu *pmu)
{
	for (unsigned i = 0; i < leader->nr_members; i++) {
		if (leader[i].pmu == pmu)
			return true;
	}
	return false;
}

/* A group that fills an AUX area needs counters of its own, and its trace runs while other groups
 * start and stop. So it claims first, starts last and stops first. */
static bool context_fills_aux(const struct perf_event *leader)
{
	for (unsigned i = 0; i < leader->nr_members; i++) {
		if (leader[i].pmu->source.flags & PMU_AUX)
			return true;
	}
	return false;
}

/* This source has too few counters: all groups that use it take turns from now on. */
static void context_contend(struct perf_event_context *c, const struct pmu *pmu)
{
	for (struct perf_event *e = c->events; e < context_end(c); e += e->nr_members)
		e->rotates = e->rotates || (context_has_member_of(e, pmu) && !context_fills_aux(e));
}

/* This kind of CPU cannot count one of the group's events. */
static void context_switch_off(struct perf_event *leader, uint64_t now)
{
	for (unsigned i = 0; i < leader->nr_members; i++)
		event_set_state(&leader[i], EVENT_OFF, now);
}

/* Give counters to every waiting group, from `first` on. A group that gets none keeps waiting. */
static int context_sched_in(struct perf_event_context *c, uint64_t now,
                            const struct perf_event **failed)
{
	struct perf_event *leader = c->events + c->first;
	unsigned seen = 0;

	while (seen < c->nr_events) {
		int code = 0;

		if (leader->state == EVENT_INACTIVE && !context_fills_aux(leader))
			code = group_sched_in(leader, now, failed);
		if (code == -ENXIO)
			context_switch_off(leader, now);
		else if (code == -EAGAIN)
			context_contend(c, (*failed)->pmu);
		else if (code)
			return code;
		seen += leader->nr_members;
		leader += leader->nr_members;
		if (leader == context_end(c))
			leader = c->events;
	}
	return 0;
}

static void context_sched_out(struct perf_event_context *c, bool all, uint64_t now)
{
	for (struct perf_event *e = c->events; e < context_end(c); e += e->nr_members) {
		if (e->state != EVENT_OFF && e->state != EVENT_INACTIVE && !context_fills_aux(e) &&
		    (all || e->rotates))
			group_sched_out(e, now);
	}
}

/* Advance to the next group that rotates; if it is the only one, it stays. */
static void context_advance(struct perf_event_context *c)
{
	do {
		c->first += c->events[c->first].nr_members;
		c->first %= c->nr_events;
	} while (!c->events[c->first].rotates);
}

static void context_rotate(struct timer *timer, const struct arch_regs *regs, uint64_t cycles)
{
	struct perf_event_context *c =
	    (struct perf_event_context *)((char *)timer -
	                                  offsetof(struct perf_event_context, timer));
	const struct perf_event *failed;
	uint64_t now = clock_stamp(cycles);

	(void)regs;
	context_disable_all(c);
	context_sched_out(c, false, now);
	context_advance(c);
	context_sched_in(c, now, &failed);
	context_enable_all(c);
	c->rotations++;
	timer_restart(timer, cycles + c->interval);
}

static const struct perf_event *context_find_waiting(const struct perf_event_context *c)
{
	for (const struct perf_event *e = c->events; e < context_end(c); e += e->nr_members) {
		if (e->state == EVENT_INACTIVE && !context_fills_aux(e))
			return e;
	}
	return NULL;
}

/* Some groups have to wait. Each of them must fit alone, or it would wait for ever. */
static int context_check_turns(struct perf_event_context *c, uint64_t now,
                               const struct perf_event **failed)
{
	int code = 0;

	context_sched_out(c, false, now);
	for (struct perf_event *e = c->events; e < context_end(c) && !code; e += e->nr_members) {
		if (!e->rotates)
			continue;
		code = group_claim(e, failed);
		if (!code)
			group_give_back(e);
	}
	return code ? code : context_sched_in(c, now, failed);
}

/* ---- Groups that fill an AUX area ---- */

static int context_claim_aux(struct perf_event_context *c, const struct perf_event **failed)
{
	for (struct perf_event *e = c->events; e < context_end(c); e += e->nr_members) {
		int code = context_fills_aux(e) ? group_claim(e, failed) : -ENXIO;

		if (code == -ENXIO)
			continue; /* the group is off, or is not of the wanted kind */
		if (code)
			return code;
		event_set_state(e, EVENT_INACTIVE, clock_now());
	}
	return 0;
}

static void context_start_one(struct perf_event *event)
{
	if (event->pmu->disable)
		event->pmu->disable();
	event_set_state(event, EVENT_ACTIVE, clock_now());
	event->pmu->start(event);
	if (event->pmu->enable)
		event->pmu->enable();
}

static void context_stop_one(struct perf_event *event)
{
	if (event->pmu->disable)
		event->pmu->disable();
	if (event->state == EVENT_ACTIVE)
		event->pmu->stop(event);
	event_set_state(event, EVENT_INACTIVE, clock_now());
	if (event->pmu->enable)
		event->pmu->enable();
}

/* Call for each event of groups that fill an AUX area: events that fill it themselves (that_fill),
 * or the others. */
static void context_for_aux_groups(const struct perf_event_context *c, bool that_fill,
                                   void (*call)(struct perf_event *event))
{
	for (struct perf_event *e = c->events; e < context_end(c); e++) {
		bool fills = e->pmu->source.flags & PMU_AUX;

		if (context_fills_aux(e->group_leader) && fills == that_fill &&
		    e->group_leader->state != EVENT_OFF)
			call(e);
	}
}

static void context_start_aux(const struct perf_event_context *c)
{
	context_for_aux_groups(c, false, context_start_one);
	context_for_aux_groups(c, true, context_start_one);
}

static void context_stop_aux(const struct perf_event_context *c)
{
	context_for_aux_groups(c, true, context_stop_one);
	context_for_aux_groups(c, false, context_stop_one);
	for (struct perf_event *e = c->events; e < context_end(c); e += e->nr_members) {
		if (context_fills_aux(e) && e->state != EVENT_OFF)
			group_give_back(e);
	}
}

/* ---- Start and stop ---- */

static int context_start_all(struct perf_event_context *c, uint64_t now,
                             const struct perf_event **failed)
{
	int code;

	for (struct perf_event *e = c->events; e < context_end(c); e++) {
		if (!context_fills_aux(e->group_leader))
			event_set_state(e, EVENT_INACTIVE, now);
	}
	code = context_sched_in(c, now, failed);
	if (code || !context_find_waiting(c))
		return code;
	c->first = (unsigned)(context_find_waiting(c) - c->events);
	return context_check_turns(c, now, failed);
}

int context_start(struct perf_event_context *context, struct perf_event *events, unsigned nr_events,
                  const struct perf_event **failed)
{
	int code;

	*context = (struct perf_event_context){
		.events = events,
		.nr_events = nr_events,
		.timer.expire = context_rotate,
		.interval = clock_span_to_cycles(&machine_clock, MUX_INTERVAL_NS),
	};
	*failed = NULL;
	code = context_claim_aux(context, failed);
	context_disable_all(context);
	if (!code)
		code = context_start_all(context, clock_now(), failed);
	context_enable_all(context);
	if (code) {
		context_stop(context);
		return code;
	}
	context_start_aux(context);
	if (context_find_waiting(context))
		timer_start(&context->timer, arch_cycles() + context->interval);
	return 0;
}

/* A paused event keeps its counters, stopped, as a throttled event does. */
static void context_unpause(const struct perf_event_context *c, uint64_t now)
{
	for (struct perf_event *e = c->events; c->paused && e < context_end(c); e++)
		event_set_state(e, e->held == EVENT_ACTIVE ? EVENT_THROTTLED : e->held, now);
}

void context_stop(struct perf_event_context *context)
{
	uint64_t now;

	timer_cancel(&context->timer);
	context_stop_aux(context);
	context_disable_all(context);
	now = clock_now();
	context_unpause(context, now);
	context_sched_out(context, true, now);
	for (struct perf_event *e = context->events; e < context_end(context); e++)
		event_set_state(e, EVENT_OFF, now);
	context_enable_all(context);
}

void context_tick(struct perf_event_context *context)
{
	bool throttled = false, frequency = false;
	uint64_t now;

	for (const struct perf_event *e = context->events; e < context_end(context); e++) {
		throttled |= e->state == EVENT_THROTTLED;
		frequency |= (e->attr.flags & PERF_ATTR_FREQ) != 0;
	}
	if (!throttled && !frequency)
		return;
	now = clock_stamp_of(context->events->cpu, arch_cycles());
	if (throttled) {
		context_disable_all(context);
		for (struct perf_event *e = context->events; e < context_end(context); e++)
			throttle_end(e, now);
		context_enable_all(context);
	}
	for (struct perf_event *e = context->events; e < context_end(context); e++) {
		if (e->state == EVENT_ACTIVE && (e->attr.flags & PERF_ATTR_FREQ))
			sampling_tick(e, now);
	}
}

void context_slow(struct perf_event_context *context, uint64_t factor)
{
	for (struct perf_event *e = context->events; e < context_end(context); e++) {
		if (!e->pmu->slow || !e->attr.sample_period)
			continue;
		e->pmu->slow(e, factor);
		e->slower = factor;
	}
}

/* ---- A CPU that stalls for room ---- */

void context_stall(struct perf_event_context *context)
{
	context_disable_all(context);
}

void context_go(struct perf_event_context *context)
{
	context_enable_all(context);
}

void context_pass(struct perf_event_context *context, uint64_t from, uint64_t to)
{
	for (struct perf_event *e = context->events; e < context_end(context); e++) {
		if (e->state == EVENT_ACTIVE && e->pmu->pass)
			e->pmu->pass(e, from, to);
		event_set_state(e, e->state, clock_stamp(from));
		e->tstamp = clock_stamp(to);
	}
	timer_put_off(to - from);
}

void context_frozen(struct perf_event_context *context, uint64_t cycles)
{
	for (struct perf_event *e = context->events; e < context_end(context); e++) {
		e->tstamp = clock_stamp(cycles);
		e->usual.clock = clock_line_of(e->cpu);
	}
}

/* ---- Paused by the program ---- */

void context_pause(struct perf_event_context *context)
{
	uint64_t now;

	context->takes_turns = timer_cancel(&context->timer);
	context_disable_all(context);
	now = clock_now();
	for (struct perf_event *e = context->events; e < context_end(context); e++) {
		e->held = e->state;
		if (e->state == EVENT_ACTIVE)
			e->pmu->stop(e);
		event_set_state(e, EVENT_OFF, now);
	}
	context->paused = true;
	context_enable_all(context);
}

void context_resume(struct perf_event_context *context)
{
	uint64_t now;

	context_disable_all(context);
	now = clock_now();
	for (struct perf_event *e = context->events; e < context_end(context); e++) {
		event_set_state(e, e->held, now);
		e->held = EVENT_OFF;
		if (e->state == EVENT_ACTIVE)
			e->pmu->start(e);
	}
	context->paused = false;
	context_enable_all(context);
	if (context->takes_turns)
		timer_start(&context->timer, arch_cycles() + context->interval);
}

void context_start_paused(struct perf_event_context *context)
{
	context_pause(context);
	for (struct perf_event *e = context->events; e < context_end(context); e++) {
		e->time_enabled = e->time_running = 0;
		if (!e->account.generated)
			e->count = 0;
	}
}
