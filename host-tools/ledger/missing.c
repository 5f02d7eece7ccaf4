/* SPDX-License-Identifier: MIT */
/* The missing parts of a recording. */
#include "host-tools/ledger/missing.h"

#include <inttypes.h>
#include <stdio.h>

#include "host-tools/ledger/check.h"
#include "writer/perfdata/perf_aux.h"

/* A part of one event on one CPU. */
struct part {
	uint64_t count, of;
};

static bool is_branch_trace(const struct ledger_event *event)
{
	return event->ledger.branch_records || event->ledger.branch_lost;
}

/* The ring whose AUX area this event fills; NULL if it fills none. */
static const struct ledger_ring *aux_ring(const struct ledger *ledger,
                                          const struct ledger_event *event)
{
	const struct ledger_ring *ring;

	if (event->event.ring == TR_NONE || !perf_aux_format(event->event.attr.type))
		return NULL;
	ring = &ledger->rings[event->event.ring];
	return ring->ring.aux_size ? ring : NULL;
}

static uint64_t excess(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

static struct part records_not_here(const struct ledger *ledger, const struct ledger_event *event)
{
	const struct ledger_found *f = &event->found;
	uint64_t written = event->ledger.written + f->newer;

	return (struct part){
		excess(written, f->delivered + f->elsewhere + check_overwritten(ledger, event)),
		written,
	};
}

/* In a region the unread bytes are still present; in snapshot mode they are not missing. */
static struct part bytes_not_here(const struct ledger *ledger, const struct ledger_ring *ring)
{
	const struct tr_ring_ledger *l = &ring->ledger;
	uint64_t gone = l->aux_overwritten + l->aux_skipped;

	if (ledger->of_region || !ring->ring.aux_watermark)
		gone += ring->found.aux_unread;
	return (struct part){
		excess(l->aux_written, ring->found.aux_delivered + gone),
		l->aux_written,
	};
}

/* The missing parts of an event's AUX area. The counted losses of a branch trace include them. */
static struct part part_of_aux(const struct ledger *ledger, const struct ledger_event *event,
                               enum missing_kind kind)
{
	const struct ledger_ring *ring = aux_ring(ledger, event);
	bool counted = is_branch_trace(event) && event->ledger.branch_lost != TR_UNKNOWN;

	if (ring && kind == MISSING_UNSAVED_BYTES)
		return bytes_not_here(ledger, ring);
	if (!ring || counted)
		return (struct part){ 0, 0 };
	switch (kind) {
	case MISSING_PIECES:
		return (struct part){ ring->ledger.aux_truncated, ring->ledger.aux_records };
	case MISSING_GAPS:
		return (struct part){ ring->found.aux_partial, ring->found.aux_records };
	case MISSING_COLLISIONS:
		return (struct part){ ring->found.aux_collisions, ring->found.aux_records };
	default:
		return (struct part){ ring->ledger.aux_lost, 0 };
	}
}

static struct part part_of(const struct ledger *ledger, const struct ledger_event *event,
                           enum missing_kind kind)
{
	const struct tr_event_ledger *l = &event->ledger;

	switch (kind) {
	case MISSING_RECORDS:
		return (struct part){ l->lost, l->generated };
	case MISSING_BRANCHES:
		return (struct part){ l->branch_lost, l->branch_records + l->branch_lost };
	case MISSING_THROTTLED:
		return (struct part){ l->throttled, 0 };
	case MISSING_UNSAVED:
		return records_not_here(ledger, event);
	default:
		return part_of_aux(ledger, event, kind);
	}
}

/* An unknown part makes the sum unknown. */
static uint64_t plus(uint64_t sum, uint64_t count)
{
	return sum == TR_UNKNOWN || count == TR_UNKNOWN ? TR_UNKNOWN : sum + count;
}

void missing_sum(const struct ledger *ledger, uint64_t sums[MISSING_KINDS])
{
	for (int kind = 0; kind < MISSING_KINDS; kind++) {
		sums[kind] = 0;
		for (uint32_t i = 0; i < ledger->head.event_count; i++)
			sums[kind] =
			    plus(sums[kind], part_of(ledger, &ledger->events[i], kind).count);
	}
}

/* The sum over the CPUs of the event at `first` and of those after it. */
static struct missing sum_of(const struct ledger *ledger, uint32_t first, enum missing_kind kind)
{
	const struct tr_event *own = &ledger->events[first].event;
	struct missing sum = { .kind = kind };

	region_printable(sum.event, sizeof(sum.event), own->name, sizeof(own->name));
	for (uint32_t i = first; i < ledger->head.event_count; i++) {
		const struct ledger_event *event = &ledger->events[i];
		struct part part;

		if (event->event.evsel != own->evsel)
			continue;
		part = part_of(ledger, event, kind);
		sum.count = plus(sum.count, part.count);
		sum.of += part.of;
		sum.cpus += !!part.count;
	}
	return sum;
}

static bool is_first(const struct ledger *ledger, uint32_t event)
{
	for (uint32_t i = 0; i < event; i++) {
		if (ledger->events[i].event.evsel == ledger->events[event].event.evsel)
			return false;
	}
	return true;
}

bool missing_list(const struct ledger *ledger, missing_fn report, void *context)
{
	bool any = false;

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		if (!is_first(ledger, i))
			continue;
		for (int kind = 0; kind < MISSING_KINDS; kind++) {
			struct missing missing = sum_of(ledger, i, kind);

			any |= missing.count != 0;
			if (missing.count && report)
				report(context, &missing);
		}
	}
	return any;
}

const char *missing_kind_name(enum missing_kind kind)
{
	static const char *const names[] = {
		"records", "branches",  "pieces",  "gaps",          "collisions",
		"bytes",   "throttled", "unsaved", "unsaved_bytes",
	};

	_Static_assert(sizeof(names) / sizeof(names[0]) == MISSING_KINDS, "a name for each kind");
	return names[kind];
}

/* "10 of 110 records (9.1 %)". A share that rounds to 0 or 100 % without being exactly that is
 * printed with "under" or "over". */
static void put_share(char text[128], const struct missing *missing, const char *what)
{
	double share = missing->of ? 100.0 * (double)missing->count / (double)missing->of : 0;
	const char *about = "";

	if (share < 0.05) {
		about = "under ";
		share = 0.1;
	} else if (share > 99.95 && missing->count < missing->of) {
		about = "over ";
		share = 99.9;
	}
	snprintf(text, 128, "%" PRIu64 " of %" PRIu64 " %s (%s%.1f %%)", missing->count,
	         missing->of, what, about, share);
}

void missing_text(const struct missing *missing, char *text, size_t size)
{
	static const struct {
		const char *unit; /* NULL: no share is printed */
		const char *rest;
	} words[] = {
		[MISSING_RECORDS] = { "records", "found no room in the ring" },
		[MISSING_BRANCHES] = { "branches", "are not in the trace" },
		[MISSING_PIECES] = { "pieces",
		                     "were cut for want of room in the AUX area; what "
		                     "passed until there was some is unknown" },
		[MISSING_GAPS] = { "pieces", "have gaps; what is missing in them is unknown" },
		[MISSING_COLLISIONS] = { "pieces",
		                         "had collisions: operations that came before "
		                         "the last one's record was done" },
		[MISSING_BYTES] = { NULL, "bytes of trace were given up behind a fault" },
		[MISSING_THROTTLED] = { NULL, "times throttled, for up to 1 ms each" },
		[MISSING_UNSAVED] = { "records", "that the machine wrote are not here" },
		[MISSING_UNSAVED_BYTES] = { "bytes of trace",
		                            "that the machine wrote are not here" },
	};
	const char *unit = words[missing->kind].unit;
	char share[128], cpus[32] = "";

	if (missing->cpus > 1)
		snprintf(cpus, sizeof(cpus), ", on %u CPUs", missing->cpus);
	if (missing->count == TR_UNKNOWN) {
		snprintf(text, size,
		         "%s: how many %s are missing is unknown: nothing counted them%s",
		         missing->event, unit ? unit : "bytes", cpus);
		return;
	}
	if (unit)
		put_share(share, missing, unit);
	else
		snprintf(share, sizeof(share), "%" PRIu64, missing->count);
	snprintf(text, size, "%s: %s %s%s", missing->event, share, words[missing->kind].rest, cpus);
}
