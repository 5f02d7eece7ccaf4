/* SPDX-License-Identifier: MIT */
/* CPUs are threads whose counters are off by distances that are known except for a small error. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "pmu/clock/clock.h"

#define CPUS   4U
#define STALLS 60U   /* number of stalls that each thread requests */
#define ERROR  2000U /* the greatest error, cycles */

static _Thread_local uint64_t skew;
static uint64_t step;       /* the counter's step at each reading */
static uint64_t set_cycles; /* not 0: the counter's value */

static uint64_t skewed_cycles(void)
{
	if (set_cycles)
		return (set_cycles += step) + skew;
	return arch_cycles() + skew;
}

#define arch_cycles skewed_cycles
#include "pmu/clock/clock_freeze.c"
#undef arch_cycles

struct world {
	unsigned cpu;
	uint64_t stalled, frozen, backward;
};
static bool waits[CPUS];
static unsigned over, standing;
static pthread_barrier_t begun;

static bool somebody_waits(void)
{
	bool any = false;

	for (unsigned i = 0; i < CPUS; i++)
		any |= __atomic_load_n(&waits[i], __ATOMIC_ACQUIRE);
	return any;
}

static uint64_t program_clock(unsigned cpu)
{
	return freeze_cycles(cpu) - clock_frozen[cpu];
}

static void run_for(unsigned turns)
{
	for (volatile unsigned i = 0; i < turns; i++)
		;
}

/* Stall as long as any CPU needs room, like record_lossless.c. patient: this CPU needs room until
 * all CPUs have stalled. */
static void stall(struct world *w, bool patient)
{
	uint64_t began = freeze_cycles(w->cpu), before = program_clock(w->cpu);

	clock_freeze_stall(w->cpu);
	__atomic_add_fetch(&standing, 1, __ATOMIC_RELEASE);
	while (patient && __atomic_load_n(&standing, __ATOMIC_ACQUIRE) < CPUS)
		sched_yield();
	__atomic_store_n(&waits[w->cpu], false, __ATOMIC_RELEASE);
	while (somebody_waits())
		sched_yield();
	__atomic_sub_fetch(&standing, 1, __ATOMIC_RELEASE);
	w->frozen += clock_freeze_go(w->cpu);
	w->stalled += freeze_cycles(w->cpu) - began;
	w->backward += (int64_t)(program_clock(w->cpu) - before) < 0;
}

static void *cpu_runs(void *argument)
{
	struct world *w = argument;
	unsigned seed = w->cpu;

	/* the assumed distance is less than the true one, or more */
	skew = w->cpu * 1000000007ULL;
	clock_offsets[w->cpu] = -(int64_t)skew + (int64_t)(w->cpu * ERROR / CPUS);
	clock_freeze_begin_cpu(w->cpu);
	pthread_barrier_wait(&begun);
	for (unsigned asked = 0;
	     asked < STALLS || __atomic_load_n(&over, __ATOMIC_ACQUIRE) < CPUS;) {
		uint64_t before = program_clock(w->cpu);
		bool own = asked < STALLS && rand_r(&seed) % 8 == 0;

		run_for((unsigned)rand_r(&seed) % 300);
		w->backward += (int64_t)(program_clock(w->cpu) - before) < 0;
		if (own) {
			__atomic_store_n(&waits[w->cpu], true, __ATOMIC_RELEASE);
			if (++asked == STALLS)
				__atomic_add_fetch(&over, 1, __ATOMIC_RELEASE);
		}
		if (own || somebody_waits())
			stall(w, own && asked % 2 && asked < STALLS);
	}
	return NULL;
}

static void all_clocks_freeze_for_the_same_time_and_none_goes_back(void **state)
{
	struct world worlds[CPUS] = { 0 };
	pthread_t threads[CPUS];

	(void)state;
	pthread_barrier_init(&begun, NULL, CPUS);
	clock_freeze_begin(CPUS);
	for (unsigned i = 0; i < CPUS; i++) {
		worlds[i].cpu = i;
		assert_int_equal(pthread_create(&threads[i], NULL, cpu_runs, &worlds[i]), 0);
	}
	for (unsigned i = 0; i < CPUS; i++)
		pthread_join(threads[i], NULL);
	assert_true(worlds[0].frozen > 0);
	for (unsigned i = 0; i < CPUS; i++) {
		assert_int_equal(worlds[i].backward, 0);
		assert_int_equal(worlds[i].frozen, worlds[0].frozen);
		assert_in_range(worlds[i].frozen, 1, worlds[i].stalled);
	}
}

static int forget(void **state)
{
	(void)state;
	memset(&freeze, 0, sizeof(freeze));
	memset(clock_offsets, 0, sizeof(clock_offsets));
	memset(clock_frozen, 0, sizeof(clock_frozen));
	skew = 0;
	return 0;
}

static int thaw(void **state)
{
	(void)state;
	set_cycles = step = 0;
	return 0;
}

static void at(uint64_t cycles)
{
	set_cycles = cycles;
}

static void the_clock_freezes_from_the_last_cpus_stall_to_the_first_cpus_resumption(void **state)
{
	(void)state;
	clock_freeze_begin(2);
	at(100);
	clock_freeze_stall(0);
	at(150);
	clock_freeze_stall(1);
	at(1150);
	assert_int_equal(clock_freeze_go(0), 1000);
	at(1160);
	assert_int_equal(clock_frozen[1], 0);
	assert_int_equal(clock_freeze_go(1), 1000);
	assert_int_equal(clock_frozen[0], 1000);
	assert_int_equal(clock_frozen[1], 1000);
}

static void a_second_stall_before_the_others_resumption_adds_to_the_sum(void **state)
{
	(void)state;
	clock_freeze_begin(2);
	at(100);
	clock_freeze_stall(0);
	clock_freeze_stall(1);
	at(200);
	assert_int_equal(clock_freeze_go(0), 100);
	at(210);
	clock_freeze_stall(0);
	at(260);
	assert_int_equal(clock_freeze_go(1), 150);
	at(270);
	assert_int_equal(clock_freeze_go(0), 50);
}

static void the_clock_runs_while_one_cpu_runs(void **state)
{
	(void)state;
	clock_freeze_begin(2);
	at(100);
	clock_freeze_stall(0);
	at(900);
	assert_int_equal(clock_freeze_go(0), 0);
	clock_freeze_begin(0);
	clock_freeze_stall(0);
	at(1000);
	assert_int_equal(clock_freeze_go(0), 0);
}

/* CPU 1's counter is behind by 50 more than the known distance. */
static void a_counter_that_is_behind_takes_no_clock_back(void **state)
{
	(void)state;
	clock_offsets[1] = -50;
	clock_freeze_begin(2);
	at(100);
	clock_freeze_stall(0);
	at(110); /* 60 by its own clock */
	clock_freeze_stall(1);
	at(1100);
	assert_int_equal(clock_freeze_go(0), 1000);
	assert_int_equal(program_clock(0), 100);
	at(1105); /* 1055 */
	step = 1;
	assert_int_equal(clock_freeze_go(1), 1000);
	step = 0;
	assert_in_range(program_clock(1), 100, 102);
}

static void a_cpu_that_joins_later_has_the_same_clock(void **state)
{
	(void)state;
	clock_freeze_begin(1);
	at(100);
	clock_freeze_stall(0);
	at(400);
	assert_int_equal(clock_freeze_go(0), 300);
	clock_freeze_begin_cpu(1);
	assert_int_equal(clock_frozen[1], 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, forget, thaw)
		TEST(all_clocks_freeze_for_the_same_time_and_none_goes_back),
		TEST(the_clock_freezes_from_the_last_cpus_stall_to_the_first_cpus_resumption),
		TEST(a_second_stall_before_the_others_resumption_adds_to_the_sum),
		TEST(the_clock_runs_while_one_cpu_runs),
		TEST(a_counter_that_is_behind_takes_no_clock_back),
		TEST(a_cpu_that_joins_later_has_the_same_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
