/* SPDX-License-Identifier: MIT */
/* Where `bareperf dump` gets records from: a perf.data file, or a region. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/region/channel.h"
#include "host-tools/report/dump.h"
#include "ringbuf/reader/ring_reader.h"

/* Whoever writes a file adds its features last. */
static bool has_no_feature(const struct perf_reader *reader)
{
	const uint64_t *features = reader->header.features;

	return !(features[0] | features[1] | features[2] | features[3]);
}

/* The summary begins with them, but who sees the records, or the first page of them, may never come
 * to it. */
static void tell_faults(const struct dump *dump)
{
	if (!dump->quiet)
		dump_faults(dump, stderr);
}

static int load_ledger(struct dump *dump, const struct perf_reader *reader, struct error *error)
{
	size_t size;
	const uint8_t *bytes;
	int code = perf_reader_ledger(reader, &bytes, &size, error);

	dump->rewritten = code == PERF_LEDGER_REWRITTEN;
	dump->unfinished = code == PERF_LEDGER_NONE && has_no_feature(reader);
	if (dump->unfinished)
		tell_faults(dump);
	if (code != PERF_LEDGER_WHOLE)
		return code < 0 ? code : 0;
	code = ledger_parse(&dump->ledger, bytes, size, error);
	if (code)
		return code;
	dump->has_ledger = true;
	tell_faults(dump);
	ledger_recount(&dump->ledger);
	dump->recount.ledger = &dump->ledger;
	return 0;
}

int dump_perf_data(struct dump *dump, struct error *error)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	struct error reason = { "" };
	const uint8_t *ids;
	size_t ids_size = 0;
	uint64_t offset = 0;
	int code = perf_reader_open(&reader, dump->path, error), accounts;

	if (code)
		return code;
	ids = perf_reader_feature(&reader, PERF_FILE_BUILD_ID, &ids_size);
	symbols_build_ids(dump->symbols, ids, ids_size);
	accounts = load_ledger(dump, &reader, &reason);
	while (!code && (code = perf_reader_next(&reader, &offset, &record, error)) > 0) {
		const struct perf_reader_event *event =
		    perf_reader_event_of(&reader, record.header);

		dump_one(dump, record.header, record.offset, event ? &event->attr : NULL,
		         event ? event->name : "");
		dump_auxtrace(dump, &record);
		if (dump->has_ledger)
			recount_record(&dump->recount, &record);
		code = 0;
	}
	if (!code && reader.cut)
		code = error_set(error, -EPROTO, "%s: the file ends before its records do",
		                 dump->path);
	/* Without its ledger, a file's records are still worth seeing. */
	if (!code && accounts) {
		*error = reason;
		code = error_prefix(error, accounts, "%s", dump->path);
	}
	perf_reader_close(&reader);
	return code;
}

/* Where the last reader left off; but if nothing was written over yet, all from the start. */
static void rewind_ring(struct dump *dump, struct ring_reader *reader)
{
	if (reader->backward || !reader->position)
		return;
	if (reader->head <= reader->size)
		reader->position = 0;
	else
		dump->skipped += reader->position;
}

/* What the firmware wrote and we do not see, another reader has read. */
static void count_elsewhere(struct dump *dump, uint32_t ring)
{
	for (uint32_t i = 0; i < dump->ledger.head.event_count; i++) {
		struct ledger_event *event = &dump->ledger.events[i];

		if (event->event.ring == ring && event->ledger.written > event->found.delivered)
			event->found.elsewhere = event->ledger.written - event->found.delivered;
	}
}

/* Pieces whose records another reader took with them. */
static void count_aux_elsewhere(struct ledger_ring *ring)
{
	const struct tr_ring_ledger *l = &ring->ledger;
	uint64_t rest = l->aux_overwritten + l->aux_skipped + ring->found.aux_unread;

	if (l->aux_written > rest)
		ring->found.aux_delivered = l->aux_written - rest;
}

static int dump_ring(struct dump *dump, const struct region *region, uint32_t i,
                     struct ring_reader *reader, struct error *error)
{
	const struct tr_ring *ring = &region->rings[i];
	const struct perf_event_header *record;
	struct ledger_ring_found *found = &dump->ledger.rings[i].found;
	int code = region_read_ring(region, i, reader);
	struct region_positions at;
	uint64_t skipped = dump->skipped;

	reader->still = ledger_ended(&dump->ledger); /* else a record may be in flight */
	if (!code)
		rewind_ring(dump, reader);
	while (!code && (code = ring_reader_next(reader, &record)) > 0) {
		uint64_t start = (reader->position - record->size) & (ring->data_size - 1);
		const struct ledger_event *event =
		    ledger_count(&dump->ledger, record, LEDGER_DELIVERED);

		dump_one(dump, record, ring->data_offset + start, event ? &event->event.attr : NULL,
		         event ? event->event.name : "");
		dump_aux_area(dump, region, i, record);
		code = 0;
	}
	region_positions(region, i, &at);
	found->head = at.data_head;
	found->tail = reader->position;
	if (dump->skipped != skipped)
		count_elsewhere(dump, i);
	if (dump->skipped != skipped && ring->aux_size)
		count_aux_elsewhere(&dump->ledger.rings[i]);
	found->ledger_fits = dump->ledger.rings[i].ledger.data_head == found->head;
	if (!code)
		return 0;
	return error_set(
	    error, -EPROTO, "%s: ring %u, position 0x%" PRIx64 " (region offset 0x%" PRIx64 "): %s",
	    dump->path, i, reader->error.position, ring->data_offset + reader->error.offset,
	    reader->error.reason ? reader->error.reason : "broken");
}

/* A broken ring does not hide the others. */
static int dump_rings(struct dump *dump, const struct region *region, struct error *error)
{
	struct ring_reader *reader = malloc(sizeof(*reader));
	struct error reason = { "" };
	int code = 0;

	if (!reader)
		return error_set(error, -ENOMEM, "no memory");
	for (uint32_t i = 0; i < region->header.rings.count; i++) {
		if (dump_ring(dump, region, i, reader, &reason) && !code) {
			code = -EPROTO;
			*error = reason;
		}
	}
	free(reader);
	return code;
}

int dump_region(struct dump *dump, uint64_t base, struct error *error)
{
	struct channel channel = { 0 };
	struct region region = { 0 };
	int code = channel_open_file(&channel, dump->path, base, error);

	if (!code)
		code = region_open(&region, channel.bytes, channel.size, false, error);
	if (!code)
		code = region_load(&region, error);
	if (!code)
		code = ledger_init(&dump->ledger, &region, error);
	if (!code) {
		dump->has_ledger = true;
		dump->ledger.of_region = true;
		ledger_update(&dump->ledger, &region);
		dump->clock = region.header.clock;
		tell_faults(dump);
	}
	if (!code)
		code = dump_rings(dump, &region, error);
	region_close(&region);
	if (channel.ops)
		channel.ops->close(&channel);
	return code;
}
