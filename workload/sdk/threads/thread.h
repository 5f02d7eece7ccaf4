/* SPDX-License-Identifier: MIT */
/*
 * Threads as <bareperf/thread.h>, <pthread.h> and <threads.h> share them: one a CPU. A thread's CPU
 * is free again when it is joined; its memory stays until the next thread starts there.
 */
#ifndef WORKLOAD_SDK_THREADS_THREAD_H
#define WORKLOAD_SDK_THREADS_THREAD_H

#include <reent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <arch_floats.h>

/* What a thread has for itself: errno and the rest of the C library's (reent), and at pointer its
 * thread-local variables, behind this struct. */
struct sdk_thread {
	int (*fn)(void *argument);
	void *argument;
	void *(*routine)(void *argument); /* fn's, of <pthread.h> */
	void *value;                      /* what routine returned, or gave pthread_exit() */
	uint32_t number;                  /* of all that were started; main()'s is 1 */
	uint32_t ended;                   /* 1: it does nothing any more (sync.h's word) */
	bool detached, joined;            /* sdk_threads_lock()'s */
	sigset_t blocked;                 /* its creator's, as are */
	struct arch_floats floats;
	char name[16];
	void *pointer;
	struct _reent reent;
	char variables[];
};

/* A thread that is not started; NULL: no memory. free() ends it while it is none. */
struct sdk_thread *sdk_thread_new(int (*fn)(void *argument), void *argument);

/* Start it on this CPU, or on BAREPERF_ANY_CPU: which one, or bareperf_thread_start()'s error. With
 * sdk_threads_lock(). */
int sdk_thread_start(int cpu, struct sdk_thread *thread);

/* The thread that asks. */
struct sdk_thread *sdk_thread_self(void);

/* It has ended as far as others see: all that is left to do is to return, or sdk_system->exit(). */
void sdk_thread_finish(struct sdk_thread *self);

/* What runs, or ran last, on a CPU: NULL, or what stays as long as sdk_threads_lock() is held, or
 * the thread is not joined. */
struct sdk_thread *sdk_thread_on(unsigned cpu);

/* Wait until no thread but main()'s runs any more, those included that others start meanwhile. */
void sdk_threads_await(void);

/* Wait for its end. */
void sdk_thread_await(const struct sdk_thread *thread);

/* Wait for its end, and free its CPU. 0, or bareperf_thread_join()'s error. */
int sdk_thread_join(unsigned cpu, struct sdk_thread *thread, int *result);

/* Who starts threads, and who looks for one. */
void sdk_threads_lock(void);
void sdk_threads_unlock(void);

#endif
