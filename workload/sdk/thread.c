/* SPDX-License-Identifier: MIT */
#include <bareperf/clock.h>
#include <bareperf/thread.h>
#include <errno.h>
#include <reent.h>
#include <stdlib.h>

#include "workload/sdk/sdk.h"

#define MAX_CPUS 256U

void __sinit(struct _reent *reent); /* newlib's */

/* What a thread has for itself: errno and the rest of the C library's (reent), and at pointer its
 * thread-local variables, behind this struct. */
struct thread {
	int (*fn)(void *argument);
	void *argument;
	void *pointer;
	struct _reent reent;
	char variables[];
};

/* By CPU, of the thread that it runs, or ran last: the next one there frees it. */
static struct thread *last[MAX_CPUS];

unsigned bareperf_cpus(void)
{
	return sdk_system->cpus;
}

unsigned bareperf_cpu(void)
{
	return sdk_system->cpu();
}

static void thread_free(struct thread *thread)
{
	if (thread)
		_reclaim_reent(&thread->reent);
	free(thread);
}

static int thread_enter(void *argument)
{
	struct thread *thread = argument, **mine = &last[sdk_system->cpu() % MAX_CPUS];
	struct thread *before = *mine;

	sdk_tls_enter(thread->pointer, &thread->reent);
	*mine = thread;
	thread_free(before);
	return thread->fn(thread->argument);
}

/* Streams are made by main()'s part of the C library, which flushes them in the end, even if only
 * threads use them. */
int bareperf_thread_start(int cpu, int (*fn)(void *argument), void *argument)
{
	struct thread *thread = malloc(sizeof(*thread) + sdk_tls_room());
	int code = -ENOMEM;

	if (!thread)
		return code;
	if (!_GLOBAL_REENT->__sdidinit)
		__sinit(_GLOBAL_REENT);
	thread->fn = fn;
	thread->argument = argument;
	thread->pointer = sdk_tls_make(thread->variables);
	_REENT_INIT_PTR(&thread->reent);
	code = sdk_system->thread_start(cpu, thread_enter, thread);
	if (code < 0)
		free(thread);
	return code;
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
