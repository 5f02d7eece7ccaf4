/* SPDX-License-Identifier: MIT */
/* Reading one ring. Each record is the reader's copy: the ring may change under us. */
#include "writer/session/drain.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "writer/perfdata/mark_text.h"
#include "writer/perfdata/sample.h"
#include "writer/session/aux_drain.h"

static int drain_broken(const struct session *session, uint32_t ring, struct error *error)
{
	const struct ring_error *reason = &session->readers[ring].error;

	return error_set(error, -EPROTO,
	                 "ring %u, position 0x%" PRIx64 " (region offset 0x%" PRIx64 "): %s", ring,
	                 reason->position, session->region.rings[ring].data_offset + reason->offset,
	                 reason->reason ? reason->reason : "broken");
}

int drain_begin(struct session *session, uint32_t ring, struct error *error)
{
	int code = region_read_ring(&session->region, ring, &session->readers[ring]);

	return code ? drain_broken(session, ring, error) : 0;
}

/* Whether perf shows samples for this record, or decodes samples of its AUX data. The record of an
 * image that the firmware loads (MMAP2) has the time of the load, not of a sample. */
static bool drain_is_sampled(uint32_t type)
{
	return type == PERF_RECORD_SAMPLE || type == PERF_RECORD_ITRACE_START ||
	       type == PERF_RECORD_AUX;
}

/* SAMPLE_TIME: perf script --time 0%-10% counts from there. */
static void drain_note_time(struct session_found *found, const struct perf_event_header *record,
                            const struct ledger_event *event)
{
	const struct perf_event_attr *attr = &event->event.attr;
	struct sample sample;

	if (!(attr->sample_type & PERF_SAMPLE_TIME) || !drain_is_sampled(record->type))
		return;
	if (record->type == PERF_RECORD_SAMPLE
	        ? !sample_parse(record, attr, &sample)
	        : !sample_parse_trailer(record, attr->sample_type, &sample))
		return;
	if (!found->first_time || sample.time < found->first_time)
		found->first_time = sample.time;
	if (sample.time > found->last_time)
		found->last_time = sample.time;
}

/* Count a record that the reader has just passed; *attr: its event's. */
static int drain_take(struct session *session, uint32_t ring,
                      const struct perf_event_header *record, const struct perf_event_attr **attr,
                      struct error *error)
{
	const struct ledger_event *event;

	event = ledger_count(&session->ledger, record, LEDGER_DELIVERED);
	if (!event)
		return error_set(error, -EPROTO,
		                 "ring %u, position 0x%" PRIx64
		                 ": a record of type %u, size %u, "
		                 "whose id is no event's",
		                 ring, session->readers[ring].position - record->size, record->type,
		                 record->size);
	session->found.samples += record->type == PERF_RECORD_SAMPLE;
	drain_note_time(&session->found, record, event);
	*attr = &event->event.attr;
	session->found.records++;
	if (session->options.see)
		session->options.see(session->options.see_context, record,
		                     (uint32_t)(event - session->ledger.events));
	return 0;
}

int session_save(struct session *session)
{
	perf_writer_flush(&session->writer);
	if (!session->writer.failed)
		session->options.host->journal_save(session);
	return session->writer.failed;
}

/* Release the room of the records that were read: the firmware may write there again. First save
 * them, so that the next reader neither misses them nor reads them twice. */
static int drain_release(struct session *session, uint32_t ring, struct error *error)
{
	int code;

	if (session_save(session)) {
		*error = session->writer.failure;
		return session->writer.failed;
	}
	code = region_release_data(&session->region, ring, &session->readers[ring], error);
	return code ? code : aux_drain_release(session, ring, error);
}

/* Up to DRAIN_BYTES of records into scratch. *used: their bytes. 1 if there is more. Ends behind a
 * record that announces a piece of the AUX area, *aux. */
static int drain_fill(struct session *session, uint32_t ring, size_t *used,
                      const struct perf_event_header **aux, struct error *error)
{
	struct ring_reader *reader = &session->readers[ring];

	*used = 0;
	while (*used <= DRAIN_BYTES - RING_READER_RECORD) {
		struct perf_event_header *record = (void *)(session->scratch + *used);
		const struct perf_event_attr *attr = NULL;
		int code = ring_reader_take(reader, record);

		if (code <= 0)
			return code ? drain_broken(session, ring, error) : 0;
		code = drain_take(session, ring, record, &attr, error);
		if (code)
			return code;
		mark_text_put(record, attr);
		*used += record->size;
		if (record->type != PERF_RECORD_AUX)
			continue;
		*aux = record;
		return 1;
	}
	return 1;
}

int drain_forward(struct session *session, uint32_t ring, uint64_t *got, struct error *error)
{
	int code = 1;

	if (ring_reader_refresh(&session->readers[ring]) < 0)
		return drain_broken(session, ring, error);
	while (code > 0) {
		const struct perf_event_header *aux = NULL;
		struct error reason = { "" };
		size_t used = 0;
		int released;

		code = drain_fill(session, ring, &used, &aux, error);
		if (!used)
			break;
		perf_writer_add(&session->writer, session->scratch, used);
		*got += used;
		if (aux && code >= 0)
			code = aux_drain_piece(session, ring, aux, error);
		code = aux && !code ? 1 : code;
		if (code < 0 && session->by_reader)
			break; /* not committed: the supervisor will meet the same error */
		released = drain_release(session, ring, &reason);
		if (code >= 0 && released) {
			*error = reason;
			code = released;
		}
	}
	return code;
}

/* Read records newest first, as the reader returns them, each copy placed before the last one. The
 * last `used` bytes of the buffer are filled. */
static int drain_fill_backward(struct session *session, uint32_t ring, uint8_t *end, size_t *used,
                               struct error *error)
{
	struct ring_reader *reader = &session->readers[ring];
	const struct perf_event_header *record;
	const struct perf_event_attr *attr = NULL;
	int code;

	*used = 0;
	while ((code = ring_reader_next(reader, &record)) > 0) {
		code = drain_take(session, ring, record, &attr, error);
		if (code)
			return code;
		*used += record->size;
		memcpy(end - *used, record, record->size);
		mark_text_put((void *)(end - *used), attr);
	}
	return code ? drain_broken(session, ring, error) : 0;
}

int drain_backward(struct session *session, uint32_t ring, bool still, uint64_t *got,
                   struct error *error)
{
	struct ring_reader *reader = &session->readers[ring];
	size_t size = session->region.rings[ring].data_size, used = 0;
	struct blob buffer = { 0 };
	int code;

	if (!blob_extend(&buffer, size))
		return error_set(error, -ENOMEM, "no memory for ring %u", ring);
	reader->still = still;
	code = ring_reader_refresh(reader) < 0
	           ? drain_broken(session, ring, error)
	           : drain_fill_backward(session, ring, buffer.bytes + size, &used, error);
	perf_writer_add(&session->writer, buffer.bytes + size - used, used);
	*got += used;
	blob_free(&buffer);
	return code;
}

void drain_restore(struct session *session, const struct session_found *found,
                   const uint64_t *tails)
{
	session->found = *found;
	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		struct ring_reader *reader = &session->readers[i];
		struct error ignored = { "" }; /* the next drain reports a lost channel */

		/* A backward ring is read only at the end, and has no room to release. */
		if (reader->backward || session->broken[i])
			continue;
		ring_reader_resume(reader, tails[i]);
		region_release_data(&session->region, i, reader, &ignored);
		aux_drain_release(session, i, &ignored);
	}
}

void drain_recount(struct session *session)
{
	session->found.samples = 0;
	for (uint32_t i = 0; i < session->ledger.head.event_count; i++)
		session->found.samples += session->ledger.events[i].found.samples;
}
