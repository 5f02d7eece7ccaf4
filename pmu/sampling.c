/* SPDX-License-Identifier: MIT */
#include "pmu/sampling.h"

#include <errno.h>

#include "pmu/clock/clock.h"

#define LONGEST_PERIOD (1ULL << 62)
/* ns or events: a period below some 100 can be overflowed by the exit from the handler alone; 256
 * leaves a margin for events that one instruction causes several times. */
#define DENSE_PERIOD   256U
/* ns: samples closer than this may all come from exits of the handler, however slow the machine
 * is. */
#define DENSE_TIME     100000U

int sampling_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t period = attr->sample_period;

	event->sampling = (struct sampling){ .next = UINT64_MAX };
	if (attr->flags & PERF_ATTR_FREQ) {
		if (!attr->sample_freq || attr->sample_freq > NSEC_PER_SEC / DENSE_PERIOD)
			return -EINVAL;
		period = NSEC_PER_SEC / attr->sample_freq;
	} else if (!period) {
		return 0;
	} else if (period >= LONGEST_PERIOD) {
		return -EINVAL;
	} else if (period < DENSE_PERIOD) {
		event->sampling.dense = clock_span_to_cycles(&machine_clock, DENSE_TIME);
	} else {
		event->sampling.steady = period;
	}
	event->sampling.period = event->sampling.next = period;
	return 0;
}

/* The sampled code must advance, throttled or not. While the pc stays the same and the counter has
 * passed its programmed distance, the distance doubles. An event that is rare enough for the code
 * to advance keeps its period. */
static void sampling_keep_apart(struct perf_event *event, const struct arch_regs *regs,
                                uint64_t now)
{
	struct sampling *s = &event->sampling;
	uint64_t pc = arch_regs_pc(regs), passed = event->count - event->sampled;

	if (now - s->interrupted >= s->dense)
		s->least = 1;
	else if (s->least < DENSE_PERIOD)
		s->least = DENSE_PERIOD;
	else if (pc == s->pc && passed > s->least)
		s->least *= 2;
	else if (s->least > DENSE_PERIOD)
		s->least /= 2;
	s->interrupted = now;
	s->pc = pc;
}

/* ns between samples of -F. */
static uint64_t sampling_span_of(const struct perf_event *event)
{
	uint64_t slower = event->sampling.slower;

	return NSEC_PER_SEC / event->attr.sample_freq * (slower ? slower : 1);
}

/* -F: compute the period that gives the frequency at the rate since the last sample, and move half
 * of the way to it, so that one burst does not change it much. Never more than 64 events per ns.
 * running: the event's time_running now, ns; counted: since the last sample. */
static void sampling_adapt(struct perf_event *event, uint64_t running, uint64_t counted)
{
	struct sampling *s = &event->sampling;
	uint64_t ns = running - s->sampled_at;
	uint64_t span = sampling_span_of(event);
	uint64_t target;

	if (running <= s->sampled_at)
		return;
	target = counted > UINT64_MAX / span ? counted / ns * span : counted * span / ns;
	s->period = s->period / 2 + target / 2;
	if (!s->period)
		s->period = 1;
	if (s->period > span * 64)
		s->period = span * 64;
}

void sampling_counted(struct perf_event *event, const struct arch_regs *regs, uint64_t now)
{
	struct sampling *s = &event->sampling;

	if (event->count < s->next)
		return;
	if (s->dense)
		sampling_keep_apart(event, regs, now);
	if (event->attr.flags & PERF_ATTR_FREQ) {
		uint64_t running = event_times(event, clock_stamp(now)).running;

		sampling_adapt(event, running, event->count - event->sampled);
		s->sampled_at = running;
	}
	if (event->count - s->next >= s->period)
		s->next += (event->count - s->next) / s->period * s->period;
	s->next += s->period;
	event_overflow(event, regs, now);
}

void sampling_drained(struct perf_event *event)
{
	struct sampling *s = &event->sampling;
	uint64_t running;

	if (!(event->attr.flags & PERF_ATTR_FREQ) || event->sampled == s->drained_sampled)
		return;
	running = event_times(event, clock_stamp_of(event->cpu, arch_cycles())).running;
	sampling_adapt(event, running, event->count - s->drained_count);
	s->sampled_at = running;
	s->drained_count = event->count;
	s->drained_sampled = event->sampled;
}

/* The handler may run between any two of these stores; it uses the old period or the new one. */
void sampling_slow(struct perf_event *event, uint64_t factor)
{
	struct sampling *s = &event->sampling;
	uint64_t period = event->attr.sample_period;

	if (!s->period)
		return;
	if (event->attr.flags & PERF_ATTR_FREQ) {
		__atomic_store_n(&s->slower, factor, __ATOMIC_RELAXED);
		return;
	}
	period = period < LONGEST_PERIOD / factor ? period * factor : LONGEST_PERIOD;
	__atomic_store_n(&s->steady, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&s->period, period, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!s->dense)
		__atomic_store_n(&s->steady, period, __ATOMIC_RELAXED);
}

/* The handler's counter data may change only while the counter is stopped. */
static void sampling_restart(struct perf_event *event, uint64_t running)
{
	const struct pmu *pmu = event->pmu;

	if (pmu->disable)
		pmu->disable();
	pmu->stop(event);
	sampling_adapt(event, running, event->count - event->sampled);
	event->sampling.next = event->sampled + event->sampling.period;
	if (event->state == EVENT_ACTIVE) /* the last sample has not throttled it */
		pmu->start(event);
	if (pmu->enable)
		pmu->enable();
}

void sampling_tick(struct perf_event *event, uint64_t now)
{
	uint64_t span, running;

	if (!event->sampling.period)
		return;
	span = sampling_span_of(event);
	running = event_times(event, now).running;
	if (running > event->sampling.sampled_at + 2 * span && event->sampling.period > 1)
		sampling_restart(event, running);
}
