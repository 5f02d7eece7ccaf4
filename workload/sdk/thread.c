/* SPDX-License-Identifier: MIT */
#include <bareperf/clock.h>
#include <bareperf/thread.h>
#include <reent.h>
#include <stdbool.h>

#include "workload/sdk/sdk.h"

void __malloc_lock(struct _reent *unused);
void __malloc_unlock(struct _reent *unused);

/* malloc()'s lock, which its own functions take again: the CPU that holds it, plus 1. */
static unsigned holder, depth;

unsigned bareperf_cpus(void)
{
	return sdk_system->cpus;
}

unsigned bareperf_cpu(void)
{
	return sdk_system->cpu();
}

int bareperf_thread_start(int cpu, int (*fn)(void *argument), void *argument)
{
	return sdk_system->thread_start(cpu, fn, argument);
}

int bareperf_thread_join(int cpu, int *result)
{
	int unwanted;

	return sdk_system->thread_join(cpu, result ? result : &unwanted);
}

uint64_t bareperf_clock(void)
{
	return sdk_system->clock();
}

/* In place of newlib's, which lock nothing. */
void __malloc_lock(struct _reent *unused)
{
	unsigned me = sdk_system->cpu() + 1;

	(void)unused;
	if (__atomic_load_n(&holder, __ATOMIC_RELAXED) != me) {
		unsigned nobody = 0;

		while (!__atomic_compare_exchange_n(&holder, &nobody, me, false, __ATOMIC_ACQUIRE,
		                                    __ATOMIC_RELAXED))
			nobody = 0;
	}
	depth++;
}

void __malloc_unlock(struct _reent *unused)
{
	(void)unused;
	if (--depth == 0)
		__atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
}
