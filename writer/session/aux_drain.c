/* SPDX-License-Identifier: MIT */
/* Writes the pieces of AUX areas to perf.data. */
#include "writer/session/aux_drain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "writer/perfdata/perf_aux.h"
#include "writer/perfdata/sample.h"
#include "writer/session/perf_synth.h"
#include "writer/util/crc32.h"

#define PADDING_MAX 24U /* the most bytes of padding in any format */

/* The event that fills the ring's AUX area, and its format; NULL if none is known. */
static const struct perf_aux_format *
aux_drain_find_format(const struct region *region, uint32_t ring, const struct tr_event **event)
{
	for (uint32_t i = 0; i < region->header.events.count; i++) {
		*event = &region->events[i];
		if ((*event)->ring == ring && perf_aux_format((*event)->attr.type))
			return perf_aux_format((*event)->attr.type);
	}
	return NULL;
}

static void aux_drain_put_header(struct blob *blob, uint32_t type, size_t words)
{
	struct perf_event_header header = {
		.type = type,
		.size = (uint16_t)(sizeof(header) + 8 * words),
	};

	blob_add(blob, &header, sizeof(header));
}

static void aux_drain_put_clock(struct blob *blob, const struct tr_clock *clock)
{
	aux_drain_put_header(blob, PERF_FILE_RECORD_TIME_CONV, 6);
	blob_u64(blob, clock->time_shift);
	blob_u64(blob, clock->time_mult);
	blob_u64(blob, clock->time_zero);
	blob_u64(blob, 0);          /* time_cycles */
	blob_u64(blob, UINT64_MAX); /* time_mask */
	blob_u64(blob, 1);          /* cap_user_time_zero */
}

/* Arm SPE's metadata, version 2 (Linux 6.13 and later): a head of 4 words, then 7 for each CPU. Its
 * first word is the version. Until 6.12 it was the PMU's type and nothing else was read, so
 * the first word is the type: newer perfs only test whether it is 1, and take the type from the
 * third word. */
static void aux_drain_put_spe_info(struct blob *blob, uint32_t type, const struct region *region)
{
	uint32_t cpus = region->header.cpus.count;

	aux_drain_put_header(blob, PERF_FILE_RECORD_AUXTRACE_INFO, 1 + 4 + 7 * (size_t)cpus);
	blob_u64(blob, PERF_FILE_AUXTRACE_ARM_SPE);
	blob_u64(blob, type);
	blob_u64(blob, 4); /* words of the head */
	blob_u64(blob, type);
	blob_u64(blob, cpus);
	for (uint32_t i = 0; i < cpus; i++) {
		blob_u64(blob, 0x1010101010101010ULL); /* a CPU begins here */
		blob_u64(blob, region->cpus[i].cpu);
		blob_u64(blob, 4); /* words that follow */
		blob_u64(blob, region->cpus[i].signature);
		blob_u64(blob, type);
		blob_u64(blob, 0); /* PMSIDR_EL1.Interval: not known here */
		blob_u64(blob, 0); /* nor which events it can filter by */
	}
}

static void aux_drain_put_info(struct blob *blob, const struct perf_aux_format *format,
                               const struct tr_event *event, const struct region *region)
{
	const struct tr_clock *clock = &region->header.clock;

	if (format->wants_clock) {
		aux_drain_put_clock(blob, clock);
		aux_drain_put_spe_info(blob, event->attr.type, region);
		return;
	}
	aux_drain_put_header(blob, PERF_FILE_RECORD_AUXTRACE_INFO, 7);
	blob_u64(blob, format->type);
	blob_u64(blob, event->attr.type);
	blob_u64(blob, clock->time_shift);
	blob_u64(blob, clock->time_mult);
	blob_u64(blob, clock->time_zero);
	blob_u64(blob, 1); /* cap_user_time_zero */
	blob_u64(blob, 0); /* no snapshot */
}

void aux_drain_info(struct blob *blob, const struct region *region)
{
	for (uint32_t i = 0; i < region->header.rings.count; i++) {
		const struct tr_event *event;
		const struct perf_aux_format *format;

		if (!region->rings[i].aux_size)
			continue;
		format = aux_drain_find_format(region, i, &event);
		/* perf has one decoder per file. Its clock multiplier must not be 0, because perf
		 * divides by it. */
		if (format && region->header.clock.time_mult) {
			aux_drain_put_info(blob, format, event, region);
			return;
		}
	}
}

/* The cycles at which the clock showed so many ns; the inverse of perf's conversion. */
static uint64_t aux_drain_cycles_of(const struct tr_clock *clock, uint64_t ns)
{
	unsigned __int128 scaled = (unsigned __int128)(ns - clock->time_zero)
	                           << (clock->time_shift & 63);

	return clock->time_mult ? (uint64_t)(scaled / clock->time_mult) : 0;
}

static int aux_drain_check_range(const struct session *session, uint32_t ring, uint64_t offset,
                                 uint64_t size, struct error *error)
{
	const struct tr_ring *r = &session->region.rings[ring];
	struct region_positions positions;
	uint64_t head;

	region_positions(&session->region, ring, &positions);
	head = positions.aux_head;
	if (r->aux_size && size <= r->aux_size && offset + size <= head && offset <= head &&
	    head - offset <= r->aux_size)
		return 0;
	return error_set(error, -EPROTO,
	                 "ring %u: an AUX record announces 0x%" PRIx64
	                 " bytes at position 0x%" PRIx64 ", but the AUX area of 0x%" PRIx64
	                 " bytes ends at 0x%" PRIx64,
	                 ring, size, offset, r->aux_size, head);
}

/* The places of the piece in a form that perf can read: in the area itself if no change is needed,
 * otherwise in a copy. Returns the number of parts, or -ENOMEM. */
static int aux_drain_find_piece(struct session *session, uint32_t ring,
                                const struct perf_record_aux *aux,
                                const struct perf_aux_format *format, struct blob_piece parts[2])
{
	uint64_t size = aux->aux_size;

	if (!format || !format->adapt)
		return region_aux(&session->region, ring, aux->aux_offset, size, parts);
	if (size > session->aux.copy_size) {
		free(session->aux.copy);
		session->aux.copy = malloc(size);
		session->aux.copy_size = session->aux.copy ? size : 0;
	}
	if (!session->aux.copy)
		return -ENOMEM;
	region_read_aux(&session->region, ring, aux->aux_offset, size, session->aux.copy);
	format->adapt(session->aux.copy, size, aux->aux_offset, aux->flags & PERF_AUX_FLAG_PARTIAL);
	parts[0] = (struct blob_piece){ session->aux.copy, size };
	return 1;
}

int aux_drain_begin(struct session *session)
{
	uint32_t rings = session->region.header.rings.count;

	session->aux.tails = calloc(rings ? rings : 1, sizeof(*session->aux.tails));
	return session->aux.tails ? 0 : -ENOMEM;
}

void aux_drain_begin_ring(struct session *session, uint32_t ring, uint64_t tail)
{
	session->aux.tails[ring] = tail;
}

void aux_drain_restore(struct session *session, uint64_t index_size, uint32_t index_sum,
                       const uint64_t *tails)
{
	session->aux.index_size = index_size;
	session->aux.index_sum = index_sum;
	for (uint32_t i = 0; i < session->region.header.rings.count; i++)
		session->aux.tails[i] = tails[i];
}

void aux_drain_end(struct session *session)
{
	free(session->aux.tails);
	free(session->aux.copy);
}

int aux_drain_release(struct session *session, uint32_t ring, struct error *error)
{
	if (!session->region.rings[ring].aux_size)
		return 0;
	return region_release_aux(&session->region, ring, session->aux.tails[ring], error);
}

/* An entry that could not be stored makes the file fail, because perf would miss its piece. */
static void aux_drain_add_to_index(struct session *session, uint64_t offset, uint64_t size)
{
	uint64_t entry[2] = { offset, size };

	if (session->options.host->journal_append(session->journal, session->aux.index_size, entry,
	                                          sizeof(entry)))
		perf_writer_fail(&session->writer, -ENOMEM);
	session->aux.index_size += sizeof(entry);
	session->aux.index_sum = crc32_add(session->aux.index_sum, entry, sizeof(entry));
}

int aux_drain_piece(struct session *session, uint32_t ring, const struct perf_event_header *record,
                    struct error *error)
{
	const struct perf_record_aux *aux = (const void *)record;
	const struct tr_ring *r = &session->region.rings[ring];
	const struct tr_event *event;
	const struct perf_aux_format *format =
	    aux_drain_find_format(&session->region, ring, &event);
	const struct ledger_event *writer = NULL;
	struct perf_file_auxtrace trace;
	struct sample sample = { 0 };
	uint64_t padding = format ? format->padding : 0, id;
	struct blob_piece pieces[PERF_WRITER_PIECES] = { { &trace, sizeof(trace) } };
	static uint8_t zeroes[PADDING_MAX + 7];
	int code, parts;

	if (record->size < sizeof(*aux))
		return 0;
	code = aux_drain_check_range(session, ring, aux->aux_offset, aux->aux_size, error);
	if (code)
		return code;
	/* An empty piece may announce padding before it. */
	session->aux.tails[ring] = aux->aux_offset + aux->aux_size;
	if (!aux->aux_size)
		return 0;
	if (sample_id(record, &id))
		writer = ledger_find(&session->ledger, id);
	if (writer)
		sample_parse_trailer(record, writer->event.attr.sample_type, &sample);
	padding += -(aux->aux_size + padding) & 7;
	trace = (struct perf_file_auxtrace){
		.header = { PERF_FILE_RECORD_AUXTRACE, 0, sizeof(trace) },
		.size = aux->aux_size + padding,
		.offset = aux->aux_offset,
		.reference = aux_drain_cycles_of(&session->region.header.clock, sample.time),
		.idx = ring,
		.tid = tr_tid(r->cpu),
		.cpu = r->cpu,
	};
	parts = aux_drain_find_piece(session, ring, aux, format, pieces + 1);
	if (parts < 0)
		return error_set(error, parts, "no memory for a piece of 0x%" PRIx64 " bytes",
		                 aux->aux_size);
	pieces[1 + parts] = (struct blob_piece){ zeroes, padding };
	aux_drain_add_to_index(session, perf_writer_size(&session->writer), sizeof(trace));
	perf_writer_add_pieces(&session->writer, pieces, 2 + parts);
	session->ledger.rings[ring].found.aux_delivered += aux->aux_size;
	return 0;
}

void aux_drain_index(const struct session *session, struct blob *blob)
{
	size_t size = session->aux.index_size, at = blob->size + sizeof(uint64_t);

	if (!size)
		return;
	blob_u64(blob, size / (2 * sizeof(uint64_t)));
	if (blob_extend(blob, size) &&
	    !session->options.host->journal_appended(session->journal, blob->bytes + at, size))
		blob->size = 0;
}
