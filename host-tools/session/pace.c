/* SPDX-License-Identifier: MIT */
#include "host-tools/session/pace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_S   0.5        /* time of the channel's work that is needed to measure its pace */
#define HEADROOM  1.1        /* factor for the advised values */
#define FILE_TAIL (1U << 20) /* at least the size of the part behind a file's records */

/* A completed refresh has brought its whole backlog. */
void pace_note(struct pace *pace, double now, uint64_t backlog)
{
	if (pace->backlog)
		pace->lasts += now - pace->at;
	if (backlog > pace->backlog || !backlog) {
		pace->bytes += (double)pace->top;
		pace->seconds += pace->lasts;
		pace->top = backlog;
		pace->lasts = 0;
	}
	pace->backlog = backlog;
	pace->at = now;
}

double pace_rate(const struct pace *pace)
{
	double seconds = pace->seconds + pace->lasts;

	return seconds >= LEAST_S ? (pace->bytes + (double)(pace->top - pace->backlog)) / seconds
	                          : 0;
}

double pace_left(const struct pace *pace)
{
	double rate = pace_rate(pace);

	return rate > 0 ? (double)pace->backlog / rate : 0;
}

/* The power of ten of the second digit. */
static double unit_of(double value)
{
	double unit = 1;

	while (value >= 100 * unit)
		unit *= 10;
	return unit;
}

uint64_t pace_period(uint64_t period, double factor)
{
	double exact = (double)period * factor, unit = unit_of(exact);

	return exact < 0x1p62 ? (uint64_t)(ceil(exact / unit - 1e-9) * unit) : UINT64_MAX;
}

uint64_t pace_freq(uint64_t freq, double factor)
{
	double exact = (double)freq / factor, unit = unit_of(exact);

	return exact >= 1 ? (uint64_t)(floor(exact / unit + 1e-9) * unit) : 1;
}

/* The bytes that the rings received, and the bytes that they would have received with enough room.
 * */
struct flow {
	double bytes, room, seconds; /* room: the rings' size, which needs no channel */
	/* factor by which more bytes would have come; 1: nothing was lost */
	double wanted;
};

/* False: the advice has no basis. */
static bool flow_of(const struct ledger *ledger, struct flow *flow)
{
	uint64_t written = 0, generated = 0, time = 0;

	*flow = (struct flow){ 0 };
	for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
		const struct ledger_ring *ring = &ledger->rings[i];

		if (ring->ring.aux_size || ring->ring.flags & TR_RING_BACKWARD)
			return false;
		flow->bytes += (double)ring->ledger.data_head;
		flow->room += (double)ring->ring.data_size;
	}
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct tr_event_ledger *l = &ledger->events[i].ledger;

		written += l->written;
		generated += l->generated;
		time = l->time_enabled > time ? l->time_enabled : time;
	}
	if (generated <= written || !written || !time)
		return false;
	flow->seconds = (double)time * 1e-9;
	flow->wanted = (double)generated / (double)written;
	return true;
}

/* The factor by which events must sample less often. The bytes that a run moved beyond the rings'
 * room show the channel's rate, including its waits; a shorter run shows only the pace. */
static double factor_of(double pace, const struct flow *flow)
{
	double moved = (flow->bytes - flow->room) / flow->seconds;
	double rate = moved > 0 && moved < pace ? moved : pace;

	return flow->bytes * flow->wanted / flow->seconds / rate * HEADROOM;
}

/* The largest period, or the lowest frequency, that any event needs. */
static void advise(const struct ledger *ledger, double factor, uint64_t *period, uint64_t *freq)
{
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct perf_event_attr *attr = &ledger->events[i].event.attr;
		uint64_t fits;

		if (attr->flags & PERF_ATTR_FREQ) {
			fits = pace_freq(attr->sample_freq, factor);
			*freq = !*freq || fits < *freq ? fits : *freq;
		} else if (attr->sample_period) {
			fits = pace_period(attr->sample_period, factor);
			*period = fits > *period ? fits : *period;
		}
	}
}

bool pace_advice(const struct pace *pace, const struct ledger *ledger, char *text, size_t size)
{
	double factor, rate = pace_rate(pace);
	struct flow flow;
	uint64_t period = 0, freq = 0;
	size_t used = 0;

	*text = 0;
	if (rate <= 0 || !flow_of(ledger, &flow))
		return false;
	factor = factor_of(rate, &flow);
	if (factor <= 1)
		return false;
	advise(ledger, factor, &period, &freq);
	if (period)
		used = (size_t)snprintf(text, size, "-c %" PRIu64, period);
	if (freq && used < size)
		snprintf(text + used, size - used, "%s-F %" PRIu64, used ? " " : "", freq);
	return *text;
}

uint64_t pace_short_of(uint64_t backlog, uint64_t free_bytes)
{
	uint64_t needed = backlog + FILE_TAIL;

	return backlog && needed > free_bytes ? needed - free_bytes : 0;
}
