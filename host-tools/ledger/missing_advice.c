/* SPDX-License-Identifier: MIT */
/* The options that would have kept the missing parts of a recording. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "host-tools/ledger/missing.h"
#include "writer/perfdata/perf_aux.h"

#define BRANCH_BYTES        24U          /* size of a record of the debug store */
#define REGION_DEFAULT_MIB  64U          /* `bareperf run --region-size` */
#define REGION_MOST_MIB     1024U        /* larger shared memory is not suggested */
#define REGION_TABLES_BYTES (1ULL << 20) /* the most bytes of a region besides its rings */
#define SAMPLES_WANTED_HZ   50000U       /* half of the default limit for throttling */

/* The sizes that a ring and its AUX area need. */
struct need {
	uint64_t data_bytes, aux_bytes;
	bool data, aux; /* the size is larger than the present one */
};

/* How many times fewer samples the events should take: 1 means no change. */
struct rarer {
	uint64_t period; /* the longest period that one event then needs; 0: none */
	uint64_t freq;
};

static uint64_t power_of_two(uint64_t least)
{
	uint64_t size = 1;

	while (size < least && size < 1ULL << 62)
		size *= 2;
	return size;
}

static uint64_t at_least(uint64_t value, uint64_t least)
{
	return value > least ? value : least;
}

/* Bytes of a ring's records, on average and rounded up. */
static uint64_t record_bytes(const struct ledger *ledger, uint32_t ring)
{
	const struct tr_ring_ledger *l = &ledger->rings[ring].ledger;
	bool backward = ledger->rings[ring].ring.flags & TR_RING_BACKWARD;
	uint64_t bytes = backward ? -l->data_head : l->data_head;
	uint64_t records = l->lost_records;

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		if (ledger->events[i].event.ring == ring)
			records += ledger->events[i].ledger.written;
	}
	return records ? (bytes + records - 1) / records : 0;
}

/* Room for all lost and all kept records: enough for any reader. */
static void need_data(struct need *need, const struct ledger *ledger, uint32_t ring)
{
	const struct ledger_ring *r = &ledger->rings[ring];

	need->data_bytes = at_least(need->data_bytes, r->ring.data_size);
	if (!r->ledger.lost)
		return;
	need->data = true;
	need->data_bytes = at_least(
	    need->data_bytes,
	    power_of_two(r->ring.data_size +
	                 r->ledger.lost * at_least(record_bytes(ledger, ring), sizeof(uint64_t))));
}

/* The same if the losses were counted; otherwise four times the present size, or room for twice the
 * recorded data, if that is less. */
static void need_aux(struct need *need, const struct ledger *ledger,
                     const struct ledger_event *event)
{
	const struct ledger_ring *ring = &ledger->rings[event->event.ring];
	uint64_t size = ring->ring.aux_size, lost = event->ledger.branch_lost;
	uint64_t twice = 2 * at_least(ring->ledger.aux_written, size);

	if (!ring->ring.aux_watermark || (!lost && !ring->ledger.aux_truncated))
		return; /* in snapshot mode more room would not help */
	need->aux = true;
	if (lost && lost != TR_UNKNOWN && lost < UINT64_MAX / BRANCH_BYTES / 4)
		size += lost * BRANCH_BYTES;
	else
		size = 4 * size < twice ? 4 * size : twice;
	need->aux_bytes = at_least(need->aux_bytes, power_of_two(size));
}

static struct need need_of(const struct ledger *ledger)
{
	struct need need = { 0 };

	for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
		need_data(&need, ledger, i);
		need.aux_bytes = at_least(need.aux_bytes, ledger->rings[i].ring.aux_size);
	}
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct ledger_event *event = &ledger->events[i];

		if (event->event.ring != TR_NONE && perf_aux_format(event->event.attr.type))
			need_aux(&need, ledger, event);
	}
	return need;
}

/* The size of a region with such rings. */
static uint64_t region_mib(const struct ledger *ledger, const struct need *need)
{
	uint64_t ring = TR_PAGE + need->data_bytes + need->aux_bytes;

	if (ring > (uint64_t)REGION_MOST_MIB << 20)
		return UINT64_MAX;
	return power_of_two(
	    (ledger->head.ring_count * ring + REGION_TABLES_BYTES + (1U << 20) - 1) >> 20);
}

static void sample_rarer(struct rarer *rarer, const struct ledger_event *event, uint64_t factor)
{
	const struct perf_event_attr *attr = &event->event.attr;

	if (attr->flags & PERF_ATTR_FREQ) {
		uint64_t freq = at_least(attr->sample_freq / factor, 1);

		if (!rarer->freq || freq < rarer->freq)
			rarer->freq = freq;
	} else if (attr->sample_period) {
		rarer->period = at_least(rarer->period, attr->sample_period * factor);
	}
}

static uint64_t divide_up(uint64_t value, uint64_t by)
{
	return by ? value / by + !!(value % by) : value;
}

/* An event that was throttled sampled at this rate while it ran. */
static uint64_t throttle_factor(const struct tr_event_ledger *l)
{
	double seconds = (double)at_least(l->time_running, 1) * 1e-9;
	double factor = (double)l->generated / seconds / SAMPLES_WANTED_HZ;

	return factor > 1e9 ? 1000000000 : at_least((uint64_t)factor + 1, 2);
}

static struct rarer rarer_of(const struct ledger *ledger, bool instead_of_room)
{
	struct rarer rarer = { 0 };

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct ledger_event *event = &ledger->events[i];
		const struct tr_event_ledger *l = &event->ledger;

		if (l->throttled)
			sample_rarer(&rarer, event, throttle_factor(l));
		if (instead_of_room && l->lost)
			sample_rarer(&rarer, event,
			             at_least(divide_up(l->generated, l->written), 2));
		if (instead_of_room && event->event.ring != TR_NONE &&
		    ledger->rings[event->event.ring].ledger.aux_truncated &&
		    perf_aux_format(event->event.attr.type))
			sample_rarer(&rarer, event, 2);
	}
	return rarer;
}

/* Append an option, after a space unless it is the first. */
static void __attribute__((format(printf, 3, 4)))
add(char *text, size_t size, const char *format, ...)
{
	size_t used = 0;
	va_list args;

	while (used < size && text[used])
		used++;
	if (used && used + 1 < size) {
		text[used++] = ' ';
		text[used] = 0;
	}
	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

static void add_room(char *text, size_t size, const struct need *need, uint64_t mib)
{
	char pages[24] = "", aux[24] = "";

	if (need->data)
		snprintf(pages, sizeof(pages), "%" PRIu64, need->data_bytes / TR_PAGE);
	if (need->aux)
		snprintf(aux, sizeof(aux), ",%" PRIu64, need->aux_bytes / TR_PAGE);
	add(text, size, "-m %s%s", pages, aux);
	if (mib > REGION_DEFAULT_MIB)
		add(text, size, "(bareperf run --region-size=%" PRIu64 ")", mib);
}

bool missing_advice(const struct ledger *ledger, char *text, size_t size)
{
	const struct need need = need_of(ledger);
	uint64_t mib = region_mib(ledger, &need);
	bool has_room = mib <= REGION_MOST_MIB;
	const struct rarer rarer = rarer_of(ledger, !has_room);

	*text = 0;
	if (ledger->head.cpu_count && ledger->cpus[0].flags & TR_CPU_GUEST)
		return false;
	if (has_room && (need.data || need.aux))
		add_room(text, size, &need, mib);
	if (rarer.period)
		add(text, size, "-c %" PRIu64, rarer.period);
	if (rarer.freq)
		add(text, size, "-F %" PRIu64, rarer.freq);
	return *text;
}
