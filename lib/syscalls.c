/* SPDX-License-Identifier: MIT */
/* newlib's system calls for the firmware. A payload's newlib has its own in
 * workload/sdk/syscalls.c: a payload is linked separately, with its own heap and files, and gets
 * the time and ends through the table that it is given. */
#include "lib/syscalls.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "lib/console/console.h"
#include "lib/newlib.h"
#include "lib/panic.h"
#include "lib/platform.h"

static struct {
	char *start, *end, *high;
	char *limit; /* the highest value of high */
} heap;
static uint64_t clock_frequency;
static void (*exit_hook)(int status);

void syscalls_init(void *start, uint64_t size, const struct arch_clock *clock)
{
	if (heap.start != start) {
		heap.start = heap.end = start;
		heap.high = heap.limit = heap.start + size;
	}
	clock_frequency = clock->frequency;
}

void syscalls_set_heap(void **start, uint64_t *size)
{
	char *from = (char *)(((uint64_t)heap.end + ARCH_PAGE - 1) & ~(ARCH_PAGE - 1));

	*start = from;
	*size = from < heap.limit ? (uint64_t)(heap.limit - from) : 0;
	heap.high = heap.end;
}

void syscalls_take_heap_back(uint64_t but)
{
	heap.high = heap.limit - but;
}

/* newlib 3.3 is built with a struct mallinfo of ten ints, uordblks the eighth; its header says
 * size_t, which has room for both. */
uint64_t syscalls_heap_used(void)
{
	struct mallinfo info = mallinfo();
	unsigned fields[10];

	_Static_assert(sizeof(info) >= sizeof(fields), "struct mallinfo");
	memcpy(fields, &info, sizeof(fields));
	return fields[7];
}

void syscalls_set_exit(void (*hook)(int status))
{
	exit_hook = hook;
}

void _exit(int status)
{
	if (exit_hook)
		exit_hook(status);
	panic("exit(%d) outside a payload", status);
}

/* malloc() expects zeroed memory, which the firmware's former memory is not. */
void *sbrk(ptrdiff_t increment)
{
	char *previous = heap.end;

	if (increment > heap.high - heap.end || increment < heap.start - heap.end) {
		errno = ENOMEM;
		return (void *)-1;
	}
	if (increment > 0)
		memset(previous, 0, (size_t)increment);
	heap.end += increment;
	return previous;
}

static int syscalls_fail(int code)
{
	errno = code;
	return -1;
}

_READ_WRITE_RETURN_TYPE write(int file, const void *bytes, size_t size)
{
	if (file != STDOUT_FILENO && file != STDERR_FILENO)
		return syscalls_fail(EBADF);
	console_write(bytes, size);
	return (_READ_WRITE_RETURN_TYPE)size;
}

/* The one process may signal itself: abort() and failed asserts come here. */
int kill(int pid, int signal)
{
	if (pid != 1)
		return syscalls_fail(ESRCH);
	if (signal == 0)
		return 0;
	console_printf("payload ended by signal %d\n", signal);
	_exit(128 + signal);
}

static uint64_t syscalls_cycles_since_entry(void)
{
	return arch_cycles() - boot_entry()->cycles;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	uint64_t cycles = syscalls_cycles_since_entry();

	(void)zone;
	if (clock_frequency == 0)
		return syscalls_fail(EINVAL);
	now->tv_sec = (time_t)(boot_entry()->epoch + cycles / clock_frequency);
	now->tv_usec = (suseconds_t)(cycles % clock_frequency * 1000000 / clock_frequency);
	return 0;
}

/* All time is user time. */
clock_t times(struct tms *buffer)
{
	uint64_t cycles = syscalls_cycles_since_entry();
	clock_t ticks;

	if (clock_frequency == 0)
		return (clock_t)syscalls_fail(EINVAL);
	ticks = (clock_t)(cycles / clock_frequency * CLOCKS_PER_SEC +
	                  cycles % clock_frequency * CLOCKS_PER_SEC / clock_frequency);
	*buffer = (struct tms){ .tms_utime = ticks };
	return ticks;
}

void *_sbrk(ptrdiff_t increment) SYSCALL_ALIAS(sbrk);
_READ_WRITE_RETURN_TYPE _write(int file, const void *bytes, size_t size) SYSCALL_ALIAS(write);
int _kill(int pid, int signal) SYSCALL_ALIAS(kill);
int _gettimeofday(struct timeval *restrict now, void *restrict zone) SYSCALL_ALIAS(gettimeofday);
clock_t _times(struct tms *buffer) SYSCALL_ALIAS(times);
