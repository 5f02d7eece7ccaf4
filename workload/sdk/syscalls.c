/* SPDX-License-Identifier: MIT */
/* What newlib asks of an operating system, out of the firmware's table. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "workload/sdk/sdk.h"

/* newlib's ports disagree about the names: x86_64-elf calls write(), aarch64-elf _write(). */
#define SYSCALL_ALIAS(name) __attribute__((alias(#name), used))

#define NSEC_PER_SEC 1000000000U

static uint64_t heap_used;

static int fail(int error)
{
	errno = error;
	return -1;
}

/* malloc() expects what it gets for the first time to be 0, which is not so in a second run. */
void *sbrk(ptrdiff_t increment)
{
	char *previous = (char *)sdk_system->heap + heap_used;

	if (increment > (ptrdiff_t)(sdk_system->heap_size - heap_used) ||
	    increment < -(ptrdiff_t)heap_used) {
		errno = ENOMEM;
		return (void *)-1;
	}
	if (increment > 0)
		memset(previous, 0, (size_t)increment);
	heap_used += (uint64_t)increment;
	return previous;
}

void _exit(int status)
{
	sdk_system->exit(status);
	__builtin_unreachable();
}

_READ_WRITE_RETURN_TYPE write(int file, const void *bytes, size_t size)
{
	int64_t result;

	if (file != STDOUT_FILENO && file != STDERR_FILENO)
		return fail(EBADF);
	result = sdk_system->write(bytes, size);
	return (_READ_WRITE_RETURN_TYPE)(result < 0 ? fail((int)-result) : result);
}

/* The console has no input: standard input is at its end. */
_READ_WRITE_RETURN_TYPE read(int file, void *bytes, size_t size)
{
	(void)bytes;
	(void)size;
	return file == STDIN_FILENO ? 0 : fail(EBADF);
}

static int is_standard(int file)
{
	return file >= STDIN_FILENO && file <= STDERR_FILENO;
}

int close(int file)
{
	return is_standard(file) ? 0 : fail(EBADF);
}

int fstat(int file, struct stat *status)
{
	if (!is_standard(file))
		return fail(EBADF);
	*status = (struct stat){ .st_mode = S_IFCHR | 0600, .st_nlink = 1, .st_blksize = 1024 };
	return 0;
}

int isatty(int file)
{
	if (is_standard(file))
		return 1;
	errno = EBADF;
	return 0;
}

off_t lseek(int file, off_t offset, int whence)
{
	(void)offset;
	(void)whence;
	return fail(is_standard(file) ? ESPIPE : EBADF);
}

/* There are no files. */
int open(const char *path, int flags, ...)
{
	(void)path;
	(void)flags;
	return fail(ENOENT);
}

int getpid(void)
{
	return 1; /* as in the samples */
}

/* The one process may signal itself: abort() and failed asserts end here. */
int kill(int pid, int signal)
{
	if (pid != 1)
		return fail(ESRCH);
	if (signal)
		_exit(128 + signal);
	return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	uint64_t ns = sdk_system->clock();

	(void)zone;
	now->tv_sec = (time_t)(sdk_system->epoch + ns / NSEC_PER_SEC);
	now->tv_usec = (suseconds_t)(ns % NSEC_PER_SEC / 1000);
	return 0;
}

/* All time is user time. */
clock_t times(struct tms *buffer)
{
	clock_t ticks = (clock_t)(sdk_system->clock() / (NSEC_PER_SEC / CLOCKS_PER_SEC));

	*buffer = (struct tms){ .tms_utime = ticks };
	return ticks;
}

void *_sbrk(ptrdiff_t increment) SYSCALL_ALIAS(sbrk);
_READ_WRITE_RETURN_TYPE _write(int file, const void *bytes, size_t size) SYSCALL_ALIAS(write);
_READ_WRITE_RETURN_TYPE _read(int file, void *bytes, size_t size) SYSCALL_ALIAS(read);
int _close(int file) SYSCALL_ALIAS(close);
int _fstat(int file, struct stat *status) SYSCALL_ALIAS(fstat);
int _isatty(int file) SYSCALL_ALIAS(isatty);
off_t _lseek(int file, off_t offset, int whence) SYSCALL_ALIAS(lseek);
int _open(const char *path, int flags, ...) SYSCALL_ALIAS(open);
int _getpid(void) SYSCALL_ALIAS(getpid);
int _kill(int pid, int signal) SYSCALL_ALIAS(kill);
int _gettimeofday(struct timeval *restrict now, void *restrict zone) SYSCALL_ALIAS(gettimeofday);
clock_t _times(struct tms *buffer) SYSCALL_ALIAS(times);
