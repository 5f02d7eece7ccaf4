/* SPDX-License-Identifier: MIT */
/* One recording from its region to its file. */
#include "writer/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "writer/session/aux_drain.h"
#include "writer/session/drain.h"
#include "writer/session/perf_features.h"
#include "writer/session/perf_synth.h"

static struct image_file *session_name_images(const struct session *session)
{
	const struct session_options *options = &session->options;
	const struct image_places places = { options->symbols, options->payload, options->booted };

	return options->host->images_find(&session->region, &places);
}

static int session_allocate(struct session *session, struct error *error)
{
	uint32_t rings = session->region.header.rings.count;

	session->readers = calloc(rings ? rings : 1, sizeof(*session->readers));
	session->broken = calloc(rings ? rings : 1, sizeof(*session->broken));
	session->bells = calloc(rings ? rings : 1, sizeof(*session->bells));
	session->scratch = malloc(DRAIN_BYTES);
	session->files = session_name_images(session);
	if (!session->readers || !session->bells || !session->broken || !session->scratch ||
	    !session->files || aux_drain_begin(session))
		return error_set(error, -ENOMEM, "no memory for the rings");
	return 0;
}

/* Stop reading a damaged ring; the first reason is kept. */
static void session_give_up(struct session *session, uint32_t ring, int code,
                            const struct error *reason)
{
	session->broken[ring] = true;
	session->bells[ring].pending = 0;
	if (session->trouble)
		return;
	session->trouble = code;
	session->first_trouble = *reason;
}

void session_begin_rings(struct session *session)
{
	session_begin_stops(session);
	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		struct error reason = { "" };
		int code = drain_begin(session, i, &reason);
		struct region_positions positions;

		region_positions(&session->region, i, &positions);
		aux_drain_begin_ring(session, i, positions.aux_tail);
		session->bells[i].pending = region_pending(&session->region, i);
		if (code)
			session_give_up(session, i, code, &reason);
	}
}

static int session_open_file(struct session *session, struct error *error)
{
	struct perf_writer *writer = session->options.writer;

	if (!writer)
		return perf_writer_open(&session->writer, session->options.host->output,
		                        session->options.output, session->options.preallocate,
		                        error);
	session->writer = *writer;
	*writer = (struct perf_writer){ 0 };
	session->options.writer = NULL;
	return 0;
}

static int session_begin_file(struct session *session, struct error *error)
{
	struct perf_writer_event *events;
	struct blob blob = { 0 };
	uint64_t *ids;
	uint32_t count = perf_synth_events(&session->region, &events, &ids);
	int code = session_open_file(session, error);

	if (!code)
		code = perf_writer_begin(&session->writer, events, count, error);
	if (!code) {
		if (session->writer.is_stream)
			session_stream_features(session, &blob);
		perf_synth_start(&blob, &session->region, session->files);
		aux_drain_info(&blob, &session->region);
		if (blob.failed)
			code = error_set(error, -ENOMEM, "no memory for the first records");
		perf_writer_add(&session->writer, blob.bytes, blob.size);
	}
	blob_free(&blob);
	free(events);
	free(ids);
	return code;
}

int session_prepare(struct session *session, const struct region *region,
                    const struct session_options *options, struct error *error)
{
	int code;

	memset(session, 0, sizeof(*session));
	session->options = *options;
	session->region = *region;
	/* The session copies the caller's tables, and the caller keeps its own. */
	session->region.cpus = NULL;
	session->region.events = NULL;
	session->region.images = NULL;
	session->region.rings = NULL;
	code = region_load(&session->region, error);
	if (!code)
		code = ledger_init(&session->ledger, &session->region, error);
	return code ? code : session_allocate(session, error);
}

int session_begin(struct session *session, const struct region *region,
                  const struct session_options *options, struct error *error)
{
	int code = session_prepare(session, region, options, error);

	if (!code)
		code = session_begin_file(session, error);
	if (!code)
		code = options->host->journal_open(session, error);
	if (!code)
		session_begin_rings(session);
	if (!code && options->others_read)
		code = session_join(session, error);
	if (code)
		session_end(session);
	else
		session_save(session); /* the state with which the first reader begins */
	return code;
}

/* Refresh the channel with all records that were written before a doorbell was cleared. */
static int session_refresh(struct session *session, struct error *error)
{
	struct channel *channel = session->region.channel;
	uint32_t rings = session->region.header.rings.count;
	bool clear = !session->has_more;
	int code = clear ? channel_clear(channel, session->bells, rings, error)
	                 : channel_refresh(channel, error);

	for (uint32_t i = 0; clear && code >= 0 && i < rings; i++)
		session->ledger.rings[i].found.wakeups += session->bells[i].was_set;
	session->has_more = code > 0;
	return code < 0 ? code : 0;
}

void session_ask_for_snapshot(struct session *session)
{
	bool any = false;

	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		struct error ignored = { "" }; /* the next drain reports a lost channel */

		if (!session->region.rings[i].aux_size || session->region.rings[i].aux_watermark)
			continue;
		any = true;
		region_ask_for_snapshot(&session->region, i, &ignored);
	}
	if (!any)
		say("SIGUSR2 asks for a snapshot, but nothing is recorded with --snapshot");
}

/* The machine waits for this before it lets the run begin. */
static int session_say_ready(struct session *session, struct error *error)
{
	if (session->is_ready)
		return 0;
	session->is_ready = true;
	return region_say_ready(&session->region, error);
}

static bool session_is_backward(const struct session *session, uint32_t ring)
{
	return session->region.rings[ring].flags & TR_RING_BACKWARD;
}

int session_drain(struct session *session, uint64_t *got, struct error *error)
{
	int code = session_refresh(session, error);

	*got = 0;
	if (!code)
		code = session_say_ready(session, error);
	if (session->has_more)
		return code; /* the previous reader may have seen bytes that are not here yet */
	session_take_stops(session);
	for (uint32_t i = 0; !code && i < session->region.header.rings.count; i++) {
		struct error reason = { "" };
		int of_ring;

		/* An overwritable ring is a snapshot: it is read once, at the end. */
		if (session->broken[i] || session_is_backward(session, i))
			continue;
		of_ring = drain_forward(session, i, got, &reason);
		if (of_ring && session->writer.failed)
			break; /* the ring is good, and keeps the records that the file lacks */
		if (of_ring)
			session_give_up(session, i, of_ring, &reason);
		/* This ring's records must not be committed along with the next ring's. */
		if (of_ring && session->by_reader)
			break;
	}
	return code;
}

static void session_drain_snapshots(struct session *session)
{
	uint32_t state = region_state(&session->region);
	uint64_t got = 0;

	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		struct error reason = { "" };
		int code;

		if (session->broken[i] || !session_is_backward(session, i))
			continue;
		code = drain_backward(session, i, state == TR_COMPLETE || state == TR_FAILED, &got,
		                      &reason);
		if (code)
			session_give_up(session, i, code, &reason);
	}
}

/* The count of a bell that several rings share is the first one's. */
static void session_count_bells(struct session *session)
{
	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		struct ledger_ring_found *found = &session->ledger.rings[i].found;
		uint64_t count;

		if (!channel_rung(session->region.channel, session->region.rings[i].vector, &count))
			return;
		found->has_bell = 1;
		found->rung = count;
	}
}

/* AUX bytes that are in the area and were not read. In snapshot mode no record has announced them,
 * so they are the rest of all bytes. */
static uint64_t session_aux_unread(const struct session *session, uint32_t ring, uint64_t head)
{
	const struct tr_ring_ledger *ledger = &session->ledger.rings[ring].ledger;
	uint64_t delivered = session->ledger.rings[ring].found.aux_delivered;

	if (session->aux.tails[ring] == head || !ledger->aux_overwritten)
		return head - session->aux.tails[ring];
	return head - delivered - ledger->aux_overwritten - ledger->aux_skipped;
}

/* Count the rings' final positions, and the records after the last published ledger of a machine
 * that did not reach its end. */
static void session_account_rest(struct session *session)
{
	uint32_t state = session->ledger.head.state;

	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		struct ledger_ring_found *found = &session->ledger.rings[i].found;
		struct region_positions positions;

		region_positions(&session->region, i, &positions);
		if (session->region.rings[i].aux_size)
			found->aux_unread = session_aux_unread(session, i, positions.aux_head);
		found->tail = session->readers[i].position;
		found->head = positions.data_head;
		found->ledger_fits =
		    state == TR_COMPLETE || state == TR_FAILED ||
		    (!session->broken[i] && !session_is_backward(session, i) &&
		     ledger_count_newer(&session->ledger, i, &session->readers[i]));
	}
}

static void session_take_last_accounts(struct session *session)
{
	if (!session->writer.failed)
		session_drain_snapshots(session);
	region_update_cpus(&session->region);
	ledger_update(&session->ledger, &session->region);
	session_account_rest(session);
	session_count_bells(session);
}

static int session_finish_file(struct session *session, struct error *error)
{
	struct perf_writer_feature features[PERF_FEATURES_MAX];
	struct perf_writer_end end = { .features = features };
	struct blob lost = { 0 }, aux_index = { 0 };
	int code;
	const struct perf_features_input input = {
		.region = &session->region,
		.files = session->files,
		.ledger = &session->ledger,
		.aux_index = &aux_index,
		.command = session->options.command,
		.command_words = session->options.command_words,
		.e_machine = session->options.e_machine,
		.first_time = session->found.first_time,
		.last_time = session->found.last_time,
	};

	session_end_stops(session);
	aux_drain_index(session, &aux_index);
	perf_synth_lost(&lost, &session->ledger);
	perf_writer_add(&session->writer, lost.bytes, lost.size);
	blob_free(&lost);
	end.feature_count = perf_features_build(features, &input);
	ledger_store(&session->ledger, &end.ledger);
	code = perf_writer_finish(&session->writer, &end, error);
	perf_features_free(features, end.feature_count);
	blob_free(&end.ledger);
	blob_free(&aux_index);
	if (session->options.buildid_cache)
		session->options.host->images_cache(&session->region, session->files);
	return code;
}

/* A file that could not be finished has lost counted records: count its remaining records. */
static void session_recount(struct session *session)
{
	struct error ignored = { "" };

	if (session->writer.is_stream)
		return; /* only the stream's reader can count its records */
	session->options.host->recount(&session->ledger, session->options.output, &ignored);
	drain_recount(session);
}

void session_become_reader(struct session *session)
{
	session->by_reader = true;
}

void session_leave(struct session *session, int reason)
{
	session->is_gone = reason == -ESTALE || reason == -EBUSY;
	session->leaves = reason == -EINTR || reason == -EBUSY || reason == -ETIMEDOUT;
}

int session_finish(struct session *session, bool interrupted, struct error *error)
{
	struct error reason = { "" };
	uint64_t got;
	int drained = 0, code;
	bool kept;

	session->has_more = false; /* a running read began before the machine's end */
	session->region.channel->is_last = true;
	while (!session->is_gone && !drained) {
		drained = session_drain(session, &got, &reason);
		if (!session->has_more)
			break;
	}
	session->region.channel->is_last = false;
	session->ledger.head.interrupted = interrupted ? LEDGER_INTERRUPTED : 0;
	kept = !session->is_gone && session->options.host->journal_keep(session);
	if (!session->is_gone)
		session_take_last_accounts(session);
	code = session_finish_file(session, error);
	session->leaves |= code && kept;
	if (code && !kept)
		session_recount(session);
	if (!session->leaves)
		session->options.host->journal_remove(session->journal);
	if (!code && session->trouble) {
		*error = session->first_trouble;
		code = session->trouble;
	}
	if (!code && drained) {
		*error = reason;
		code = drained;
	}
	return code;
}

void session_end(struct session *session)
{
	perf_writer_abandon(&session->writer);
	images_free(session->files, session->region.header.images.count);
	ledger_free(&session->ledger);
	if (session->journal)
		session->options.host->journal_close(session->journal);
	free(session->readers);
	free(session->bells);
	free(session->broken);
	free(session->scratch);
	aux_drain_end(session);
	region_close(&session->region);
	memset(session, 0, sizeof(*session));
}
