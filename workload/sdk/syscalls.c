/* SPDX-License-Identifier: MIT */
/* newlib's system calls, by the firmware's table. The firmware's own newlib uses lib/syscalls.c: a
 * payload is linked separately, with its own heap and files. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "lib/newlib.h"
#include "workload/sdk/sdk.h"

#define HEAP_ALIGN 16U

static uint64_t heap_used, heap_most, begun;

static int syscalls_fail(int code)
{
	errno = code;
	return -1;
}

void *sdk_heap_take(size_t size)
{
	char *taken = (char *)sdk_system->heap + heap_used;

	if (size > sdk_system->heap_size - heap_used)
		return NULL;
	heap_used += (size + HEAP_ALIGN - 1) & ~(size_t)(HEAP_ALIGN - 1);
	return taken;
}

/* malloc() expects new memory to be 0, which it is not in a second run. */
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
	heap_most = heap_used > heap_most ? heap_used : heap_most;
	return previous;
}

char *sdk_heap_most(void)
{
	return (char *)sdk_system->heap + heap_most;
}

void _exit(int status)
{
	sdk_system->end(status);
	__builtin_unreachable();
}

void sdk_time_begin(void)
{
	begun = sdk_system->clock();
}

uint64_t sdk_time_used(void)
{
	return sdk_system->clock() - begun;
}

uint64_t sdk_now(void)
{
	return sdk_system->epoch + sdk_system->clock() / NSEC_PER_SEC;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	uint64_t ns = sdk_system->clock();

	(void)zone;
	now->tv_sec = (time_t)(sdk_system->epoch + ns / NSEC_PER_SEC);
	now->tv_usec = (suseconds_t)(ns % NSEC_PER_SEC / 1000);
	return 0;
}

static clock_t syscalls_ticks(uint64_t ns)
{
	return (clock_t)(ns / (NSEC_PER_SEC / CLOCKS_PER_SEC));
}

/* All time is user time. clock() calls this too. */
clock_t times(struct tms *buffer)
{
	*buffer = (struct tms){ .tms_utime = syscalls_ticks(sdk_time_used()) };
	return syscalls_ticks(sdk_system->clock());
}

int getrusage(int whose, struct rusage *usage)
{
	uint64_t ns = sdk_time_used();

	*usage = (struct rusage){ 0 };
	if (whose == RUSAGE_SELF) {
		usage->ru_utime.tv_sec = (time_t)(ns / NSEC_PER_SEC);
		usage->ru_utime.tv_usec = (suseconds_t)(ns % NSEC_PER_SEC / 1000);
	}
	return whose == RUSAGE_SELF || whose == RUSAGE_CHILDREN ? 0 : syscalls_fail(EINVAL);
}

void *_sbrk(ptrdiff_t increment) SYSCALL_ALIAS(sbrk);
int _gettimeofday(struct timeval *restrict now, void *restrict zone) SYSCALL_ALIAS(gettimeofday);
clock_t _times(struct tms *buffer) SYSCALL_ALIAS(times);
