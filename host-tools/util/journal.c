/* SPDX-License-Identifier: MIT */
#include "host-tools/util/journal.h"

#include <errno.h>
#include <sys/mman.h>

#define HEAD 64 /* bytes before the slots */

static size_t mapped(const struct journal *journal)
{
	return HEAD + 2 * journal->size;
}

static void *slot(const struct journal *journal, uint64_t commits)
{
	return (uint8_t *)journal->commits + HEAD + commits % 2 * journal->size;
}

int journal_open(struct journal *journal, size_t size)
{
	void *at;

	journal->size = (size + 7) & ~(size_t)7;
	at = mmap(NULL, mapped(journal), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	journal->commits = at == MAP_FAILED ? NULL : at;
	return at == MAP_FAILED ? -ENOMEM : 0;
}

uint64_t journal_commits(const struct journal *journal)
{
	return __atomic_load_n(journal->commits, __ATOMIC_ACQUIRE);
}

void *journal_next(struct journal *journal)
{
	return slot(journal, journal_commits(journal) + 1);
}

void journal_commit(struct journal *journal)
{
	/* A kill cuts between two instructions: what was stored before this is there after it. */
	__atomic_store_n(journal->commits, *journal->commits + 1, __ATOMIC_RELEASE);
}

const void *journal_last(const struct journal *journal)
{
	uint64_t commits = journal_commits(journal);

	return commits ? slot(journal, commits) : NULL;
}

void journal_close(struct journal *journal)
{
	if (journal->commits)
		munmap(journal->commits, mapped(journal));
	journal->commits = NULL;
}
