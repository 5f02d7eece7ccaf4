/* SPDX-License-Identifier: MIT */
#include "host-tools/util/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/seal.h"

#define MAGIC   0x4c4e52554f4a5042ULL /* the bytes "BPJOURNL" */
#define VERSION 2U                    /* version of the states' layout and of their checksums */

struct journal_head {
	uint64_t magic;
	uint32_t version;
	uint32_t size; /* of a state */
	struct journal_key key;
	uint64_t commits; /* shared */
	uint64_t reserved;
};
_Static_assert(sizeof(struct journal_head) == 56, "the slots are aligned to 8");

/* A slot consists of a state and its checksum. */
static size_t slot_size(size_t size)
{
	return size + sizeof(uint64_t);
}

static size_t mapped(const struct journal *journal)
{
	return sizeof(struct journal_head) + 2 * slot_size(journal->size);
}

static void *slot(const struct journal *journal, uint64_t commits)
{
	return (uint8_t *)(journal->head + 1) + commits % 2 * slot_size(journal->size);
}

static uint64_t *sum_of(const struct journal *journal, uint64_t commits)
{
	return (uint64_t *)(void *)((uint8_t *)slot(journal, commits) + journal->size);
}

/* The checksum of the key, the state's number, and the state. */
static uint64_t make_sum(const struct journal *journal, uint64_t commits)
{
	struct tr_seal sum = { 0, 0 };

	tr_seal_add(&sum, &journal->head->key, sizeof(journal->head->key));
	tr_seal_add(&sum, &commits, sizeof(commits));
	tr_seal_add(&sum, slot(journal, commits), journal->size);
	return tr_seal_end(&sum);
}

/* NULL with errno: an error. */
static struct journal_head *map(struct journal *journal)
{
	void *at = mmap(NULL, mapped(journal), PROT_READ | PROT_WRITE, MAP_SHARED, journal->fd, 0);

	journal->head = at == MAP_FAILED ? NULL : at;
	return journal->head;
}

static void begin(struct journal *journal, size_t size)
{
	*journal = (struct journal){ .size = (size + 7) & ~(size_t)7, .fd = -1 };
}

/* Allocate all of the file: on a full disk a store into the mapping would kill the process. */
static int make(struct journal *journal, const struct journal_key *key)
{
	struct journal_head *head;
	int code = posix_fallocate(journal->fd, 0, (off_t)mapped(journal));

	if (code)
		return -code;
	head = map(journal);
	if (!head)
		return -errno;
	head->version = VERSION;
	head->size = (uint32_t)journal->size;
	head->key = *key;
	__atomic_store_n(&head->magic, MAGIC, __ATOMIC_RELEASE);
	return 0;
}

int journal_open(struct journal *journal, size_t size)
{
	begin(journal, size);
	journal->fd = memfd_create("bareperf-journal", MFD_CLOEXEC);
	if (journal->fd >= 0 && !make(journal, &(struct journal_key){ 0 }))
		return 0;
	journal_close(journal);
	return -ENOMEM;
}

int journal_create(struct journal *journal, const char *path, const struct journal_key *key,
                   size_t size, struct error *error)
{
	int code;

	begin(journal, size);
	journal->path = strdup(path);
	if (!journal->path)
		return error_set(error, -ENOMEM, "no memory for a file name");
	if (unlink(path) && errno != ENOENT)
		code = error_errno(error, "removing %s", path);
	else
		code = 0;
	if (!code) {
		journal->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		code = journal->fd < 0 ? -errno : make(journal, key);
		errno = -code;
		if (code)
			error_errno(error, "making the journal %s", path);
	}
	if (code)
		journal_close(journal);
	return code;
}

/* Open it, and read its head. */
static int open_head(const char *path, struct journal_head *head, struct error *error)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat about;
	int code = 0;

	if (fd < 0)
		return error_errno(error, "opening %s", path);
	if (fstat(fd, &about) || pread(fd, head, sizeof(*head), 0) != (ssize_t)sizeof(*head) ||
	    !head->magic || !head->commits)
		code = error_set(error, -ENOENT, "%s holds nothing yet", path);
	else if (head->magic != MAGIC || head->version != VERSION || head->size % 8 ||
	         (uint64_t)about.st_size < sizeof(*head) + 2 * slot_size(head->size))
		code = error_set(error, -EPROTO, "%s is no journal of this version", path);
	if (!code)
		return fd;
	close(fd);
	return code;
}

int journal_look(const char *path, struct journal_key *key, struct error *error)
{
	struct journal_head head = { 0 };
	int fd = open_head(path, &head, error);

	if (fd < 0)
		return fd;
	close(fd);
	*key = head.key;
	return 0;
}

int journal_resume(struct journal *journal, const char *path, const struct journal_key *key,
                   size_t size, struct error *error)
{
	struct journal_head head = { 0 };
	int code;

	begin(journal, size);
	journal->fd = open_head(path, &head, error);
	if (journal->fd < 0)
		return journal->fd;
	journal->path = strdup(path);
	if (!journal->path)
		code = error_set(error, -ENOMEM, "no memory for a file name");
	else if (memcmp(key, &head.key, sizeof(*key)) != 0 || head.size != journal->size)
		code = error_set(error, -ESTALE, "%s is of another recording", path);
	else
		code = map(journal) ? 0 : error_errno(error, "mapping %s", path);
	if (!code && *sum_of(journal, head.commits) != make_sum(journal, head.commits))
		code = error_set(error, -EPROTO,
		                 "%s is damaged: its checksum is wrong. Without it that recording "
		                 "cannot be continued: name another file with -o",
		                 path);
	if (code)
		journal_close(journal);
	return code;
}

uint64_t journal_commits(const struct journal *journal)
{
	return __atomic_load_n(&journal->head->commits, __ATOMIC_ACQUIRE);
}

void *journal_next(struct journal *journal)
{
	return slot(journal, journal_commits(journal) + 1);
}

void journal_commit(struct journal *journal)
{
	uint64_t next = journal->head->commits + 1;

	*sum_of(journal, next) = make_sum(journal, next);
	/* A kill happens between two instructions: earlier stores are complete after this one. */
	__atomic_store_n(&journal->head->commits, next, __ATOMIC_RELEASE);
}

const void *journal_last(const struct journal *journal)
{
	uint64_t commits = journal_commits(journal);

	return commits ? slot(journal, commits) : NULL;
}

int journal_append(struct journal *journal, uint64_t at, const void *bytes, size_t size)
{
	off_t place = (off_t)(mapped(journal) + at);

	return pwrite(journal->fd, bytes, size, place) == (ssize_t)size ? 0 : -ENOMEM;
}

bool journal_appended(const struct journal *journal, void *to, size_t size)
{
	return pread(journal->fd, to, size, (off_t)mapped(journal)) == (ssize_t)size;
}

uint64_t journal_room(const struct journal *journal)
{
	struct stat about;

	if (fstat(journal->fd, &about) || (uint64_t)about.st_size < mapped(journal))
		return 0;
	return (uint64_t)about.st_size - mapped(journal);
}

void journal_remove(struct journal *journal)
{
	if (journal->path && unlink(journal->path))
		say("%s stays behind: %s", journal->path, strerror(errno));
	free(journal->path);
	journal->path = NULL;
}

void journal_close(struct journal *journal)
{
	if (journal->head) {
		munmap(journal->head, mapped(journal));
		close(journal->fd);
	} else if (journal->size && journal->fd >= 0) {
		close(journal->fd);
	}
	free(journal->path);
	*journal = (struct journal){ .fd = -1 };
}

char *journal_path(const char *file)
{
	char *path;

	return asprintf(&path, "%s.journal", file) < 0 ? NULL : path;
}
