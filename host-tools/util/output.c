/* SPDX-License-Identifier: MIT */
#include "host-tools/util/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_TRIES 100 /* other processes may rename and create files all the time */

/* Whether path still names the file that was opened as fd. */
static bool is_still_at(int fd, const char *path)
{
	struct stat file, name;

	return !fstat(fd, &file) && !stat(path, &name) && file.st_dev == name.st_dev &&
	       file.st_ino == name.st_ino;
}

static int busy(const char *path, const char *option, struct error *error)
{
	return error_set(error, -EBUSY,
	                 "%s is being written by another recording: name another file with %s",
	                 path, option);
}

/* Lock the file. True if no other process has the lock, or the file system has no locks. */
static bool lock(int fd)
{
	return !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK;
}

static int rename_to_old(const char *path, char **old, struct error *error)
{
	int code;

	free(*old);
	if (asprintf(old, "%s.old", path) < 0) {
		*old = NULL;
		return error_set(error, -ENOMEM, "no memory for a file name");
	}
	if (!rename(path, *old))
		return 0;
	code = error_errno(error, "keeping %s as %s", path, *old);
	free(*old);
	*old = NULL;
	return code;
}

/* Only the holder of a file's lock may rename it, so the renamed file is the locked one. 1: another
 * file has the name now; try again. */
static int keep_old(const char *path, char **old, struct error *error)
{
	struct stat stat_of;
	int fd, code;

	if (stat(path, &stat_of) || !S_ISREG(stat_of.st_mode) || !stat_of.st_size)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC); /* -1: we may not read it, but perhaps rename it */
	if (fd < 0 && errno == ENOENT)
		return 1; /* it was renamed meanwhile; the new file may be locked */
	if (fd >= 0 && !lock(fd))
		code = is_still_at(fd, path) ? busy(path, "-o", error) : 1;
	else
		code = fd >= 0 && !is_still_at(fd, path) ? 1 : rename_to_old(path, old, error);
	if (fd >= 0)
		close(fd);
	return code;
}

/* Returns the descriptor; -EAGAIN: another recording existed for a moment. */
static int create(const char *path, struct error *error)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644), code = 0;
	struct stat stat_of;

	if (fd < 0)
		return error_errno(error, "creating %s", path);
	if (fstat(fd, &stat_of))
		code = error_errno(error, "looking at %s", path);
	else if (!S_ISREG(stat_of.st_mode))
		return fd;
	else if (!lock(fd))
		code = is_still_at(fd, path) ? busy(path, "-o", error) : -EAGAIN;
	else if (!is_still_at(fd, path) || fstat(fd, &stat_of) || stat_of.st_size)
		code = -EAGAIN;
	if (!code)
		return fd;
	close(fd);
	return code;
}

int output_open_region(const char *path, struct error *error)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), code = 0;

	if (fd < 0)
		return error_errno(error, "creating %s", path);
	if (!lock(fd))
		code = busy(path, "--region", error);
	else if (ftruncate(fd, 0))
		code = error_errno(error, "emptying %s", path);
	if (!code)
		return fd;
	close(fd);
	return code;
}

int output_reopen(const char *path, char **place, struct error *error)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), code = 0;
	struct stat about;

	*place = NULL;
	if (fd < 0)
		return error_errno(error, "opening %s", path);
	if (fstat(fd, &about))
		code = error_errno(error, "looking at %s", path);
	else if (!S_ISREG(about.st_mode))
		code = error_set(error, -EINVAL, "%s is no regular file", path);
	else if (!lock(fd))
		code = busy(path, "-o", error);
	if (!code)
		*place = realpath(path, NULL);
	if (!code && !*place)
		code = error_errno(error, "looking for %s", path);
	if (!code)
		return fd;
	close(fd);
	return code;
}

int output_open(const char *path, char **place, char **old, struct error *error)
{
	int code = -EAGAIN;
	char *real;

	*old = NULL;
	*place = realpath(path, NULL);
	if (!*place)
		*place = strdup(path); /* it does not exist yet */
	if (!*place)
		return error_set(error, -ENOMEM, "no memory for a file name");
	for (int tries = 0; code == -EAGAIN && tries < MOST_TRIES; tries++) {
		int kept = keep_old(*place, old, error);

		code = kept < 0 ? kept : kept ? -EAGAIN : create(*place, error);
	}
	if (code == -EAGAIN)
		busy(*place, "-o", error);
	real = code < 0 ? NULL : realpath(path, NULL);
	if (real) { /* now the link, which led nowhere, leads to the new file */
		free(*place);
		*place = real;
	}
	if (code < 0) {
		free(*place);
		free(*old);
		*place = *old = NULL;
	}
	return code;
}
