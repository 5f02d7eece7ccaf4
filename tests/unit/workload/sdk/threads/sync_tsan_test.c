/* SPDX-License-Identifier: MIT */
/* The functions with which payloads' threads wait for each other, on threads of the host as CPUs.
 * */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <arch_wait.h>

#include "workload/sdk/sdk.h"
#include "workload/sdk/threads/sync.h"

#define CPUS  4U
#define TURNS 2000U

/* ---- The machine: a CPU that halts continues by an interrupt, which is kept until then ---- */

static _Thread_local unsigned this_cpu;
static bool halts; /* false: it polls, and the test's locks hide no race */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t interrupted;
	bool pending;
} cpus[CPUS];

void arch_wait_for_change(const uint32_t *word, uint32_t value)
{
	if (!halts) {
		usleep(1);
		return;
	}
	pthread_mutex_lock(&cpus[this_cpu].lock);
	if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value) {
		while (!cpus[this_cpu].pending)
			pthread_cond_wait(&cpus[this_cpu].interrupted, &cpus[this_cpu].lock);
	}
	cpus[this_cpu].pending = false;
	pthread_mutex_unlock(&cpus[this_cpu].lock);
}

/* Whenever the code under test calls the machine, other CPUs may run in between. They sleep: since
 * Linux 6.6, sched_yield() on a busy host gives each of the other programs a time slice, so that 60
 * s were not enough. */
static void others_come_between(void)
{
	static _Thread_local unsigned calls;

	if (++calls % 3 == 0)
		usleep(1);
	else if (calls % 64 == 1)
		usleep(50);
}

static void interrupt(uint32_t cpu)
{
	others_come_between();
	if (!halts)
		return;
	pthread_mutex_lock(&cpus[cpu].lock);
	cpus[cpu].pending = true;
	pthread_cond_signal(&cpus[cpu].interrupted);
	pthread_mutex_unlock(&cpus[cpu].lock);
}

static uint32_t own_cpu(void)
{
	others_come_between();
	return this_cpu;
}

static uint64_t host_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static const struct bareperf_system machine = {
	.cpus = CPUS,
	.cpu = own_cpu,
	.clock = host_clock,
	.wake = interrupt,
};
const struct bareperf_system *sdk_system = &machine;

static void (*work)(unsigned cpu);

static void *cpu_main(void *argument)
{
	this_cpu = (unsigned)(uintptr_t)argument;
	work(this_cpu);
	return NULL;
}

/* Run fn on every CPU at the same time. */
static void on_all(void (*fn)(unsigned cpu))
{
	pthread_t threads[CPUS];

	work = fn;
	for (uintptr_t i = 1; i < CPUS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, cpu_main, (void *)i), 0);
	cpu_main(NULL);
	for (unsigned i = 1; i < CPUS; i++)
		pthread_join(threads[i], NULL);
}

/* A missed wake-up makes the test hang: alarm() ends it. */
static int halting(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CPUS; i++) {
		pthread_mutex_init(&cpus[i].lock, NULL);
		pthread_cond_init(&cpus[i].interrupted, NULL);
	}
	halts = true;
	alarm(500);
	return 0;
}

static int looking(void **state)
{
	(void)state;
	halts = false;
	alarm(500);
	return 0;
}

/* ---- Mutexes ---- */

static uint32_t mutex;
static unsigned counted;

static void count_up(unsigned cpu)
{
	(void)cpu;
	for (unsigned i = 0; i < TURNS; i++) {
		assert_int_equal(sdk_mutex_lock(&mutex, SDK_FOREVER), 0);
		counted++;
		others_come_between();
		assert_int_equal(sdk_mutex_unlock(&mutex), 0);
	}
}

static void a_mutex_lets_one_in(void **state)
{
	static const uint32_t kinds[] = { SDK_STATIC, SDK_MUTEX_NORMAL, SDK_MUTEX_RECURSIVE,
		                          SDK_MUTEX_ERRORCHECK };

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		mutex = kinds[i];
		counted = 0;
		on_all(count_up);
		assert_int_equal(counted, CPUS * TURNS);
		assert_int_equal(mutex, kinds[i] == SDK_STATIC ? 0 : kinds[i]);
	}
}

static void a_recursive_lock_may_be_taken_again_by_its_holder(void **state)
{
	(void)state;
	mutex = SDK_MUTEX_RECURSIVE;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sdk_mutex_lock(&mutex, i & 1 ? SDK_NOW : SDK_FOREVER), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sdk_mutex_unlock(&mutex), 0);
	assert_int_equal(sdk_mutex_unlock(&mutex), -EPERM);
	mutex = SDK_MUTEX_ERRORCHECK;
	assert_int_equal(sdk_mutex_lock(&mutex, SDK_FOREVER), 0);
	assert_int_equal(sdk_mutex_lock(&mutex, SDK_FOREVER), -EDEADLK);
	assert_int_equal(sdk_mutex_lock(&mutex, SDK_NOW), -EBUSY);
	assert_int_equal(sdk_mutex_unlock(&mutex), 0);
	assert_int_equal(sdk_mutex_unlock(&mutex), -EPERM);
	mutex = SDK_MUTEX_RECURSIVE | ~0xfffU | 1; /* locked by this CPU as often as possible */
	assert_int_equal(sdk_mutex_lock(&mutex, SDK_FOREVER), -EAGAIN);
}

static void a_held_lock_is_busy_or_times_out(void **state)
{
	(void)state;
	mutex = SDK_MUTEX_NORMAL;
	assert_int_equal(sdk_mutex_lock(&mutex, SDK_NOW), 0);
	assert_int_equal(sdk_mutex_lock(&mutex, SDK_NOW), -EBUSY);
	assert_int_equal(sdk_mutex_lock(&mutex, 1), -ETIMEDOUT);
	assert_int_equal(sdk_mutex_lock(&mutex, host_clock() + 1000000), -ETIMEDOUT);
	assert_int_equal(sdk_mutex_unlock(&mutex), 0);
	assert_int_equal(mutex, SDK_MUTEX_NORMAL);
}

/* ---- Condition variables ---- */

static uint32_t filled, emptied;
static unsigned queue[4], nr_queued, sum;

static void pass_on(unsigned cpu)
{
	for (unsigned i = 1; i <= TURNS; i++) {
		sdk_mutex_lock(&mutex, SDK_FOREVER);
		while (nr_queued == (cpu & 1 ? 0 : 4))
			assert_int_equal(
			    sdk_cond_wait(cpu & 1 ? &filled : &emptied, &mutex, SDK_FOREVER), 0);
		if (cpu & 1)
			sum += queue[--nr_queued];
		else
			queue[nr_queued++] = i;
		others_come_between();
		sdk_mutex_unlock(&mutex);
		sdk_cond_wake(cpu & 1 ? &emptied : &filled);
	}
}

static void no_signal_of_a_condition_variable_is_missed(void **state)
{
	(void)state;
	mutex = filled = emptied = SDK_STATIC;
	nr_queued = sum = 0;
	on_all(pass_on);
	assert_int_equal(nr_queued, 0);
	assert_int_equal(sum, CPUS / 2 * (TURNS * (TURNS + 1) / 2));
	assert_int_equal(filled & 1, 1);
}

static void a_condition_that_does_not_come_is_reported_with_the_mutex_held(void **state)
{
	(void)state;
	mutex = SDK_MUTEX_ERRORCHECK;
	filled = 0;
	assert_int_equal(sdk_cond_wait(&filled, &mutex, 1), -EPERM);
	sdk_mutex_lock(&mutex, SDK_FOREVER);
	assert_int_equal(sdk_cond_wait(&filled, &mutex, host_clock() + 1000000), -ETIMEDOUT);
	assert_int_equal(sdk_mutex_unlock(&mutex), 0);
	sdk_cond_wake(&filled);
	assert_int_equal(filled, 2);
}

/* ---- Barriers ---- */

static uint32_t barrier;
static unsigned arrived[CPUS], nr_last;

static void go_round(unsigned cpu)
{
	for (unsigned i = 1; i <= 600; i++) {
		arrived[cpu] = i;
		if (sdk_barrier_wait(&barrier))
			__atomic_fetch_add(&nr_last, 1, __ATOMIC_RELAXED);
		for (unsigned other = 0; other < CPUS; other++)
			assert_int_equal(arrived[other], i);
		sdk_barrier_wait(&barrier);
	}
}

static void a_barrier_waits_for_all_round_after_round(void **state)
{
	(void)state;
	barrier = sdk_barrier(CPUS);
	nr_last = 0;
	on_all(go_round);
	assert_int_equal(nr_last, 600);
	barrier = sdk_barrier(1);
	assert_true(sdk_barrier_wait(&barrier));
	assert_int_equal(sdk_barrier(SDK_BARRIER_MAX) & 0xff, 0);
}

/* Like a barrier on the stack of the thread that continues first. */
static void make_anew(unsigned cpu)
{
	for (unsigned i = 0; i < 300; i++) {
		if (sdk_barrier_wait(&barrier)) {
			sdk_barrier_drain(&barrier);
			assert_int_equal(barrier & 0xff00ff, 0);
			__atomic_store_n(&barrier, sdk_barrier(CPUS), __ATOMIC_RELEASE);
			__atomic_store_n(&counted, i + 1, __ATOMIC_RELEASE);
		}
		while (__atomic_load_n(&counted, __ATOMIC_ACQUIRE) <= i)
			usleep(1);
		(void)cpu;
	}
}

static void destroying_a_barrier_waits_for_threads_that_leave_it(void **state)
{
	(void)state;
	barrier = sdk_barrier(CPUS);
	counted = 0;
	on_all(make_anew);
}

/* ---- Locks to read and write ---- */

static uint32_t rwlock;
static unsigned one, other;

static void read_and_write(unsigned cpu)
{
	for (unsigned i = 0; i < TURNS; i++) {
		if ((i + cpu) % 4 == 0) {
			assert_int_equal(sdk_rwlock_write(&rwlock, SDK_FOREVER), 0);
			one++;
			others_come_between();
			other++;
		} else {
			assert_int_equal(sdk_rwlock_read(&rwlock, SDK_FOREVER), 0);
			assert_int_equal(one, other);
			others_come_between();
		}
		sdk_rwlock_unlock(&rwlock);
	}
}

static void a_writer_excludes_others_and_a_reader_does_not(void **state)
{
	(void)state;
	rwlock = SDK_STATIC;
	one = other = 0;
	on_all(read_and_write);
	assert_int_equal(one, CPUS * TURNS / 4);
	assert_int_equal(rwlock, 0);
}

static void a_read_lock_is_busy_for_writers(void **state)
{
	(void)state;
	rwlock = SDK_STATIC;
	assert_int_equal(sdk_rwlock_read(&rwlock, SDK_NOW), 0);
	assert_int_equal(sdk_rwlock_read(&rwlock, SDK_NOW), 0);
	assert_int_equal(sdk_rwlock_write(&rwlock, SDK_NOW), -EBUSY);
	assert_int_equal(sdk_rwlock_write(&rwlock, 1), -ETIMEDOUT);
	sdk_rwlock_unlock(&rwlock);
	sdk_rwlock_unlock(&rwlock);
	assert_int_equal(sdk_rwlock_write(&rwlock, SDK_NOW), 0);
	assert_int_equal(sdk_rwlock_read(&rwlock, SDK_NOW), -EBUSY);
	assert_int_equal(sdk_rwlock_write(&rwlock, SDK_NOW), -EBUSY);
	sdk_rwlock_unlock(&rwlock);
	assert_int_equal(rwlock, 0);
}

/* ---- Once ---- */

static uint32_t once;
static unsigned made;

static void make(void)
{
	usleep(2000);
	made++;
}

static void make_once(unsigned cpu)
{
	(void)cpu;
	sdk_once(&once, make);
	assert_int_equal(made, 1);
}

static void all_threads_see_the_one_initialisation(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		once = made = 0;
		on_all(make_once);
		assert_int_equal(made, 1);
	}
}

#define BOTH(test)                                                       \
	{ #test, test, looking, NULL, NULL },                            \
	{                                                                \
#test ", with CPUs that halt", test, halting, NULL, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(a_mutex_lets_one_in),
		cmocka_unit_test_setup(a_recursive_lock_may_be_taken_again_by_its_holder, looking),
		cmocka_unit_test_setup(a_held_lock_is_busy_or_times_out, looking),
		BOTH(no_signal_of_a_condition_variable_is_missed),
		cmocka_unit_test_setup(
		    a_condition_that_does_not_come_is_reported_with_the_mutex_held, looking),
		BOTH(a_barrier_waits_for_all_round_after_round),
		BOTH(destroying_a_barrier_waits_for_threads_that_leave_it),
		BOTH(a_writer_excludes_others_and_a_reader_does_not),
		cmocka_unit_test_setup(a_read_lock_is_busy_for_writers, looking),
		BOTH(all_threads_see_the_one_initialisation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
