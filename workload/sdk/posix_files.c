/* SPDX-License-Identifier: MIT */
/* POSIX's file functions for a machine without symbolic links, users or other processes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/newlib.h"
#include "workload/sdk/files.h"
#include "workload/sdk/sdk.h"

static int files_refuse(int code)
{
	errno = code;
	return -1;
}

/* Returns 0, or the reason why there is no such file. */
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

/* ---- Symbolic links: there are none ---- */

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

/* ---- Users: there is one, who may do everything ---- */

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

/* ---- Descriptor states ---- */

int fsync(int fd)
{
	struct file *file;

	sdk_files_lock();
	return files_of(fd, &file) ? files_done(0) : files_fail(EBADF);
}

int fdatasync(int fd)
{
	return fsync(fd);
}

int fstat(int fd, struct stat *status)
{
	struct file *file;

	sdk_files_lock();
	if (!files_of(fd, &file))
		return files_fail(EBADF);
	files_status(file, status);
	return files_done(0);
}

int isatty(int fd)
{
	struct file *file;
	bool is_open;

	sdk_files_lock();
	is_open = files_of(fd, &file);
	if (is_open && !file)
		return files_done(1);
	files_fail(is_open ? ENOTTY : EBADF);
	return 0;
}

int _fstat(int fd, struct stat *status) SYSCALL_ALIAS(fstat);
int _isatty(int fd) SYSCALL_ALIAS(isatty);

/* ---- fcntl(); locks: no other process could have one ---- */

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
	case F_SETFL:
		va_start(arguments, command);
		from = va_arg(arguments, int);
		va_end(arguments);
		return files_set_flags(fd, from);
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
