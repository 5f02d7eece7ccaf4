/* SPDX-License-Identifier: MIT */
/* Payloads' threads from start to end, on threads of the host as CPUs: the machine's half
 * (agent/payload/payload_threads.c) and the SDK's half. Under TSan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bareperf/thread.h>
#include <errno.h>
#include <pthread.h>
#include <reent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/lock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/payload/payload_threads.h"
#include "tests/unit/workload/sdk/host_cpus.h"
#include "workload/sdk/sdk.h"
#include "workload/sdk/threads/sync.h"
#include "workload/sdk/threads/thread.h"

#define STARTERS 3U /* at once */
#define TURNS    200

/* ---- The SDK's parts of the C library and of the linker ---- */

static struct _reent global_reent = { .__sdidinit = 1 };

struct _reent *newlib_global_reent = &global_reent;

void __sinit(struct _reent *reent);
void __sinit(struct _reent *reent)
{
	reent->__sdidinit = 1;
}

size_t sdk_tls_room(void)
{
	return 0;
}

void *sdk_tls_make(void *room)
{
	return room;
}

void sdk_tls_enter(void *pointer, struct _reent *reent)
{
	(void)pointer, (void)reent;
}

void sdk_mark_begin(void)
{
}

/* ---- The machine's half ---- */

/* Written before its thread starts and by the thread, and read after its end: by plain accesses. */
struct piece {
	int given, made, runs;
};

static int make(void *argument)
{
	struct piece *piece = argument;

	host_cpus_others();
	piece->made = 3 * piece->given;
	piece->runs++;
	return piece->given + 1;
}

static void start_and_join(unsigned number)
{
	for (int i = 0; i < TURNS; i++) {
		struct piece piece = { .given = (int)number * TURNS + i };
		int wanted = i % 2 ? BAREPERF_ANY_CPU : 1 + i / 2 % (int)HOST_CPUS, cpu, result = 0;

		do {
			cpu = payload_thread_start(wanted, make, &piece);
			host_cpus_others();
		} while (cpu == -EBUSY);
		assert_in_range(cpu, 1, HOST_CPUS);
		assert_int_equal(payload_thread_join(cpu, &result), 0);
		assert_int_equal(result, piece.given + 1);
		assert_int_equal(piece.made, 3 * piece.given);
		assert_int_equal(piece.runs, 1);
	}
}

static void a_cpu_runs_each_thread_that_it_is_given_once(void **state)
{
	int result;

	(void)state;
	assert_int_equal(payload_threads_cpus(), HOST_CPUS);
	assert_int_equal(payload_thread_start(0, make, NULL), -ENODEV);
	assert_int_equal(payload_thread_start(HOST_CPUS + 1, make, NULL), -ENODEV);
	assert_int_equal(payload_thread_start(-2, make, NULL), -ENODEV);
	assert_int_equal(payload_thread_join(1, &result), -ESRCH);
	host_cpus_at_once(STARTERS, start_and_join);
	assert_int_equal(payload_thread_join(1, &result), -ESRCH);
}

/* A barrier of all starters. */
static void meet(void)
{
	static uint32_t nr_there;
	uint32_t there = __atomic_add_fetch(&nr_there, 1, __ATOMIC_ACQ_REL);

	there += (STARTERS - there % STARTERS) % STARTERS;
	while (__atomic_load_n(&nr_there, __ATOMIC_ACQUIRE) < there)
		host_cpus_others();
}

static uint32_t nr_started, nr_joined;
static int (*start)(int cpu, int (*fn)(void *argument), void *argument);
static int (*join)(int cpu, int *result);

static void start_another(struct piece *piece)
{
	int code = start(2, make, piece);

	if (code == 2)
		__atomic_fetch_add(&nr_started, 1, __ATOMIC_RELAXED);
	else
		assert_int_equal(code, -EBUSY);
}

static void join_one(void)
{
	int result = 0, code = join(2, &result);

	if (code == 0) {
		assert_int_equal(result, 2);
		__atomic_fetch_add(&nr_joined, 1, __ATOMIC_RELAXED);
	} else {
		assert_int_equal(code, -ESRCH);
	}
}

/* All of them start a thread on one CPU at the same time, and take the result. */
static void want_the_same(unsigned number)
{
	static struct piece pieces[STARTERS];

	pieces[number].given = 1;
	for (uint32_t i = 0; i < TURNS; i++) {
		meet();
		start_another(&pieces[number]);
		join_one();
		start_another(&pieces[number]);
		meet();
		if (number == 0)
			join_one();
	}
}

static void each_thread_that_starts_is_joined_once(void **state)
{
	(void)state;
	nr_started = nr_joined = 0;
	start = payload_thread_start;
	join = payload_thread_join;
	host_cpus_at_once(STARTERS, want_the_same);
	assert_int_equal(nr_joined, nr_started);
	start = bareperf_thread_start;
	join = bareperf_thread_join;
	host_cpus_at_once(STARTERS, want_the_same);
	assert_int_equal(nr_joined, nr_started);
	assert_in_range(nr_started, 2 * TURNS, 4 * STARTERS * TURNS);
}

/* ---- <bareperf/thread.h> ---- */

static int start_others(void *argument)
{
	for (int i = 0; i < TURNS; i++) {
		struct piece *piece = malloc(sizeof(*piece));
		int cpu, result = 0;

		*piece = (struct piece){ .given = i };
		while ((cpu = bareperf_thread_start(BAREPERF_ANY_CPU, make, piece)) == -EBUSY)
			host_cpus_others();
		assert_in_range(cpu, 1, HOST_CPUS);
		assert_int_equal(bareperf_thread_join(cpu, &result), 0);
		assert_int_equal(result, i + 1);
		assert_int_equal(piece->made, 3 * i);
		free(piece);
	}
	return argument ? 1 : 0;
}

/* A thread that another thread starts on a CPU may exist before the last one's memory is freed. The
 * first of the two may have started one on the second's CPU by then, and the second one on the
 * first's, after that has ended. */
static void threads_start_and_join_others_at_once(void **state)
{
	int cpus[2], result;

	(void)state;
	for (int i = 0; i < 2; i++) {
		while ((cpus[i] = bareperf_thread_start(1 + i, start_others, NULL)) == -EBUSY)
			host_cpus_others();
	}
	assert_int_equal(bareperf_thread_start(1, make, NULL), -EBUSY);
	assert_int_equal(start_others(&cpus), 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(bareperf_thread_join(cpus[i], &result), 0);
		assert_int_equal(result, 0);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(bareperf_thread_join(cpus[i], &result), -ESRCH);
}

/* ---- <pthread.h>, keys, and newlib's locks ---- */

#define KEYS 3

static pthread_key_t keys[KEYS];
static _LOCK_T stream;
static uint32_t once, nr_once;
static unsigned nr_streamed, nr_ended;

static void once_for_all(void)
{
	nr_once++;
}

/* The value belongs to its own thread until then, and afterwards to the joining thread. */
static void destroy(void *value)
{
	((struct piece *)value)->made++;
}

static void *use_everything(void *argument)
{
	struct piece *piece = argument;
	pthread_key_t own;

	sdk_once(&once, once_for_all);
	assert_int_equal(nr_once, 1);
	for (int i = 0; i < KEYS; i++)
		assert_int_equal(pthread_setspecific(keys[i], piece), 0);
	assert_int_equal(pthread_key_create(&own, destroy), 0);
	assert_null(pthread_getspecific(own));
	assert_int_equal(pthread_setspecific(own, &own), 0);
	__retarget_lock_acquire_recursive(stream);
	__retarget_lock_acquire_recursive(stream);
	nr_streamed++;
	__retarget_lock_release_recursive(stream);
	host_cpus_others();
	nr_streamed++;
	__retarget_lock_release_recursive(stream);
	assert_ptr_equal(pthread_getspecific(own), &own);
	assert_int_equal(pthread_key_delete(own), 0);
	piece->runs++;
	if (piece->given % 2)
		pthread_exit(&piece->runs);
	return &piece->runs;
}

static void *create_and_join(void *argument)
{
	for (int i = 0; i < TURNS; i++) {
		struct piece piece = { .given = i };
		pthread_t thread;
		void *value = NULL;

		while (pthread_create(&thread, NULL, use_everything, &piece) == EAGAIN)
			host_cpus_others();
		assert_int_equal(pthread_join(pthread_self(), NULL), EDEADLK);
		if (i % 16 == 0)
			usleep(2000); /* the thread may have ended by then */
		assert_int_equal(pthread_join(thread, &value), 0);
		assert_ptr_equal(value, &piece.runs);
		assert_int_equal(piece.runs, 1);
		assert_int_equal(piece.made, KEYS);
	}
	return argument;
}

static void a_thread_that_is_joined_has_left_all_behind(void **state)
{
	pthread_t threads[2];
	void *value;
	int code;

	(void)state;
	for (int i = 0; i < KEYS; i++)
		assert_int_equal(pthread_key_create(&keys[i], destroy), 0);
	__retarget_lock_init_recursive(&stream);
	nr_streamed = 0;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, create_and_join, &threads[i]),
		                 0);
	create_and_join(NULL);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(threads[i], &value), 0);
		assert_ptr_equal(value, &threads[i]);
		code = pthread_join(threads[i], NULL);
		/* another thread may have its number by now */
		assert_true(code == EINVAL || code == ESRCH);
	}
	assert_int_equal(nr_streamed, 2 * (2 + 1) * TURNS);
	__retarget_lock_close_recursive(stream);
}

/* Its memory is its own until it ends. */
static void *end_alone(void *argument)
{
	struct piece *piece = argument;

	piece->runs++;
	if (piece->given % 3 == 2)
		assert_int_equal(pthread_detach(pthread_self()), 0);
	free(piece);
	__atomic_fetch_add(&nr_ended, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* A thread is detached by its attributes, by its creator, or by itself. */
static void *make_detached(void *argument)
{
	const pthread_attr_t detached = { PTHREAD_CREATE_DETACHED };

	for (int i = 0; i < TURNS; i++) {
		struct piece *piece = malloc(sizeof(*piece));
		int how = i % 3;
		pthread_t thread;

		*piece = (struct piece){ .given = i };
		while (pthread_create(&thread, how == 0 ? &detached : NULL, end_alone, piece) ==
		       EAGAIN)
			host_cpus_others();
		if (how == 1)
			assert_int_equal(pthread_detach(thread), 0);
	}
	return argument;
}

static void a_detached_thread_gives_its_cpu_back(void **state)
{
	pthread_t thread;

	(void)state;
	nr_ended = 0;
	while (pthread_create(&thread, NULL, make_detached, NULL) == EAGAIN)
		host_cpus_others();
	make_detached(NULL);
	assert_int_equal(pthread_join(thread, NULL), 0);
	while (__atomic_load_n(&nr_ended, __ATOMIC_RELAXED) < 2 * TURNS)
		host_cpus_others();
	a_thread_that_is_joined_has_left_all_behind(NULL);
}

/* ---- pthread_exit() in main() ---- */

#define LEGS 300U

static unsigned nr_legs;

/* Each thread joins the one before, whose CPU the next one may get, and does not join the next one.
 * */
static void *run_a_leg(void *before)
{
	pthread_t next;

	if (before)
		assert_int_equal(pthread_join((pthread_t)(uintptr_t)before, NULL), 0);
	host_cpus_others();
	if (++nr_legs < LEGS) {
		while (pthread_create(&next, NULL, run_a_leg, (void *)(uintptr_t)pthread_self()) ==
		       EAGAIN)
			host_cpus_others();
	}
	host_cpus_others();
	return NULL;
}

static void look_at_the_end(void)
{
	if (nr_legs != LEGS)
		_exit(1);
	host_cpus_close();
}

static void start_and_leave_main(void)
{
	pthread_t first;

	alarm(500);
	host_cpus_open();
	atexit(look_at_the_end);
	if (pthread_create(&first, NULL, run_a_leg, NULL) == 0)
		pthread_exit(NULL);
	_exit(2);
}

static void main_leaves_and_the_last_thread_ends_the_program(void **state)
{
	pid_t child;
	int status;

	(void)state;
	fflush(NULL);
	child = fork();
	if (child == 0)
		start_and_leave_main();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* A lost thread makes the test hang: alarm() ends it. */
static int open_cpus(void **state)
{
	(void)state;
	alarm(500);
	host_cpus_open();
	return 0;
}

static int close_cpus(void **state)
{
	(void)state;
	host_cpus_close();
	return 0;
}

#define ON_CPUS(test) cmocka_unit_test_setup_teardown(test, open_cpus, close_cpus)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_CPUS(a_cpu_runs_each_thread_that_it_is_given_once),
		ON_CPUS(each_thread_that_starts_is_joined_once),
		ON_CPUS(threads_start_and_join_others_at_once),
		ON_CPUS(a_thread_that_is_joined_has_left_all_behind),
		ON_CPUS(a_detached_thread_gives_its_cpu_back),
		cmocka_unit_test(main_leaves_and_the_last_thread_ends_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
