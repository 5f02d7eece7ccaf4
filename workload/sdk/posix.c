/* SPDX-License-Identifier: MIT */
/* POSIX functions that newlib declares without code, as far as a machine without an operating
 * system can provide them. */
#include <errno.h>
#include <malloc.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "workload/sdk/files.h"
#include "workload/sdk/sdk.h"
#include "workload/sdk/threads/sdk_pthread.h"

#define TIME_UTC   1
#define PAGE       4096
#define POSIX_2008 200809L

#define HOST_NAME_LEAST 255                  /* POSIX's least HOST_NAME_MAX */
#define SC_LAST         _SC_POSIX_26_VERSION /* the last that newlib has */

int timespec_get(struct timespec *now, int base);
time_t timegm(struct tm *tm);

static int posix_fail(int code)
{
	errno = code;
	return -1;
}

/* ---- Time ---- */

/* ns of a clock; the monotonic one starts when bareperf took over the machine. */
static int posix_clock(clockid_t clock, uint64_t *ns)
{
	*ns = sdk_system->clock();
	switch (clock) {
	case CLOCK_REALTIME:
		*ns += sdk_system->epoch * NSEC_PER_SEC;
		return 0;
	case CLOCK_MONOTONIC:
		return 0;
	case CLOCK_PROCESS_CPUTIME_ID:
		*ns = sdk_time_used();
		return 0;
	default:
		return posix_fail(EINVAL);
	}
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	uint64_t ns;

	if (posix_clock(clock, &ns) != 0)
		return -1;
	now->tv_sec = (time_t)(ns / NSEC_PER_SEC);
	now->tv_nsec = (long)(ns % NSEC_PER_SEC);
	return 0;
}

int clock_getres(clockid_t clock, struct timespec *resolution)
{
	uint64_t ns;

	if (posix_clock(clock, &ns) != 0)
		return -1;
	if (resolution)
		*resolution = (struct timespec){ .tv_nsec = 1 };
	return 0;
}

int clock_settime(clockid_t clock, const struct timespec *now)
{
	(void)now;
	return posix_fail(clock == CLOCK_REALTIME ? EPERM : EINVAL);
}

/* Waits by halting, because the CPU has nothing else to do. */
int nanosleep(const struct timespec *span, struct timespec *left)
{
	uint64_t begun = sdk_system->clock(), ns;

	if (span->tv_sec < 0 || span->tv_nsec < 0 || (uint64_t)span->tv_nsec >= NSEC_PER_SEC)
		return posix_fail(EINVAL);
	if (__builtin_mul_overflow((uint64_t)span->tv_sec, NSEC_PER_SEC, &ns) ||
	    __builtin_add_overflow((uint64_t)span->tv_nsec, ns, &ns))
		ns = UINT64_MAX;
	while (sdk_system->clock() - begun < ns)
		continue;
	if (left)
		*left = (struct timespec){ 0 };
	return 0;
}

static bool posix_is_before(const struct timespec *one, const struct timespec *other)
{
	return one->tv_sec != other->tv_sec ? one->tv_sec < other->tv_sec
	                                    : one->tv_nsec < other->tv_nsec;
}

/* Returns the error, as <pthread.h>'s functions do. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
	struct timespec now;

	if (clock == CLOCK_PROCESS_CPUTIME_ID || clock_gettime(clock, &now))
		return EINVAL;
	if (!(flags & TIMER_ABSTIME))
		return nanosleep(time, left) ? errno : 0;
	if (time->tv_nsec < 0 || (uint64_t)time->tv_nsec >= NSEC_PER_SEC)
		return EINVAL;
	while (posix_is_before(&now, time))
		clock_gettime(clock, &now);
	return 0;
}

/* C11, 7.27.2.5. newlib's <time.h> has neither this nor timegm(); ours has. */
int timespec_get(struct timespec *now, int base)
{
	return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

/* Days from 1970-01-01 to a month's first day. A year begins in March here, so that the leap day is
 * the last day of a year. */
static int64_t posix_days(int64_t year, int month)
{
	year += month / 12 - (month % 12 < 0);
	month = (month % 12 + 12) % 12;
	year -= month < 2;
	month = (month + 10) % 12;
	return 365 * year + (year - (((year % 4) + 4) % 4)) / 4 -
	       (year - (((year % 100) + 100) % 100)) / 100 +
	       (year - (((year % 400) + 400) % 400)) / 400 + (153 * month + 2) / 5 - 719468;
}

/* Converts calendar time without time zones; members beyond their range are carried over. */
time_t timegm(struct tm *tm)
{
	int64_t days = posix_days(tm->tm_year + 1900LL, tm->tm_mon) + tm->tm_mday - 1;
	time_t time = days * 86400 + tm->tm_hour * 3600LL + tm->tm_min * 60LL + tm->tm_sec;

	return gmtime_r(&time, tm) ? time : -1;
}

unsigned sleep(unsigned seconds)
{
	const struct timespec span = { .tv_sec = seconds };

	nanosleep(&span, NULL);
	return 0;
}

int usleep(useconds_t us)
{
	const struct timespec span = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };

	return nanosleep(&span, NULL);
}

/* ---- Memory ---- */

int posix_memalign(void **memory, size_t align, size_t size)
{
	if (align == 0 || align & (align - 1) || align % sizeof(void *))
		return EINVAL;
	*memory = memalign(align, size);
	return *memory ? 0 : ENOMEM;
}

/* ---- The machine ---- */

int getpagesize(void)
{
	return PAGE;
}

/* The limits, and POSIX's supported options. */
static long posix_limit(int name)
{
	switch (name) {
	case _SC_OPEN_MAX:
	case _SC_STREAM_MAX:
		return FILES_OPEN;
	case _SC_THREAD_KEYS_MAX:
		return SDK_KEYS;
	case _SC_THREAD_DESTRUCTOR_ITERATIONS:
		return SDK_KEY_ITERATIONS;
	case _SC_SEM_VALUE_MAX:
		return SEM_VALUE_MAX;
	case _SC_HOST_NAME_MAX:
		return HOST_NAME_LEAST;
	case _SC_NGROUPS_MAX:
		return 0;
	case _SC_VERSION:
	case _SC_MONOTONIC_CLOCK:
	case _SC_CPUTIME:
	case _SC_CLOCK_SELECTION:
	case _SC_TIMEOUTS:
	case _SC_FSYNC:
	case _SC_THREADS:
	case _SC_THREAD_SAFE_FUNCTIONS:
	case _SC_SEMAPHORES:
	case _SC_BARRIERS:
	case _SC_SPIN_LOCKS:
	case _SC_READER_WRITER_LOCKS:
		return POSIX_2008;
	default:
		return -1; /* no limit, or unknown: errno is unchanged */
	}
}

long sysconf(int name)
{
	switch (name) {
	case _SC_PAGESIZE:
		return PAGE;
	case _SC_NPROCESSORS_CONF:
	case _SC_NPROCESSORS_ONLN:
	case _SC_THREAD_THREADS_MAX:
		return (long)sdk_system->cpus;
	case _SC_PHYS_PAGES:
		return (long)(sdk_system->heap_size / PAGE);
	case _SC_CLK_TCK:
		return CLOCKS_PER_SEC;
	default:
		return name >= 0 && name <= SC_LAST ? posix_limit(name) : posix_fail(EINVAL);
	}
}
