/* SPDX-License-Identifier: MIT */
/* Reads the records for `bareperf dump` from a perf.data file or from a region. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/report/dump/dump.h"
#include "host-tools/report/recording_file.h"
#include "ringbuf/reader/ring_reader.h"
#include "writer/perfdata/mark_text.h"
#include "writer/region/channel.h"

#define MOST_TRIES 100 /* to read the ledgers and rings of a running machine consistently */

/* Whether a file has no features. Its writer adds them last, so such a file is unfinished. */
static bool has_no_feature(const struct perf_reader *reader)
{
	const uint64_t *features = reader->header.features;

	return !(features[0] | features[1] | features[2] | features[3]);
}

/* Report the faults before the records, too. The summary begins with the faults, but a user who
 * looks only at the first page of records may never see the summary. */
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

/* Learn all mappings before the records are printed. The records of several CPUs are not in the
 * order of their times: a sample may come before the mapping of its code. */
static void learn_mappings(struct dump *dump, struct perf_reader *reader)
{
	struct perf_reader_record record;
	struct error ignored;
	uint64_t offset = 0;
	size_t size = 0;
	const uint8_t *ids = perf_reader_feature(reader, PERF_FILE_BUILD_ID, &size);

	symbols_build_ids(dump->symbols, ids, size);
	while (perf_reader_next(reader, &offset, &record, &ignored) > 0) {
		if (record.header->type == PERF_RECORD_MMAP2 ||
		    record.header->type == PERF_RECORD_MMAP)
			symbols_add(dump->symbols, record.header,
			            recording_file_time(reader, record.header));
	}
}

int dump_perf_data(struct dump *dump, struct error *error)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	struct error reason = { "" };
	uint64_t offset = 0;
	int code = perf_reader_open(&reader, dump->path, error), accounts;

	if (code)
		return code;
	learn_mappings(dump, &reader);
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
	/* Report a bad ledger last: the file's records are useful without it. */
	if (!code && accounts) {
		*error = reason;
		code = error_prefix(error, accounts, "%s", dump->path);
	}
	if (!code && !perf_reader_is_whole(&reader))
		code = error_set(error, -EPROTO,
		                 "%s ends too early: it was cut off, or its writer was killed",
		                 dump->path);
	perf_reader_close(&reader);
	return code;
}

/* Start at the position where the last reader stopped. If nothing was overwritten yet, start at the
 * first record. */
static void rewind_ring(struct dump *dump, struct ring_reader *reader)
{
	if (reader->backward || reader->error.reason || !reader->position)
		return;
	if (reader->head <= reader->size)
		reader->position = 0;
	else
		dump->skipped += reader->position;
}

/* Count the records that the firmware wrote and that are not in the ring: another reader read them.
 */
static void count_elsewhere(struct dump *dump, uint32_t ring)
{
	for (uint32_t i = 0; i < dump->ledger.head.event_count; i++) {
		struct ledger_event *event = &dump->ledger.events[i];

		if (event->event.ring == ring &&
		    event->ledger.written + event->found.newer > event->found.delivered)
			event->found.elsewhere = event->ledger.written + event->found.newer -
			                         event->found.delivered;
	}
}

/* Count the AUX pieces as delivered whose AUX records another reader read. */
static void count_aux_elsewhere(struct ledger_ring *ring)
{
	const struct tr_ring_ledger *l = &ring->ledger;
	uint64_t rest = l->aux_overwritten + l->aux_skipped + ring->found.aux_unread;

	if (l->aux_written > rest)
		ring->found.aux_delivered = l->aux_written - rest;
}

/* Whether the bytes copied from `start` on may have been overwritten. While a machine and its
 * reader run, the bytes that this reader has released may be overwritten at any time. While the
 * machine is stopped, they are still there, unless a record was in flight. */
static bool is_gone(const struct dump *dump, const struct region *region, uint32_t i,
                    const struct ring_reader *reader, uint64_t start, uint64_t *tail)
{
	struct region_positions at;

	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* the copy, then the positions */
	region_positions(region, i, &at);
	*tail = at.data_tail;
	if (reader->backward || ledger_ended(&dump->ledger))
		return false;
	if (start >= reader->began)
		return at.data_tail > start;
	return at.data_head != reader->head || at.data_head - start > reader->size / 2;
}

static void begin_ring(struct dump *dump, const struct region *region, uint32_t i,
                       struct ring_reader *reader)
{
	struct ledger_ring *own = &dump->ledger.rings[i];
	struct region_positions at;
	uint64_t tail;

	region_positions(region, i, &at);
	own->found = (struct ledger_ring_found){ .head = at.data_head };
	if (!region_read_ring(region, i, reader))
		own->found.head = reader->backward ? -reader->head : reader->head;
	reader->still = ledger_ended(&dump->ledger); /* else a record may be in flight */
	own->found.ledger_fits = own->ledger.data_head == own->found.head ||
	                         (!reader->backward &&
	                          ledger_count_newer(&dump->ledger, i, reader) &&
	                          !is_gone(dump, region, i, reader, own->ledger.data_head, &tail));
}

/* Reset all counts of found records. */
static void forget(struct ledger *ledger)
{
	ledger->strangers = 0;
	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		ledger->events[i].found = (struct ledger_found){ 0 };
	for (uint32_t i = 0; i < ledger->head.ring_count; i++)
		ledger->rings[i].found.newer_lost = ledger->rings[i].found.newer_lost_records = 0;
}

/* Read the ledgers, and directly after them the rings' positions, because a machine may be running.
 * All records that are newer than a ledger must still be in the ring. If they were overwritten in
 * between, read both again. */
static void take_ledgers(struct dump *dump, const struct region *region,
                         struct ring_reader *readers)
{
	struct ledger *ledger = &dump->ledger;
	bool fit = false;

	for (int tries = 0; !fit && tries < MOST_TRIES; tries++) {
		ledger_update(ledger, region);
		forget(ledger);
		fit = true;
		for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
			begin_ring(dump, region, i, &readers[i]);
			fit = fit &&
			      (ledger->rings[i].found.ledger_fits || readers[i].error.reason);
		}
	}
	if (!fit)
		forget(ledger);
}

/* If the record that began at `start` may be overwritten, continue where the other reader is.
 * Returns whether it did. */
static bool pass_over_gone(struct dump *dump, const struct region *region, uint32_t i,
                           struct ring_reader *reader, uint64_t start)
{
	uint64_t tail;

	if (!is_gone(dump, region, i, reader, start, &tail))
		return false;
	reader->position = tail % 8 || tail > reader->head ? reader->head : tail;
	reader->error = (struct ring_error){ 0 };
	dump->skipped += reader->position - start;
	return true;
}

/* Like ring_reader_next(), but passes over overwritten records. */
static int next_record(struct dump *dump, const struct region *region, uint32_t i,
                       struct ring_reader *reader, const struct perf_event_header **record)
{
	uint64_t start;
	int code;

	do {
		start = reader->position;
		code = ring_reader_next(reader, record);
	} while (code && pass_over_gone(dump, region, i, reader, start));
	return code;
}

static int dump_ring(struct dump *dump, const struct region *region, uint32_t i,
                     struct ring_reader *reader, struct error *error)
{
	const struct tr_ring *ring = &region->rings[i];
	const struct perf_event_header *record;
	struct ledger_ring_found *found = &dump->ledger.rings[i].found;
	uint64_t skipped = dump->skipped;
	int code;

	rewind_ring(dump, reader);
	while ((code = next_record(dump, region, i, reader, &record)) > 0) {
		uint64_t start = (reader->position - record->size) & (ring->data_size - 1);
		const struct ledger_event *event =
		    ledger_count(&dump->ledger, record, LEDGER_DELIVERED);

		if (event) /* the cast is safe: this is the reader's own copy */
			mark_text_put((void *)reader->scratch, &event->event.attr);
		dump_one(dump, record, ring->data_offset + start, event ? &event->event.attr : NULL,
		         event ? event->event.name : "");
		dump_aux_area(dump, region, i, record);
	}
	found->tail = reader->position;
	if (dump->skipped != skipped)
		count_elsewhere(dump, i);
	if (dump->skipped != skipped && ring->aux_size)
		count_aux_elsewhere(&dump->ledger.rings[i]);
	if (!code)
		return 0;
	return error_set(
	    error, -EPROTO, "%s: ring %u, position 0x%" PRIx64 " (region offset 0x%" PRIx64 "): %s",
	    dump->path, i, reader->error.position, ring->data_offset + reader->error.offset,
	    reader->error.reason ? reader->error.reason : "broken");
}

/* Print all rings; a broken ring does not hide the others. */
static int dump_rings(struct dump *dump, const struct region *region, struct error *error)
{
	uint32_t rings = region->header.rings.count;
	struct ring_reader *readers = calloc(rings ? rings : 1, sizeof(*readers));
	struct error reason = { "" };
	int code = 0;

	if (!readers)
		return error_set(error, -ENOMEM, "no memory for the rings");
	take_ledgers(dump, region, readers);
	tell_faults(dump);
	for (uint32_t i = 0; i < rings; i++) {
		if (dump_ring(dump, region, i, &readers[i], &reason) && !code) {
			code = -EPROTO;
			*error = reason;
		}
	}
	free(readers);
	return code;
}

int dump_region(struct dump *dump, const struct channel_file_options *pick, struct error *error)
{
	struct channel channel = { 0 };
	struct region region = { 0 };
	int code = channel_open_file(&channel, dump->path, pick, error);

	if (!code)
		code = region_open(&region, &channel, error);
	if (!code)
		code = region_load(&region, error);
	if (!code)
		code = ledger_init(&dump->ledger, &region, error);
	if (!code) {
		dump->has_ledger = true;
		dump->ledger.of_region = true;
		dump->clock = region.header.clock;
	}
	if (!code)
		code = dump_rings(dump, &region, error);
	region_close(&region);
	channel_close(&channel);
	return code;
}
