/* SPDX-License-Identifier: MIT */
/* Of POSIX's files, what a program may ask for where there are no symbolic links, users or other
 * processes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "workload/sdk/files.h"

static int files_refuse(int code)
{
	errno = code;
	return -1;
}

/* 0, or why there is no such file. */
static int files_look(const char *path)
{
	struct stat status;

	return stat(path, &status);
}

static int files_look_at(int fd)
{
	struct stat status;

	return fstat(fd, &status);
}

/* ---- Links: there are none ---- */

int lstat(const char *restrict path, struct stat *restrict status);

int lstat(const char *restrict path, struct stat *restrict status)
{
	return stat(path, status);
}

ssize_t readlink(const char *restrict path, char *restrict text, size_t size)
{
	(void)text;
	(void)size;
	return files_look(path) ? -1 : files_refuse(EINVAL);
}

int symlink(const char *to, const char *path)
{
	(void)to;
	(void)path;
	return files_refuse(EPERM);
}

/* ---- Sizes ---- */

long pathconf(const char *path, int name)
{
	if (files_look(path))
		return -1;
	switch (name) {
	case _PC_NAME_MAX:
		return NAME_MAX;
	case _PC_PATH_MAX:
		return PATH_MAX;
	default:
		return files_refuse(EINVAL);
	}
}

/* ---- Users: one, who may do all ---- */

uid_t getuid(void)
{
	return 0;
}

uid_t geteuid(void)
{
	return 0;
}

gid_t getgid(void)
{
	return 0;
}

gid_t getegid(void)
{
	return 0;
}

mode_t umask(mode_t mask)
{
	(void)mask;
	return 0;
}

int chmod(const char *path, mode_t mode)
{
	(void)mode;
	return files_look(path);
}

int fchmod(int fd, mode_t mode)
{
	(void)mode;
	return files_look_at(fd);
}

int chown(const char *path, uid_t user, gid_t group)
{
	(void)user;
	(void)group;
	return files_look(path);
}

int fchown(int fd, uid_t user, gid_t group)
{
	(void)user;
	(void)group;
	return files_look_at(fd);
}

int utimes(const char *path, const struct timeval *times)
{
	(void)times;
	return files_look(path);
}

/* ---- Descriptors; locks: nobody else has any ---- */

int fcntl(int fd, int command, ...)
{
	struct flock *lock;
	va_list arguments;
	int from;

	if (files_look_at(fd))
		return -1;
	switch (command) {
	case F_GETLK:
		va_start(arguments, command);
		lock = va_arg(arguments, struct flock *);
		va_end(arguments);
		lock->l_type = F_UNLCK;
		return 0;
	case F_DUPFD:
		va_start(arguments, command);
		from = va_arg(arguments, int);
		va_end(arguments);
		return files_double(fd, from);
	case F_GETFL:
		return files_flags(fd);
	case F_SETLK:
	case F_SETLKW:
	case F_GETFD:
	case F_SETFD:
		return 0;
	default:
		return files_refuse(EINVAL);
	}
}

int _fcntl(int fd, int command, ...) __attribute__((alias("fcntl"), used));
