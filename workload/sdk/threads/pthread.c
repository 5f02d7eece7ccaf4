/* SPDX-License-Identifier: MIT */
/* POSIX threads (IEEE 1003.1-2008, <pthread.h>): start and end. A handle is the thread's number,
 * with the CPU in its low byte. */
#include <bareperf/thread.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "workload/sdk/sdk.h"
#include "workload/sdk/threads/sdk_pthread.h"
#include "workload/sdk/threads/thread.h"

#define HANDLE_CPU  0xffU
#define HANDLE_UNIT 0x100U

static __thread struct _pthread_cleanup_context *cleanups;

static pthread_t pthread_handle_of(const struct sdk_thread *thread, unsigned cpu)
{
	return thread->number * HANDLE_UNIT + cpu;
}

pthread_t pthread_self(void)
{
	return pthread_handle_of(sdk_thread_self(), sdk_system->cpu());
}

int pthread_equal(pthread_t one, pthread_t other)
{
	return one == other;
}

/* ---- Start ---- */

/* Threads that will not be joined give their CPUs back when another thread is wanted. */
static bool pthread_reap(void)
{
	bool any = false;

	for (unsigned cpu = 1; cpu < SDK_MAX_CPUS; cpu++) {
		struct sdk_thread *thread = sdk_thread_on(cpu);
		int unwanted;

		if (thread && thread->detached && !thread->joined &&
		    __atomic_load_n(&thread->ended, __ATOMIC_ACQUIRE)) {
			thread->joined = true;
			any |= sdk_thread_join(cpu, thread, &unwanted) == 0;
		}
	}
	return any;
}

static int pthread_start_somewhere(struct sdk_thread *thread, pthread_t *handle)
{
	int cpu;

	sdk_threads_lock();
	do {
		cpu = sdk_thread_start(BAREPERF_ANY_CPU, thread);
	} while (cpu == -EBUSY && pthread_reap());
	if (cpu >= 0)
		*handle = pthread_handle_of(thread, (unsigned)cpu);
	sdk_threads_unlock();
	return cpu < 0 ? EAGAIN : 0;
}

/* Report only once, because a program may start threads until that fails, which is no error. */
static void pthread_tell_of_cpus(void)
{
	static bool reported;

	if (__atomic_exchange_n(&reported, true, __ATOMIC_RELAXED))
		return;
	fprintf(
	    stderr,
	    "pthread_create: a thread needs a CPU of its own that is recorded, and there %s %u with main()'s: "
	    "record -a, and in QEMU -smp, give more\n",
	    sdk_system->cpus == 1 ? "is" : "are", sdk_system->cpus);
}

static int pthread_enter(void *argument)
{
	pthread_exit(sdk_thread_self()->routine(argument));
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*routine)(void *),
                   void *argument)
{
	struct sdk_thread *thread = sdk_thread_new(pthread_enter, argument);
	int code;

	if (!thread)
		return EAGAIN;
	thread->routine = routine;
	thread->detached = attr && attr->detachstate == PTHREAD_CREATE_DETACHED;
	code = pthread_start_somewhere(thread, handle);
	if (!code)
		return 0;
	free(thread);
	pthread_tell_of_cpus();
	return code;
}

/* ---- End ---- */

void _pthread_cleanup_push(struct _pthread_cleanup_context *context, void (*routine)(void *),
                           void *argument)
{
	context->_routine = routine;
	context->_arg = argument;
	context->_previous = cleanups;
	cleanups = context;
}

void _pthread_cleanup_pop(struct _pthread_cleanup_context *context, int execute)
{
	cleanups = context->_previous;
	if (execute)
		context->_routine(context->_arg);
}

void pthread_exit(void *value)
{
	struct sdk_thread *self = sdk_thread_self();

	while (cleanups)
		_pthread_cleanup_pop(cleanups, true);
	sdk_keys_destroy();
	if (sdk_system->cpu() == 0) { /* main(): the program ends with the last thread */
		sdk_threads_await();
		exit(EXIT_SUCCESS);
	}
	self->value = value;
	sdk_thread_finish(self);
	sdk_system->exit(0);
	__builtin_unreachable();
}

struct sdk_thread *sdk_pthread_find(pthread_t handle)
{
	struct sdk_thread *thread = sdk_thread_on(handle & HANDLE_CPU);

	return thread && pthread_handle_of(thread, handle & HANDLE_CPU) == handle ? thread : NULL;
}

/* Find the handle's thread if it was neither joined nor detached, and mark it as joined or
 * detached. */
static int pthread_claim(pthread_t handle, bool detach, struct sdk_thread **found)
{
	struct sdk_thread *thread;
	int code = 0;

	sdk_threads_lock();
	thread = sdk_pthread_find(handle);
	if (!thread)
		code = ESRCH;
	else if ((handle & HANDLE_CPU) == 0 || thread->detached || thread->joined)
		code = EINVAL;
	else if (detach)
		thread->detached = true;
	else
		thread->joined = true;
	sdk_threads_unlock();
	*found = thread;
	return code;
}

int pthread_join(pthread_t handle, void **value)
{
	struct sdk_thread *thread;
	int unwanted, code;

	if (handle == pthread_self())
		return EDEADLK;
	code = pthread_claim(handle, false, &thread);
	if (code)
		return code;
	sdk_thread_await(thread);
	if (value) /* the thread's memory is valid until its CPU is given back */
		*value = thread->value;
	return -sdk_thread_join(handle & HANDLE_CPU, thread, &unwanted);
}

int pthread_detach(pthread_t handle)
{
	struct sdk_thread *unwanted;

	return pthread_claim(handle, true, &unwanted);
}

void pthread_yield(void)
{
	sched_yield();
}

int sched_yield(void)
{
	return 0; /* no other thread uses this CPU */
}
