/* SPDX-License-Identifier: MIT */
/* newlib's system calls that have only one possible result in the firmware: there is one process, a
 * console without input, and no files. */
#include "lib/newlib.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int newlib_fail(int code)
{
	errno = code;
	return -1;
}

static int newlib_is_standard(int file)
{
	return file >= STDIN_FILENO && file <= STDERR_FILENO;
}

/* The console has no input: standard input is at its end. */
_READ_WRITE_RETURN_TYPE read(int file, void *bytes, size_t size)
{
	(void)bytes;
	(void)size;
	return file == STDIN_FILENO ? 0 : newlib_fail(EBADF);
}

int close(int file)
{
	return newlib_is_standard(file) ? 0 : newlib_fail(EBADF);
}

int fstat(int file, struct stat *status)
{
	if (!newlib_is_standard(file))
		return newlib_fail(EBADF);
	*status = (struct stat){ .st_mode = S_IFCHR | 0600, .st_nlink = 1, .st_blksize = 1024 };
	return 0;
}

int isatty(int file)
{
	if (newlib_is_standard(file))
		return 1;
	errno = EBADF;
	return 0;
}

off_t lseek(int file, off_t offset, int whence)
{
	(void)offset;
	(void)whence;
	return newlib_fail(newlib_is_standard(file) ? ESPIPE : EBADF);
}

/* There are no files. */
int open(const char *path, int flags, ...)
{
	(void)path;
	(void)flags;
	return newlib_fail(ENOENT);
}

int getpid(void)
{
	return 1; /* the pid in the samples */
}

_READ_WRITE_RETURN_TYPE _read(int file, void *bytes, size_t size) SYSCALL_ALIAS(read);
int _close(int file) SYSCALL_ALIAS(close);
int _fstat(int file, struct stat *status) SYSCALL_ALIAS(fstat);
int _isatty(int file) SYSCALL_ALIAS(isatty);
off_t _lseek(int file, off_t offset, int whence) SYSCALL_ALIAS(lseek);
int _open(const char *path, int flags, ...) SYSCALL_ALIAS(open);
int _getpid(void) SYSCALL_ALIAS(getpid);
