/* SPDX-License-Identifier: MIT */
/* Files' access and modification times as set by a program: utime() and related functions. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <utime.h>

#include "workload/sdk/files.h"
#include "workload/sdk/sdk.h"

/* POSIX's <sys/stat.h>: special values for nanoseconds. */
#define UTIME_NOW  (-2L)
#define UTIME_OMIT (-1L)

#define USEC_PER_SEC 1000000

void files_touch(struct file *file)
{
	clock_gettime(CLOCK_REALTIME, &file->modified);
	file->changed = file->modified;
}

static bool file_times_is_time(const struct timespec *time)
{
	return time->tv_nsec == UTIME_NOW || time->tv_nsec == UTIME_OMIT ||
	       (time->tv_nsec >= 0 && (uint64_t)time->tv_nsec < NSEC_PER_SEC);
}

static void file_times_put(struct timespec *to, const struct timespec *time,
                           const struct timespec *now)
{
	if (time->tv_nsec == UTIME_NOW)
		*to = *now;
	else if (time->tv_nsec != UTIME_OMIT)
		*to = *time;
}

/* Called with the lock; releases it. times NULL: now. */
static int file_times_set(struct file *file, const struct timespec *times)
{
	static const struct timespec nows[2] = { { .tv_nsec = UTIME_NOW },
		                                 { .tv_nsec = UTIME_NOW } };
	struct timespec now;

	times = times ? times : nows;
	if (!file_times_is_time(&times[0]) || !file_times_is_time(&times[1]))
		return files_fail(EINVAL);
	clock_gettime(CLOCK_REALTIME, &now);
	if (file) {
		file_times_put(&file->accessed, &times[0], &now);
		file_times_put(&file->modified, &times[1], &now);
		file->changed = now;
	}
	return files_done(0);
}

/* The path of a directory's descriptor is not known, so only paths from the current directory or
 * the root are supported. */
int utimensat(int directory, const char *path, const struct timespec *times, int flags)
{
	const struct name *name;
	int code;

	sdk_files_lock();
	if (flags & ~AT_SYMLINK_NOFOLLOW)
		return files_fail(EINVAL);
	if (directory != AT_FDCWD && *path != '/')
		return files_fail(EBADF);
	name = *files_find(path, &code);
	return name ? file_times_set(name->file, times) : files_fail(code);
}

int futimens(int fd, const struct timespec *times)
{
	struct file *file;

	sdk_files_lock();
	return files_of(fd, &file) ? file_times_set(file, times) : files_fail(EBADF);
}

/* NULL: there are no times; *are_wrong is set if the microseconds are out of range. */
static const struct timespec *file_times_of(const struct timeval *times, struct timespec to[2],
                                            bool *are_wrong)
{
	*are_wrong = false;
	for (unsigned i = 0; times && i < 2; i++) {
		*are_wrong |= times[i].tv_usec < 0 || times[i].tv_usec >= USEC_PER_SEC;
		to[i] = (struct timespec){ times[i].tv_sec, (long)times[i].tv_usec * 1000 };
	}
	return times ? to : NULL;
}

static int file_times_refuse(void)
{
	errno = EINVAL;
	return -1;
}

int utimes(const char *path, const struct timeval *times)
{
	struct timespec to[2];
	bool are_wrong;
	const struct timespec *as = file_times_of(times, to, &are_wrong);

	return are_wrong ? file_times_refuse() : utimensat(AT_FDCWD, path, as, 0);
}

int lutimes(const char *path, const struct timeval *times)
{
	return utimes(path, times);
}

int futimes(int fd, const struct timeval *times)
{
	struct timespec to[2];
	bool are_wrong;
	const struct timespec *as = file_times_of(times, to, &are_wrong);

	return are_wrong ? file_times_refuse() : futimens(fd, as);
}

int utime(const char *path, const struct utimbuf *times)
{
	struct timespec to[2];

	if (times) {
		to[0] = (struct timespec){ .tv_sec = times->actime };
		to[1] = (struct timespec){ .tv_sec = times->modtime };
	}
	return utimensat(AT_FDCWD, path, times ? to : NULL, 0);
}
