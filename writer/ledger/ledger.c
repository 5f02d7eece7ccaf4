/* SPDX-License-Identifier: MIT */
/* Both sides' accounts of a recording. */
#include "writer/ledger/ledger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "writer/perfdata/perf_file.h"
#include "writer/perfdata/sample.h"

static uint32_t ledger_hash(uint64_t id)
{
	return (uint32_t)((id * 0x9e3779b97f4a7c15ULL) >> 32);
}

struct ledger_event *ledger_find(const struct ledger *ledger, uint64_t id)
{
	for (uint32_t i = ledger_hash(id) & ledger->slot_mask; ledger->slots[i];
	     i = (i + 1) & ledger->slot_mask) {
		struct ledger_event *event = &ledger->events[ledger->slots[i] - 1];

		if (event->event.id == id)
			return event;
	}
	return NULL;
}

/* The table is at most half full, so that every search ends. */
static int ledger_build_slots(struct ledger *ledger, struct error *error)
{
	uint32_t size = 16;

	while (size < 2 * ledger->head.event_count + 2)
		size *= 2;
	ledger->slots = calloc(size, sizeof(*ledger->slots));
	if (!ledger->slots)
		return error_set(error, -ENOMEM, "no memory for the ledger");
	ledger->slot_mask = size - 1;
	for (uint32_t e = 0; e < ledger->head.event_count; e++) {
		uint64_t id = ledger->events[e].event.id;
		uint32_t i = ledger_hash(id) & ledger->slot_mask;

		if (ledger_find(ledger, id))
			return error_set(error, -EPROTO, "ledger: two events have the id %" PRIu64,
			                 id);
		while (ledger->slots[i])
			i = (i + 1) & ledger->slot_mask;
		ledger->slots[i] = e + 1;
	}
	return 0;
}

static int ledger_allocate(struct ledger *ledger, struct error *error)
{
	size_t events = ledger->head.event_count, rings = ledger->head.ring_count;
	size_t cpus = ledger->head.cpu_count;

	ledger->cpus = calloc(cpus ? cpus : 1, sizeof(*ledger->cpus));
	ledger->events = calloc(events ? events : 1, sizeof(*ledger->events));
	ledger->rings = calloc(rings ? rings : 1, sizeof(*ledger->rings));
	if (!ledger->cpus || !ledger->events || !ledger->rings)
		return error_set(error, -ENOMEM, "no memory for the ledger");
	return 0;
}

int ledger_init(struct ledger *ledger, const struct region *region, struct error *error)
{
	int code;

	memset(ledger, 0, sizeof(*ledger));
	ledger->head = (struct ledger_head){
		.magic = LEDGER_MAGIC,
		.version = LEDGER_VERSION,
		.event_count = region->header.events.count,
		.ring_count = region->header.rings.count,
		.cpu_count = region->header.cpus.count,
		.run = region->header.run,
		.nonce = region->header.nonce,
		.clock = region->header.clock,
	};
	code = ledger_allocate(ledger, error);
	for (uint32_t i = 0; !code && i < ledger->head.cpu_count; i++)
		ledger->cpus[i] = region->cpus[i];
	for (uint32_t i = 0; !code && i < ledger->head.event_count; i++)
		ledger->events[i].event = region->events[i];
	for (uint32_t i = 0; !code && i < ledger->head.ring_count; i++)
		ledger->rings[i].ring = region->rings[i];
	if (!code)
		code = ledger_build_slots(ledger, error);
	if (code)
		ledger_free(ledger);
	return code;
}

int ledger_join(struct ledger *ledger)
{
	size_t rings = ledger->head.ring_count;

	ledger->before = calloc(rings ? rings : 1, sizeof(*ledger->before));
	if (!ledger->before)
		return -ENOMEM;
	ledger->head.version = LEDGER_VERSION_JOINED;
	return 0;
}

void ledger_update(struct ledger *ledger, const struct region *region)
{
	struct tr_header header;

	ledger->head.state = region_state(region);
	region_header(region, &header);
	ledger->head.status = header.status;
	ledger->head.reader_found = header.reader_found;
	ledger->head.line_faults = header.line_faults;
	ledger->head.interrupted &= LEDGER_INTERRUPTED;
	if (header.salvaged & TR_SALVAGED_CUT)
		ledger->head.interrupted |= LEDGER_CUT;
	if (header.salvaged & TR_SALVAGED_TORN)
		ledger->head.interrupted |= LEDGER_TORN;
	region_message(region, ledger->head.message);
	for (uint32_t i = 0; i < ledger->head.cpu_count; i++)
		ledger->cpus[i] = region->cpus[i];
	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		region_event_ledger(region, i, &ledger->events[i].ledger);
	for (uint32_t i = 0; i < ledger->head.ring_count; i++)
		region_ring_ledger(region, i, &ledger->rings[i].ledger);
}

bool ledger_ended(const struct ledger *ledger)
{
	switch (ledger->head.state) {
	case TR_IDLE: /* after the run, for the next command */
	case TR_COMPLETE:
	case TR_FAILED:
		return true;
	default:
		return false;
	}
}

const char *ledger_late_reader(const struct ledger *ledger)
{
	switch (ledger->head.reader_found) {
	case TR_READER_GONE:
		return "the machine began without its reader, which did not renew its lease";
	case TR_READER_LATE:
		return "the machine began without its reader, which was not ready in time";
	default:
		return NULL;
	}
}

void ledger_store(const struct ledger *ledger, struct blob *blob)
{
	blob_add(blob, &ledger->head, sizeof(ledger->head));
	blob_add(blob, ledger->cpus, ledger->head.cpu_count * sizeof(*ledger->cpus));
	blob_add(blob, ledger->events, ledger->head.event_count * sizeof(*ledger->events));
	blob_add(blob, ledger->rings, ledger->head.ring_count * sizeof(*ledger->rings));
	if (ledger->before)
		blob_add(blob, ledger->before, ledger->head.ring_count * sizeof(*ledger->before));
}

static int ledger_check_head(const struct ledger_head *head, size_t size, struct error *error)
{
	size_t of_ring = sizeof(struct ledger_ring);

	if (head->version == LEDGER_VERSION_JOINED)
		of_ring += sizeof(struct ledger_ring_before);
	if (head->magic != LEDGER_MAGIC ||
	    (head->version != LEDGER_VERSION && head->version != LEDGER_VERSION_JOINED))
		return error_set(error, -EPROTO, "ledger: unknown version");
	if (head->event_count > TR_MAX_EVENTS || head->ring_count > TR_MAX_RINGS ||
	    head->cpu_count > TR_MAX_CPUS)
		return error_set(error, -EPROTO,
		                 "ledger: %u events, %u rings or %u CPUs are too many",
		                 head->event_count, head->ring_count, head->cpu_count);
	if (size != sizeof(*head) + head->cpu_count * sizeof(struct tr_cpu) +
	                head->event_count * sizeof(struct ledger_event) +
	                head->ring_count * of_ring)
		return error_set(error, -EPROTO, "ledger: its size %zu does not fit its contents",
		                 size);
	return 0;
}

static int ledger_check_event(const struct ledger *ledger, uint32_t i, struct error *error)
{
	struct tr_event *event = &ledger->events[i].event;

	event->name[sizeof(event->name) - 1] = 0;
	if (!event->id || (event->ring != TR_NONE && event->ring >= ledger->head.ring_count))
		return error_set(error, -EPROTO, "ledger: event %u has a wrong id or ring", i);
	return 0;
}

int ledger_parse(struct ledger *ledger, const uint8_t *bytes, size_t size, struct error *error)
{
	struct ledger_head *head = &ledger->head;
	size_t cpus, events, rings;
	int code;

	memset(ledger, 0, sizeof(*ledger));
	if (size < sizeof(*head))
		return error_set(error, -EPROTO, "ledger: only %zu bytes", size);
	memcpy(head, bytes, sizeof(*head));
	head->message[sizeof(head->message) - 1] = 0;
	code = ledger_check_head(head, size, error);
	if (code)
		return code;
	code = ledger_allocate(ledger, error);
	cpus = head->cpu_count * sizeof(*ledger->cpus);
	events = head->event_count * sizeof(*ledger->events);
	rings = head->ring_count * sizeof(*ledger->rings);
	if (!code) {
		bytes += sizeof(*head);
		memcpy(ledger->cpus, bytes, cpus);
		memcpy(ledger->events, bytes + cpus, events);
		memcpy(ledger->rings, bytes + cpus + events, rings);
	}
	if (!code && head->version == LEDGER_VERSION_JOINED) {
		code = ledger_join(ledger);
		if (!code)
			memcpy(ledger->before, bytes + cpus + events + rings,
			       head->ring_count * sizeof(*ledger->before));
	}
	for (uint32_t i = 0; !code && i < head->event_count; i++)
		code = ledger_check_event(ledger, i, error);
	if (!code)
		code = ledger_build_slots(ledger, error);
	if (code)
		ledger_free(ledger);
	return code;
}

void ledger_recount(struct ledger *ledger)
{
	ledger->strangers = 0;
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		struct ledger_found *found = &ledger->events[i].found;

		found->delivered = found->samples = found->period = 0;
	}
	for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
		struct ledger_ring_found *found = &ledger->rings[i].found;

		found->lost = found->lost_records = 0;
		found->aux_records = found->aux_truncated = found->aux_delivered = 0;
		found->aux_partial = found->aux_collisions = 0;
	}
}

void ledger_free(struct ledger *ledger)
{
	free(ledger->cpus);
	free(ledger->events);
	free(ledger->rings);
	free(ledger->before);
	free(ledger->slots);
	memset(ledger, 0, sizeof(*ledger));
}

/* A sample's weight: its PERIOD, or the event's fixed one. */
static uint64_t ledger_period_of(const struct perf_event_attr *attr,
                                 const struct perf_event_header *record)
{
	struct sample sample;

	if (!(attr->sample_type & PERF_SAMPLE_PERIOD))
		return attr->flags & PERF_ATTR_FREQ ? 0 : attr->sample_period;
	return sample_parse(record, attr, &sample) ? sample.period : 0;
}

static void ledger_count_lost(struct ledger_ring_found *ring,
                              const struct perf_event_header *record, enum ledger_side side)
{
	const struct perf_record_lost *lost = (const void *)record;

	if (record->size < sizeof(*lost))
		return;
	if (side == LEDGER_NEWER) {
		ring->newer_lost += lost->lost;
		ring->newer_lost_records++;
	} else {
		ring->lost += lost->lost;
		ring->lost_records++;
	}
}

static void ledger_count_aux(struct ledger_ring_found *ring, const struct perf_event_header *record)
{
	const struct perf_record_aux *aux = (const void *)record;

	if (record->size < sizeof(*aux))
		return;
	ring->aux_records++;
	ring->aux_truncated += !!(aux->flags & PERF_AUX_FLAG_TRUNCATED);
	ring->aux_partial += !!(aux->flags & PERF_AUX_FLAG_PARTIAL);
	ring->aux_collisions += !!(aux->flags & PERF_AUX_FLAG_COLLISION);
}

static void ledger_count_event(struct ledger_found *found, uint64_t period, bool sample,
                               enum ledger_side side)
{
	if (side == LEDGER_NEWER) {
		found->newer++;
		found->newer_period += period;
		return;
	}
	found->delivered++;
	found->samples += sample;
	found->period += period;
}

struct ledger_event *ledger_count(struct ledger *ledger, const struct perf_event_header *record,
                                  enum ledger_side side)
{
	bool is_sample = record->type == PERF_RECORD_SAMPLE;
	struct ledger_event *event = NULL;
	struct ledger_ring_found *ring = NULL;
	uint64_t id;

	if (sample_id(record, &id))
		event = ledger_find(ledger, id);
	if (!event) {
		ledger->strangers++;
		return NULL;
	}
	if (event->event.ring != TR_NONE)
		ring = &ledger->rings[event->event.ring].found;
	if (record->type == PERF_RECORD_LOST) {
		if (ring)
			ledger_count_lost(ring, record, side);
		return event;
	}
	if (record->type == PERF_RECORD_AUX && ring && side == LEDGER_DELIVERED)
		ledger_count_aux(ring, record);
	ledger_count_event(&event->found,
	                   is_sample ? ledger_period_of(&event->event.attr, record) : 0, is_sample,
	                   side);
	return event;
}

bool ledger_count_newer(struct ledger *ledger, uint32_t ring, struct ring_reader *reader)
{
	uint64_t from = ledger->rings[ring].ledger.data_head, to = reader->head;
	uint64_t position = reader->position;
	const struct perf_event_header *record;
	int code;

	if (reader->error.reason || from % 8 || to - from > reader->size)
		return false;
	reader->position = from;
	while ((code = ring_reader_next(reader, &record)) > 0)
		ledger_count(ledger, record, LEDGER_NEWER);
	reader->position = position;
	reader->error = (struct ring_error){ 0 }; /* a later read meets the error again */
	return !code;
}
