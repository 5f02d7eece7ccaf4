/* SPDX-License-Identifier: MIT */
/* A machine writes its own recording: no process resumes it, no file system is searched, and a file
 * that failed is deleted. */
#include "agent/volume/session_machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/volume/perf_output_volume.h"
#include "writer/session/session.h"

/* The journal holds only the appended bytes and no states, because no process resumes the session.
 */
struct journal {
	struct blob room;
};

static int machine_journal_open(struct session *session, struct error *error)
{
	session->journal = calloc(1, sizeof(*session->journal));
	return session->journal ? 0 : error_set(error, -ENOMEM, "no memory");
}

static void machine_journal_save(struct session *session)
{
	(void)session;
}

/* The file is deleted; a second attempt reads the rings again. */
static bool machine_journal_keep(struct session *session)
{
	(void)session;
	return false;
}

static int machine_journal_append(struct journal *journal, uint64_t at, const void *bytes,
                                  size_t size)
{
	struct blob *room = &journal->room;

	if (at != room->size)
		return -ESPIPE;
	blob_add(room, bytes, size);
	return room->failed ? -ENOMEM : 0;
}

static bool machine_journal_appended(const struct journal *journal, void *to, size_t size)
{
	const struct blob *room = &journal->room;

	if (room->failed || size > room->size)
		return false;
	memcpy(to, room->bytes, size);
	return true;
}

static void machine_journal_remove(struct journal *journal)
{
	(void)journal;
}

static void machine_journal_close(struct journal *journal)
{
	blob_free(&journal->room);
	free(journal);
}

static void machine_images_cache(const struct region *region, const struct image_file *files)
{
	(void)region;
	(void)files;
}

/* The file is deleted, so it holds no records. */
static int machine_recount(struct ledger *ledger, const char *path, struct error *error)
{
	(void)path;
	(void)error;
	ledger_recount(ledger);
	return 0;
}

const struct writer_host session_machine = {
	.output = &perf_output_volume,
	.journal_open = machine_journal_open,
	.journal_save = machine_journal_save,
	.journal_keep = machine_journal_keep,
	.journal_append = machine_journal_append,
	.journal_appended = machine_journal_appended,
	.journal_remove = machine_journal_remove,
	.journal_close = machine_journal_close,
	.images_find = images_named,
	.images_cache = machine_images_cache,
	.recount = machine_recount,
};
