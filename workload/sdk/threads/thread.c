/* SPDX-License-Identifier: MIT */
#include "workload/sdk/threads/thread.h"

#include <bareperf/clock.h>
#include <bareperf/thread.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workload/sdk/sdk.h"
#include "workload/sdk/threads/sync.h"

void __sinit(struct _reent *reent); /* newlib's */

static uint32_t threads_mutex = SDK_MUTEX_NORMAL, nr_threads = 1;
static uint32_t nr_running; /* threads besides main()'s */
static struct sdk_thread main_thread = { .number = 1 }, *last[SDK_MAX_CPUS];
static __thread struct sdk_thread *thread_self;

unsigned bareperf_cpus(void)
{
	return sdk_system->cpus;
}

unsigned bareperf_cpu(void)
{
	return sdk_system->cpu();
}

void sdk_threads_lock(void)
{
	sdk_mutex_lock(&threads_mutex, SDK_FOREVER);
}

void sdk_threads_unlock(void)
{
	sdk_mutex_unlock(&threads_mutex);
}

struct sdk_thread *sdk_thread_self(void)
{
	return thread_self ? thread_self : &main_thread;
}

struct sdk_thread *sdk_thread_on(unsigned cpu)
{
	return cpu == 0 ? &main_thread : last[cpu % SDK_MAX_CPUS];
}

struct sdk_thread *sdk_thread_new(int (*fn)(void *argument), void *argument)
{
	struct sdk_thread *thread = malloc(sizeof(*thread) + sdk_tls_room());

	if (!thread)
		return NULL;
	*thread = (struct sdk_thread){ .fn = fn, .argument = argument };
	thread->pointer = sdk_tls_make(thread->variables);
	_REENT_INIT_PTR(&thread->reent);
	arch_floats_get(&thread->floats);
	pthread_sigmask(SIG_SETMASK, NULL, &thread->blocked);
	return thread;
}

static void thread_runs_no_more(void)
{
	__atomic_fetch_sub(&nr_running, 1, __ATOMIC_RELEASE);
	sdk_wake(&nr_running);
}

/* A thread that may start others is counted until it has ended, so at 0 no thread can be
 * started. */
void sdk_threads_await(void)
{
	uint32_t seen;

	while ((seen = __atomic_load_n(&nr_running, __ATOMIC_ACQUIRE)) != 0)
		sdk_wait(&nr_running, seen, SDK_FOREVER);
}

void sdk_thread_finish(struct sdk_thread *self)
{
	__atomic_store_n(&self->ended, 1, __ATOMIC_RELEASE);
	sdk_wake(&self->ended);
	thread_runs_no_more();
}

static int thread_enter(void *argument)
{
	struct sdk_thread *self = argument;
	int result;

	sdk_tls_enter(self->pointer, &self->reent);
	thread_self = self;
	arch_floats_set(&self->floats);
	pthread_sigmask(SIG_SETMASK, &self->blocked, NULL);
	sdk_mark_begin();
	result = self->fn(self->argument);
	sdk_thread_finish(self);
	return result;
}

static void thread_free(struct sdk_thread *thread)
{
	if (thread)
		_reclaim_reent(&thread->reent);
	free(thread);
}

/* The first call makes the C library's streams as part of main()'s state, which flushes them at the
 * program's end; otherwise streams that only threads use would not be flushed. */
int sdk_thread_start(int cpu, struct sdk_thread *thread)
{
	__sinit(_GLOBAL_REENT); /* it checks itself that it runs only once */
	thread->number = ++nr_threads;
	__atomic_fetch_add(&nr_running, 1, __ATOMIC_RELAXED);
	cpu = sdk_system->thread_start(cpu, thread_enter, thread);
	if (cpu < 0) {
		thread_runs_no_more();
		return cpu;
	}
	thread_free(last[cpu % (int)SDK_MAX_CPUS]);
	last[cpu % (int)SDK_MAX_CPUS] = thread;
	return cpu;
}

void sdk_thread_await(const struct sdk_thread *thread)
{
	while (!__atomic_load_n(&thread->ended, __ATOMIC_ACQUIRE))
		sdk_wait(&thread->ended, 0, SDK_FOREVER);
}

int sdk_thread_join(unsigned cpu, struct sdk_thread *thread, int *result)
{
	sdk_thread_await(thread);
	return sdk_system->thread_join((int)cpu, result);
}

int bareperf_thread_start(int cpu, int (*fn)(void *argument), void *argument)
{
	struct sdk_thread *thread = sdk_thread_new(fn, argument);
	int code;

	if (!thread)
		return -ENOMEM;
	sdk_threads_lock();
	code = sdk_thread_start(cpu, thread);
	sdk_threads_unlock();
	if (code < 0)
		free(thread);
	return code;
}

int bareperf_thread_join(int cpu, int *result)
{
	struct sdk_thread *thread;
	int unwanted;

	if (cpu <= 0 || cpu >= (int)SDK_MAX_CPUS)
		return -ESRCH;
	sdk_threads_lock();
	thread = sdk_thread_on((unsigned)cpu);
	if (thread && (thread->joined || thread->detached))
		thread = NULL;
	else if (thread)
		thread->joined = true;
	sdk_threads_unlock();
	return thread ? sdk_thread_join((unsigned)cpu, thread, result ? result : &unwanted)
	              : -ESRCH;
}

uint64_t bareperf_clock(void)
{
	return sdk_system->clock();
}
