/* SPDX-License-Identifier: MIT */
#include "agent/payload/payload_threads.h"

#include <errno.h>

#include "agent/payload/payload_run.h"
#include "workload/sdk/include/bareperf/system.h"

enum state {
	CLOSED = 0,
	FREE,
	CLAIMED, /* by a CPU that starts a thread there, or takes its result */
	GIVEN,   /* fn and argument are set */
	RUNNING,
	ENDED, /* result is set */
};

static struct thread {
	uint32_t state; /* enum state; stored with release, loaded with acquire */
	int (*fn)(void *argument);
	void *argument;
	int result;
} threads[ARCH_MAX_CPUS];

static uint32_t payload_threads_state_of(const struct thread *thread)
{
	return __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE);
}

static void payload_threads_set_state(struct thread *thread, enum state state)
{
	__atomic_store_n(&thread->state, (uint32_t)state, __ATOMIC_RELEASE);
}

void payload_threads_open(void)
{
	payload_threads_set_state(&threads[arch_cpu()], FREE);
}

void payload_threads_close(void)
{
	payload_threads_set_state(&threads[arch_cpu()], CLOSED);
}

unsigned payload_threads_cpus(void)
{
	unsigned count = 0;

	for (unsigned cpu = 0; cpu < ARCH_MAX_CPUS; cpu++)
		count += payload_threads_state_of(&threads[cpu]) != CLOSED;
	return count;
}

static int payload_threads_enter(void *argument)
{
	const struct thread *thread = argument;
	enum payload_end end;

	return payload_run(thread->fn, thread->argument, &end);
}

bool payload_threads_serve(void)
{
	struct thread *thread = &threads[arch_cpu()];

	if (payload_threads_state_of(thread) != GIVEN) {
		/* main() is not ended inside bareperf's code: signal it again, until it is
		 * interrupted in its own code */
		if (payload_is_ending())
			arch_cpu_signal(0);
		return false;
	}
	payload_threads_set_state(thread, RUNNING);
	thread->result = arch_call_payload(payload_threads_enter, thread);
	arch_irq_enable();
	payload_threads_set_state(thread, ENDED);
	return true;
}

/* Claim the thread if it is in this state. Returns false if it is in another state, or another CPU
 * was first. */
static bool payload_threads_claim(struct thread *thread, enum state from)
{
	uint32_t expected = from;

	return __atomic_compare_exchange_n(&thread->state, &expected, CLAIMED, false,
	                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static int payload_threads_start_on(unsigned cpu, int (*fn)(void *argument), void *argument)
{
	struct thread *thread = &threads[cpu];

	if (payload_threads_state_of(thread) == CLOSED)
		return -ENODEV;
	if (!payload_threads_claim(thread, FREE))
		return -EBUSY;
	thread->fn = fn;
	thread->argument = argument;
	payload_threads_set_state(thread, GIVEN);
	return (int)cpu;
}

int payload_thread_start(int cpu, int (*fn)(void *argument), void *argument)
{
	int code = -EBUSY;

	payload_leave_if_ending();
	if (cpu >= (int)ARCH_MAX_CPUS || cpu < BAREPERF_ANY_CPU)
		return -ENODEV;
	if (cpu != BAREPERF_ANY_CPU)
		return payload_threads_start_on((unsigned)cpu, fn, argument);
	for (unsigned i = 0; i < ARCH_MAX_CPUS && code < 0; i++)
		code = payload_threads_start_on(i, fn, argument);
	return code < 0 ? -EBUSY : code;
}

int payload_thread_join(int cpu, int *result)
{
	struct thread *thread;
	uint32_t state;

	if (cpu < 0 || cpu >= (int)ARCH_MAX_CPUS)
		return -ESRCH;
	thread = &threads[cpu];
	for (;;) {
		payload_leave_if_ending();
		state = payload_threads_state_of(thread);
		if (state != GIVEN && state != RUNNING)
			break;
		arch_relax();
	}
	if (state != ENDED || !payload_threads_claim(thread, ENDED))
		return -ESRCH;
	*result = thread->result;
	payload_threads_set_state(thread, FREE);
	return 0;
}
