/* SPDX-License-Identifier: MIT */
/*
 * A session's progress, kept for the next reader: the valid size of the file, the position in each
 * ring, and the counts of the parsed records.
 *
 *	reader				the next reader
 *	append records to the file
 *	commit {file size, tails,	cut the file at its size, count on from
 *		counts}			its counts, read on from its tails
 *	store data_tail			store its tails once more
 *
 * Dying before the commit, the records are still in the ring and are read again, to the same
 * place in the file; dying after it, they count as read. Neither loses one nor has one twice.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host-tools/perfdata/perf_output_file.h"
#include "host-tools/session/session_host.h"
#include "host-tools/util/journal.h"
#include "writer/session/aux_drain.h"
#include "writer/session/drain.h"
#include "writer/session/session.h"
#include "writer/util/crc32.h"

struct state {
	uint64_t file_size; /* size of the file's data section */
	struct session_found found;
	uint64_t aux_index_size;
	uint64_t aux_index_sum;
	uint64_t joined;
	/* then, for each ring: two tails, a struct ledger_ring_found and a struct
	 * ledger_ring_before; for each event: a struct ledger_found */
};

struct parts {
	struct state *state;
	uint64_t *tails, *aux_tails;
	struct ledger_ring_found *rings;
	struct ledger_ring_before
	    *before; /* all zero unless the session joined a running recording */
	struct ledger_found *events;
};

static struct parts parts_of(const struct session *session, const void *at)
{
	uint32_t rings = session->region.header.rings.count;
	struct parts p = { .state = (struct state *)(uintptr_t)at };

	p.tails = (uint64_t *)(p.state + 1);
	p.aux_tails = p.tails + rings;
	p.rings = (struct ledger_ring_found *)(p.aux_tails + rings);
	p.before = (struct ledger_ring_before *)(p.rings + rings);
	p.events = (struct ledger_found *)(p.before + rings);
	return p;
}

static size_t state_size(const struct session *session)
{
	size_t rings = session->region.header.rings.count;
	size_t events = session->region.header.events.count;

	return sizeof(struct state) +
	       rings * (2 * sizeof(uint64_t) + sizeof(struct ledger_ring_found) +
	                sizeof(struct ledger_ring_before)) +
	       events * sizeof(struct ledger_found);
}

/* The identity of the recording and its file. False for a device or pipe: it cannot be resumed. */
static bool find_key(const struct session *session, struct journal_key *key)
{
	struct stat file;

	if (session->writer.is_stream || fstat(session->writer.output->fd, &file) ||
	    !S_ISREG(file.st_mode))
		return false;
	*key =
	    (struct journal_key){ session->region.nonce, session->region.header.run, file.st_ino };
	return true;
}

/* The journal of an older file is renamed together with that file. */
static void keep_old(const struct session *session, const char *path)
{
	char *old = session->writer.output->old ? journal_path(session->writer.output->old) : NULL;

	if (old && rename(path, old) && errno != ENOENT)
		say("%s cannot become %s: %s", path, old, strerror(errno));
	free(old);
}

int session_journal_open(struct session *session, struct error *error)
{
	struct journal_key key;
	char *path;
	int code;

	session->journal = calloc(1, sizeof(*session->journal));
	if (!session->journal)
		return error_set(error, -ENOMEM, "no memory for a journal");
	if (!session->options.journal || !find_key(session, &key)) {
		code = journal_open(session->journal, state_size(session));
		return code ? error_set(error, code, "no memory to share") : 0;
	}
	path = journal_path(session->writer.output->path);
	if (!path)
		return error_set(error, -ENOMEM, "no memory for a file name");
	keep_old(session, path);
	code = journal_create(session->journal, path, &key, state_size(session), error);
	free(path);
	return code;
}

/* A tail beyond the journal's: another reader has read records that the file lacks. */
static int check_tails(const struct session *session, struct error *error)
{
	struct parts p = parts_of(session, journal_last(session->journal));

	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		struct region_positions now;

		if (session->readers[i].backward || session->broken[i])
			continue;
		region_positions(&session->region, i, &now);
		if ((int64_t)(now.data_tail - p.tails[i]) > 0 ||
		    (int64_t)(now.aux_tail - p.aux_tails[i]) > 0)
			return error_set(error, -ESTALE,
			                 "another reader has read ring %u from 0x%" PRIx64
			                 " to 0x%" PRIx64 " since",
			                 i, p.tails[i], now.data_tail);
		if ((int64_t)(now.data_head - p.tails[i]) < 0 ||
		    (int64_t)(now.aux_head - p.aux_tails[i]) < 0)
			return error_set(error, -ESTALE,
			                 "ring %u ends at 0x%" PRIx64 ", and 0x%" PRIx64
			                 " was read of it",
			                 i, now.data_head, p.tails[i]);
	}
	return 0;
}

/* Whether the journal contains the whole index of AUX pieces, undamaged. */
static bool has_index(const struct session *session, const struct state *state)
{
	const struct journal *journal = session->journal;
	uint64_t size = state->aux_index_size;
	uint8_t *index;
	bool good;

	if (!size)
		return true;
	if (size % (2 * sizeof(uint64_t)) || size > journal_room(journal))
		return false;
	index = malloc(size);
	good = index && journal_appended(journal, index, size) &&
	       crc32_add(0, index, size) == state->aux_index_sum;
	free(index);
	return good;
}

int session_journal_resume(struct session *session, uint64_t *file_size, struct error *error)
{
	const struct state *state;
	struct journal_key key;
	char *path;
	int code;

	session->journal = calloc(1, sizeof(*session->journal));
	if (!session->journal)
		return error_set(error, -ENOMEM, "no memory for a journal");
	path = journal_path(session->writer.output->path);
	if (!path || !find_key(session, &key))
		code = error_set(error, -ENOENT, "no file to resume");
	else
		code = journal_resume(session->journal, path, &key, state_size(session), error);
	free(path);
	if (code)
		return code;
	state = parts_of(session, journal_last(session->journal)).state;
	*file_size = state->file_size;
	if (state->file_size % 8 || !has_index(session, state))
		return error_set(error, -EPROTO,
		                 "%s is damaged: its index of AUX pieces, or the size of the "
		                 "recording, cannot be. Name another file with -o",
		                 session->journal->path);
	return check_tails(session, error);
}

void session_journal_save(struct session *session)
{
	struct parts p = parts_of(session, journal_next(session->journal));

	*p.state = (struct state){
		.file_size = session->writer.header.data.size,
		.found = session->found,
		.aux_index_size = session->aux.index_size,
		.aux_index_sum = session->aux.index_sum,
		.joined = !!session->ledger.before,
	};
	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		p.tails[i] = session->readers[i].position;
		p.aux_tails[i] = session->aux.tails[i];
		p.rings[i] = session->ledger.rings[i].found;
		if (session->ledger.before)
			p.before[i] = session->ledger.before[i];
	}
	for (uint32_t i = 0; i < session->region.header.events.count; i++)
		p.events[i] = session->ledger.events[i].found;
	journal_commit(session->journal);
}

bool session_journal_keep(struct session *session)
{
	const void *last = journal_last(session->journal);

	if (!last)
		return false;
	if (session->writer.failed)
		session_restore(session);
	if (!session->journal->path)
		return false;
	session->writer.kept = parts_of(session, last).state->file_size;
	return true;
}

void session_restore(struct session *session)
{
	const void *last = journal_last(session->journal);
	struct parts p = parts_of(session, last);

	if (!last)
		return;
	perf_writer_resume(&session->writer, p.state->file_size);
	for (uint32_t i = 0; i < session->region.header.events.count; i++)
		session->ledger.events[i].found = p.events[i];
	if (p.state->joined && !session->ledger.before)
		ledger_join(&session->ledger);
	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		if (session->ledger.before)
			session->ledger.before[i] = p.before[i];
		session->ledger.rings[i].found = p.rings[i];
	}
	aux_drain_restore(session, p.state->aux_index_size, (uint32_t)p.state->aux_index_sum,
	                  p.aux_tails);
	drain_restore(session, &p.state->found, p.tails);
}

void session_journal_close(struct journal *journal)
{
	journal_close(journal);
	free(journal);
}
