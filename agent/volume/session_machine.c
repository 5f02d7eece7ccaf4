/* SPDX-License-Identifier: MIT */
/* A session's environment in a machine that writes its own recording: no later reader, no search of
 * file systems, no failed files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "writer/ledger/recount.h"
#include "writer/session/session.h"

/* The appended bytes, without states: no later reader continues it. */
struct journal_head {
	struct blob room;
};

int session_journal_open(struct session *session, struct error *error)
{
	session->journal = (struct journal){ .head = calloc(1, sizeof(struct journal_head)) };
	return session->journal.head ? 0 : error_set(error, -ENOMEM, "no memory");
}

int session_save(struct session *session)
{
	perf_writer_flush(&session->writer);
	return session->writer.failed;
}

/* The file is deleted, and the rings are read again where there is another try. */
bool session_keep(struct session *session)
{
	(void)session;
	return false;
}

int journal_append(struct journal *journal, uint64_t at, const void *bytes, size_t size)
{
	struct blob *room = &journal->head->room;

	if (at != room->size)
		return -ESPIPE;
	blob_add(room, bytes, size);
	return room->failed ? -ENOMEM : 0;
}

bool journal_appended(const struct journal *journal, void *to, size_t size)
{
	const struct blob *room = &journal->head->room;

	if (room->failed || size > room->size)
		return false;
	memcpy(to, room->bytes, size);
	return true;
}

void journal_remove(struct journal *journal)
{
	(void)journal;
}

void journal_close(struct journal *journal)
{
	if (journal->head)
		blob_free(&journal->head->room);
	free(journal->head);
	journal->head = NULL;
}

struct image_file *images_find(const struct region *region, const struct image_places *places)
{
	(void)places;
	return images_named(region);
}

void images_cache(const struct region *region, const struct image_file *files)
{
	(void)region;
	(void)files;
}

/* The file is deleted: nothing in it counts. */
int recount_file(struct ledger *ledger, const char *path, struct error *error)
{
	(void)path;
	(void)error;
	ledger_recount(ledger);
	return 0;
}
