/* SPDX-License-Identifier: MIT */
/*
 * Joining a run in its middle. Another reader has read, or the machine has lost, the records that
 * the machine counted and this session will not read:
 *
 *	tail ───── the ledger's data_head ───── head
 *	elsewhere = counted in the ledger - parsed from the tail up to its data_head
 *
 * The session takes this number once, at the beginning: it must read all records that are counted
 * later, and the equations at the end (host-tools/ledger/check.c) can still fail. A ledger is
 * published word by word, so a copy is valid when a second copy is equal.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "writer/session/session.h"

#define MOST_TRIES 200 /* number of publications, or of waits for one */

/* Parse the records between tail and data_head of a ledger's copy. */
static bool join_parse_ring(const struct session *session, uint32_t ring, struct ledger *parsed)
{
	struct ring_reader *reader = &session->readers[ring];
	uint64_t tail = reader->position, head = parsed->rings[ring].ledger.data_head;
	const struct perf_event_header *record;
	bool reached;

	if (session->broken[ring] || reader->backward)
		return true;
	if (ring_reader_refresh(reader) < 0 || reader->head - head > reader->size ||
	    head - tail > reader->size)
		return false;
	while (reader->position != head && ring_reader_next(reader, &record) > 0)
		ledger_count(parsed, record, LEDGER_DELIVERED);
	reached = reader->position == head;
	ring_reader_resume(reader, tail);
	return reached;
}

/* Compute found and before of a new ledger, from the ledger's present state. */
static bool join_look(const struct session *session, struct ledger *parsed)
{
	ledger_recount(parsed);
	ledger_update(parsed, &session->region);
	for (uint32_t i = 0; i < parsed->head.ring_count; i++) {
		if (!join_parse_ring(session, i, parsed))
			return false;
		parsed->before[i] = (struct ledger_ring_before){
			.lost = parsed->rings[i].ledger.reported - parsed->rings[i].found.lost,
			.lost_records = parsed->rings[i].ledger.lost_records -
			                parsed->rings[i].found.lost_records,
			.aux = session->aux.tails[i],
		};
	}
	for (uint32_t i = 0; i < parsed->head.event_count; i++) {
		const struct tr_event_ledger *l = &parsed->events[i].ledger;
		struct ledger_found *found = &parsed->events[i].found;
		uint32_t ring = parsed->events[i].event.ring;

		found->lost_before = l->lost;
		if (ring == TR_NONE || parsed->rings[ring].ring.flags & TR_RING_BACKWARD)
			continue;
		found->elsewhere = l->written - found->delivered;
		found->elsewhere_period = l->period - l->period_lost - found->period;
	}
	return true;
}

static bool join_is_same(const struct ledger *a, const struct ledger *b)
{
	for (uint32_t i = 0; i < a->head.event_count; i++) {
		if (a->events[i].found.elsewhere != b->events[i].found.elsewhere ||
		    a->events[i].found.elsewhere_period != b->events[i].found.elsewhere_period)
			return false;
	}
	for (uint32_t i = 0; i < a->head.ring_count; i++) {
		if (a->before[i].lost != b->before[i].lost ||
		    a->before[i].lost_records != b->before[i].lost_records)
			return false;
	}
	return true;
}

/* Wait for another publication than the last one, or until none will come. A mirror's copy of the
 * ledgers may contain half a publication, so they are fetched again. */
static int join_await_next(const struct session *session, struct error *error)
{
	struct channel *channel = session->region.channel;
	int code;

	channel_wait(channel);
	channel->is_last = true;
	do {
		code = channel_refresh(channel, error);
	} while (code > 0);
	channel->is_last = false;
	return code;
}

static void join_take(struct session *session, const struct ledger *parsed)
{
	for (uint32_t i = 0; i < parsed->head.event_count; i++) {
		const struct ledger_found *from = &parsed->events[i].found;
		struct ledger_found *to = &session->ledger.events[i].found;

		to->elsewhere = from->elsewhere;
		to->elsewhere_period = from->elsewhere_period;
		to->lost_before = from->lost_before;
	}
	for (uint32_t i = 0; i < parsed->head.ring_count; i++)
		session->ledger.before[i] = parsed->before[i];
}

static int join_agree(struct session *session, struct ledger both[2], struct error *error)
{
	bool was_good = false;
	int code = 0;

	for (unsigned i = 0; i < MOST_TRIES && !code; i++) {
		bool good = join_look(session, &both[i % 2]);

		if (good && was_good && join_is_same(&both[0], &both[1])) {
			join_take(session, &both[i % 2]);
			return 0;
		}
		was_good = good;
		code = join_await_next(session, error);
	}
	return code ? code
	            : error_set(error, -EPROTO,
	                        "the machine's ledger does not fit the records in its rings: the "
	                        "records that were read before cannot be counted");
}

int session_join(struct session *session, struct error *error)
{
	struct ledger both[2] = { 0 };
	int code = ledger_join(&session->ledger);

	for (int i = 0; i < 2 && !code; i++) {
		code = ledger_init(&both[i], &session->region, error);
		if (!code)
			code = ledger_join(&both[i]);
	}
	if (code == -ENOMEM)
		error_set(error, code, "no memory for the ledger");
	if (!code)
		code = join_agree(session, both, error);
	ledger_free(&both[0]);
	ledger_free(&both[1]);
	return code;
}
