/* SPDX-License-Identifier: MIT */
#include "pmu/sampling.h"

#include <errno.h>

#include "pmu/clock.h"

#define LONGEST_PERIOD (1ULL << 62)

int sampling_init(struct sampling *sampling, const struct perf_event_attr *attr, uint64_t shortest)
{
	if (attr->flags & PERF_ATTR_FREQ) {
		if (!attr->sample_freq || attr->sample_freq > NSEC_PER_SEC / shortest)
			return -EINVAL;
		sampling->period = NSEC_PER_SEC / attr->sample_freq;
		return 0;
	}
	if (attr->sample_period < shortest || attr->sample_period >= LONGEST_PERIOD)
		return -EINVAL;
	sampling->period = attr->sample_period;
	return 0;
}

void sampling_start(const struct perf_event *event, struct sampling *sampling)
{
	sampling->next = event->count + sampling->period;
	sampling->sampled_at = arch_cycles();
}

/* For -F: a period that at the rate since the last sample gives the frequency, approached by
 * halves, so that one burst does not throw it off. A period stays between a 64th and 64 times
 * the one that a source of one event a ns would have, or the counter's rate would be absurd. */
static void adapt(const struct perf_event *event, struct sampling *sampling, uint64_t now)
{
	uint64_t ns = clock_to_ns(&machine_clock, now) -
	              clock_to_ns(&machine_clock, sampling->sampled_at);
	uint64_t span = NSEC_PER_SEC / event->attr.sample_freq;
	uint64_t counted = event->count - event->sampled;
	uint64_t target;

	sampling->sampled_at = now;
	if (!ns)
		return;
	target = counted > UINT64_MAX / span ? counted / ns * span : counted * span / ns;
	sampling->period = sampling->period / 2 + target / 2;
	if (sampling->period < span / 64 + 1)
		sampling->period = span / 64 + 1;
	if (sampling->period > span * 64)
		sampling->period = span * 64;
}

void sampling_counted(struct perf_event *event, struct sampling *sampling,
                      const struct arch_regs *regs, uint64_t now)
{
	if (event->count < sampling->next)
		return;
	if (event->attr.flags & PERF_ATTR_FREQ)
		adapt(event, sampling, now);
	sampling->next += ((event->count - sampling->next) / sampling->period + 1) *
	                  sampling->period;
	event_overflow(event, regs, now);
}
