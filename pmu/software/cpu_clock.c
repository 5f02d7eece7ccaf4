/* SPDX-License-Identifier: MIT */
/*
 * cpu-clock: time itself as an event, in ns, sampled by the CPU's timer. It needs no PMU. It does
 * not see code that masks interrupts: such a sample comes late, with the whole gap as its PERIOD.
 * If the timer has no interrupt, cpu-clock only counts.
 */
#include "pmu/software/cpu_clock.h"

#include <errno.h>

#include "pmu/clock/clock.h"
#include "pmu/parse/events.h"

#define SHORTEST_PERIOD 1000ULL /* ns: below it the CPU would only take interrupts */

static int cpu_clock_probe(const char **why)
{
	*why = NULL;
	return 0; /* without a timer bareperf does not run at all */
}

/* All calls convert with the same rounding base, so their differences add up to the exact total. */
static void cpu_clock_update(struct perf_event *event, uint64_t now)
{
	struct hw_cpu_clock *hw = cpu_clock_of(event);

	event->count += clock_to_ns(&machine_clock, now) - clock_to_ns(&machine_clock, hw->since);
	hw->since = now;
}

static void cpu_clock_expire(struct timer *timer, const struct arch_regs *regs, uint64_t now)
{
	struct perf_event *event = (struct perf_event *)((char *)timer -
	                                                 offsetof(struct perf_event, hw) -
	                                                 offsetof(struct hw_cpu_clock, timer));
	struct hw_cpu_clock *hw = cpu_clock_of(event);
	uint64_t late = now - timer->deadline;
	/* Stay on the grid; missed periods are in this sample's PERIOD. */
	uint64_t next = timer->deadline + (late / hw->period + 1) * hw->period;

	cpu_clock_update(event, now);
	hw->left = next - now;
	event_overflow(event, regs, now);
	if (hw->running)
		timer_restart(timer, next);
}

/* ns between samples, as attr says; 0: it only counts. */
static uint64_t cpu_clock_period_of(const struct perf_event_attr *attr)
{
	uint64_t period = attr->sample_period;

	if (attr->flags & PERF_ATTR_FREQ)
		return attr->sample_freq ? NSEC_PER_SEC / attr->sample_freq : 0;
	return !period || period > SHORTEST_PERIOD ? period : SHORTEST_PERIOD; /* as in perf */
}

static int cpu_clock_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t period = cpu_clock_period_of(attr);

	if (attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_CPU_CLOCK)
		return -ENOENT;
	*cpu_clock_of(event) = (struct hw_cpu_clock){ .timer.expire = cpu_clock_expire };
	if (!period && !(attr->flags & PERF_ATTR_FREQ))
		return 0;
	if (period < SHORTEST_PERIOD)
		return -EINVAL;
	event->why = arch_timer_lacks();
	if (event->why)
		return -ENODEV;
	cpu_clock_of(event)->period = clock_span_to_cycles(&machine_clock, period);
	cpu_clock_of(event)->left = cpu_clock_of(event)->period;
	return 0;
}

static int cpu_clock_add(struct perf_event *event)
{
	(void)event; /* the timer is shared, so there is nothing to claim */
	return 0;
}

static void cpu_clock_del(struct perf_event *event)
{
	(void)event;
}

static void cpu_clock_start(struct perf_event *event)
{
	struct hw_cpu_clock *hw = cpu_clock_of(event);

	hw->since = arch_cycles();
	hw->running = true;
	if (hw->period)
		timer_start(&hw->timer, hw->since + hw->left);
}

static void cpu_clock_stop(struct perf_event *event)
{
	struct hw_cpu_clock *hw = cpu_clock_of(event);

	if (!hw->running)
		return;
	hw->running = false;
	cpu_clock_update(event, arch_cycles());
	if (timer_cancel(&hw->timer))
		hw->left = hw->timer.deadline > hw->since ? hw->timer.deadline - hw->since : 0;
}

static void cpu_clock_read(struct perf_event *event)
{
	if (cpu_clock_of(event)->running)
		cpu_clock_update(event, arch_cycles());
}

/* The timer stays queued as it was; the new grid begins at its deadline. */
static void cpu_clock_slow(struct perf_event *event, uint64_t factor)
{
	uint64_t period = cpu_clock_period_of(&event->attr);

	if (period > UINT64_MAX / 2 / factor)
		return; /* pmu_cpu_clock without a timer interrupt never samples */
	cpu_clock_of(event)->period = clock_span_to_cycles(&machine_clock, period * factor);
}

static uint64_t cpu_clock_peek(const struct perf_event *event)
{
	const struct hw_cpu_clock *hw = cpu_clock_of(event);
	uint64_t since, count;

	do {
		since = ring_load(&hw->since);
		ring_barrier();
		count = ring_load(&event->count) + clock_to_ns(&machine_clock, arch_cycles()) -
		        clock_to_ns(&machine_clock, since);
		ring_barrier();
	} while (ring_load(&hw->since) != since);
	return count;
}

static void cpu_clock_pass(struct perf_event *event, uint64_t from, uint64_t to)
{
	cpu_clock_update(event, from);
	cpu_clock_of(event)->since = to;
}

const struct pmu pmu_cpu_clock = {
	.source.name = "cpu-clock",
	.source.description = "sampling by the CPU's timer",
	.source.type = PERF_TYPE_SOFTWARE,
	.source.events = parse_software_events,
	.probe = cpu_clock_probe,
	.event_init = cpu_clock_init,
	.add = cpu_clock_add,
	.del = cpu_clock_del,
	.start = cpu_clock_start,
	.stop = cpu_clock_stop,
	.read = cpu_clock_read,
	.peek = cpu_clock_peek,
	.pass = cpu_clock_pass,
	.slow = cpu_clock_slow,
};
