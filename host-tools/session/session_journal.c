/* SPDX-License-Identifier: MIT */
/*
 * What a session has done so far, kept for whoever goes on with it: how much of the file is good,
 * how far each ring was read, and what was found by parsing until there.
 *
 *	reader				who comes after it
 *	append records to the file
 *	commit {file size, tails,	cut the file at its size, count on from
 *		counts}			its counts, read on from its tails
 *	store data_tail			store its tails once more
 *
 * Dying before the commit, the records are still in the ring and are read again, to the same
 * place in the file; dying after it, they count as read. Neither loses one nor has one twice.
 */
#include <string.h>

#include "host-tools/session/aux_drain.h"
#include "host-tools/session/session.h"

struct state {
	uint64_t file_size; /* of the file's data section */
	uint64_t samples, records, first_time, last_time;
	uint64_t aux_index_size;
	/* then: two tails and a struct ledger_ring_found a ring, a struct ledger_found an event */
};

struct parts {
	struct state *state;
	uint64_t *tails, *aux_tails;
	struct ledger_ring_found *rings;
	struct ledger_found *events;
};

static struct parts parts_of(const struct session *session, const void *at)
{
	uint32_t rings = session->region.header.rings.count;
	struct parts p = { .state = (struct state *)(uintptr_t)at };

	p.tails = (uint64_t *)(p.state + 1);
	p.aux_tails = p.tails + rings;
	p.rings = (struct ledger_ring_found *)(p.aux_tails + rings);
	p.events = (struct ledger_found *)(p.rings + rings);
	return p;
}

int session_journal_open(struct session *session)
{
	uint64_t rings = session->region.header.rings.count;
	uint64_t events = session->region.header.events.count;

	return journal_open(&session->journal,
	                    sizeof(struct state) +
	                        rings * (2 * sizeof(uint64_t) + sizeof(struct ledger_ring_found)) +
	                        events * sizeof(struct ledger_found));
}

int session_save(struct session *session)
{
	struct parts p = parts_of(session, journal_next(&session->journal));

	perf_writer_flush(&session->writer);
	if (session->writer.failed)
		return session->writer.failed;
	*p.state = (struct state){
		.file_size = session->writer.header.data.size,
		.samples = session->samples,
		.records = session->records,
		.first_time = session->first_time,
		.last_time = session->last_time,
		.aux_index_size = session->aux_index_size,
	};
	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		p.tails[i] = session->readers[i].position;
		p.aux_tails[i] = session->aux_tails[i];
		p.rings[i] = session->ledger.rings[i].found;
	}
	for (uint32_t i = 0; i < session->region.header.events.count; i++)
		p.events[i] = session->ledger.events[i].found;
	journal_commit(&session->journal);
	return 0;
}

static void restore_ring(struct session *session, uint32_t ring, uint64_t tail)
{
	struct ring_reader *reader = &session->readers[ring];
	struct error ignored; /* the next drain tells of a lost channel */

	/* A backward ring is read at the end only, and has nothing to give back. */
	if (reader->backward || session->broken[ring])
		return;
	reader->position = reader->head = tail;
	region_release_data(&session->region, ring, reader, &ignored);
	aux_drain_release(session, ring, &ignored);
}

void session_restore(struct session *session)
{
	const void *last = journal_last(&session->journal);
	struct parts p = parts_of(session, last);

	if (!last)
		return;
	perf_writer_resume(&session->writer, p.state->file_size);
	session->samples = p.state->samples;
	session->records = p.state->records;
	session->first_time = p.state->first_time;
	session->last_time = p.state->last_time;
	session->aux_index_size = p.state->aux_index_size;
	for (uint32_t i = 0; i < session->region.header.events.count; i++)
		session->ledger.events[i].found = p.events[i];
	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		session->ledger.rings[i].found = p.rings[i];
		session->aux_tails[i] = p.aux_tails[i];
		restore_ring(session, i, p.tails[i]);
	}
}
