/* SPDX-License-Identifier: MIT */
#define HOST_PTHREADS
#include "tests/unit/workload/sdk/host_cpus.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <arch_wait.h>

#include "agent/payload/payload_run.h"
#include "agent/payload/payload_threads.h"
#include "tests/unit/workload/sdk/host_cpus_between.h"
#include "workload/sdk/sdk.h"

static _Thread_local unsigned this_cpu;
static _Thread_local struct {
	jmp_buf end;
	int status;
} running;
static pthread_t cpus[HOST_CPUS];
static uint32_t nr_open, closing;

/* Sleeps: since Linux 6.6, sched_yield() on a busy host gives each of the other programs a time
 * slice. */
void host_cpus_others(void)
{
	static _Thread_local unsigned calls;

	usleep(++calls % 64 == 1 ? 50 : 1);
}

/* Not in step with other code, and rarely enough for progress. */
void host_cpus_between(void)
{
	static _Thread_local uint32_t seed;

	seed = seed * 1664525 + 1013904223 + this_cpu;
	if (seed >> 28 == 0)
		usleep(1);
}

/* ---- The machine for payload_threads.c ---- */

unsigned arch_cpu(void)
{
	return this_cpu;
}

int arch_call_payload(int (*fn)(void *argument), void *argument)
{
	return fn(argument);
}

void arch_irq_enable(void)
{
}

void arch_cpu_signal(unsigned cpu)
{
	(void)cpu;
}

bool payload_is_ending(void)
{
	return false;
}

void payload_leave_if_ending(void)
{
	host_cpus_others();
}

int payload_run(int (*entry)(void *argument), void *argument, enum payload_end *end)
{
	*end = PAYLOAD_RETURNED;
	if (setjmp(running.end) == 0)
		return entry(argument);
	*end = PAYLOAD_EXITED;
	return running.status;
}

/* ---- The machine for the SDK ---- */

static uint32_t own_cpu(void)
{
	return this_cpu;
}

static uint64_t host_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void leave(int status)
{
	running.status = status;
	longjmp(running.end, 1);
}

static void nothing(uint32_t cpu)
{
	(void)cpu; /* a waiting CPU polls */
}

void arch_wait_for_change(const uint32_t *word, uint32_t value)
{
	(void)word, (void)value;
	host_cpus_others();
}

static const struct bareperf_system machine = {
	.cpus = 1 + HOST_CPUS,
	.cpu = own_cpu,
	.clock = host_clock,
	.wake = nothing,
	.exit = leave,
	.thread_start = payload_thread_start,
	.thread_join = payload_thread_join,
};
const struct bareperf_system *sdk_system = &machine;

/* ---- CPUs ---- */

static void *serve(void *argument)
{
	this_cpu = (unsigned)(uintptr_t)argument;
	payload_threads_open();
	__atomic_fetch_add(&nr_open, 1, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&closing, __ATOMIC_RELAXED)) {
		if (!payload_threads_serve())
			host_cpus_others();
	}
	payload_threads_close();
	return NULL;
}

void host_cpus_open(void)
{
	nr_open = closing = 0;
	for (uintptr_t i = 0; i < HOST_CPUS; i++) {
		if (pthread_create(&cpus[i], NULL, serve, (void *)(i + 1)))
			abort();
	}
	while (__atomic_load_n(&nr_open, __ATOMIC_RELAXED) < HOST_CPUS)
		usleep(1);
}

void host_cpus_close(void)
{
	__atomic_store_n(&closing, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < HOST_CPUS; i++)
		pthread_join(cpus[i], NULL);
}

static void (*work)(unsigned number);

static void *work_beside(void *argument)
{
	unsigned number = (unsigned)(uintptr_t)argument;

	this_cpu = HOST_CPUS + number;
	work(number);
	return NULL;
}

void host_cpus_at_once(unsigned count, void (*fn)(unsigned number))
{
	pthread_t others[HOST_CPUS];

	work = fn;
	for (uintptr_t i = 1; i < count; i++) {
		if (pthread_create(&others[i], NULL, work_beside, (void *)i))
			abort();
	}
	fn(0);
	for (unsigned i = 1; i < count; i++)
		pthread_join(others[i], NULL);
}
