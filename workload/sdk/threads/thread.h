/* SPDX-License-Identifier: MIT */
/*
 * Threads, shared by <bareperf/thread.h>, <pthread.h> and <threads.h>: one per CPU. A join frees
 * the thread's CPU; its memory stays valid until the next thread starts there.
 */
#ifndef WORKLOAD_SDK_THREADS_THREAD_H
#define WORKLOAD_SDK_THREADS_THREAD_H

#include <reent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <arch_floats.h>

/* A thread's own data: errno and the rest of the C library's (reent); its thread-local variables
 * lie behind this struct, at pointer. */
struct sdk_thread {
	int (*fn)(void *argument);
	void *argument;
	void *(*routine)(void *argument); /* the function and result for <pthread.h> */
	void *value;                      /* routine's result, or pthread_exit()'s argument */
	uint32_t number;                  /* counts all started threads; main()'s is 1 */
	uint32_t ended;                   /* 1: it has ended (a word of sync.h) */
	bool detached, joined;            /* protected by sdk_threads_lock() */
	sigset_t blocked;                 /* copied from its creator */
	struct arch_floats floats;
	char name[16];
	void *pointer;
	struct _reent reent;
	char variables[];
};

/* Make a thread that is not started; NULL: no memory. free() releases it before it is started. */
struct sdk_thread *sdk_thread_new(int (*fn)(void *argument), void *argument);

/* Start it on this CPU, or on BAREPERF_ANY_CPU. Returns the CPU, or bareperf_thread_start()'s
 * error. With sdk_threads_lock(). */
int sdk_thread_start(int cpu, struct sdk_thread *thread);

/* The calling thread. */
struct sdk_thread *sdk_thread_self(void);

/* Mark the thread as ended; it only has to return, or to call sdk_system->exit(). */
void sdk_thread_finish(struct sdk_thread *self);

/* The thread that runs, or ran last, on a CPU; or NULL. Valid while sdk_threads_lock() is held, or
 * the thread is not joined. */
struct sdk_thread *sdk_thread_on(unsigned cpu);

/* Wait until only main()'s thread runs, including threads that are started meanwhile. */
void sdk_threads_await(void);

/* Wait for the thread's end. */
void sdk_thread_await(const struct sdk_thread *thread);

/* Wait for the thread's end, and free its CPU. Returns 0, or bareperf_thread_join()'s error. */
int sdk_thread_join(unsigned cpu, struct sdk_thread *thread, int *result);

/* The lock for starting and finding threads. */
void sdk_threads_lock(void);
void sdk_threads_unlock(void);

#endif
