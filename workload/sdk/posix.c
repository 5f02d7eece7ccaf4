/* SPDX-License-Identifier: MIT */
/* Of POSIX, what newlib declares and has no code for, and a machine without an operating system can
 * do. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "workload/sdk/sdk.h"

#define PAGE         4096
#define NSEC_PER_SEC 1000000000ULL

static int posix_fail(int code)
{
	errno = code;
	return -1;
}

/* ---- Time ---- */

/* ns of a clock: of all but the calendar's since the machine was taken; all time is the
 * program's. */
static int posix_clock(clockid_t clock, uint64_t *ns)
{
	*ns = sdk_system->clock();
	switch (clock) {
	case CLOCK_REALTIME:
		*ns += sdk_system->epoch * NSEC_PER_SEC;
		return 0;
	case CLOCK_MONOTONIC:
	case CLOCK_PROCESS_CPUTIME_ID:
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

/* The CPU has nothing else to do. */
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

long sysconf(int name)
{
	switch (name) {
	case _SC_PAGESIZE:
		return PAGE;
	case _SC_NPROCESSORS_CONF:
	case _SC_NPROCESSORS_ONLN:
		return (long)sdk_system->cpus;
	case _SC_PHYS_PAGES:
		return (long)(sdk_system->heap_size / PAGE);
	case _SC_CLK_TCK:
		return CLOCKS_PER_SEC;
	case _SC_MONOTONIC_CLOCK:
		return _POSIX_MONOTONIC_CLOCK;
	case _SC_TIMERS:
		return _POSIX_TIMERS;
	default:
		return posix_fail(EINVAL);
	}
}
