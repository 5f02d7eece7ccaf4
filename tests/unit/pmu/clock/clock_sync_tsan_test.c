/* SPDX-License-Identifier: MIT */
/* The other CPU is a thread whose counter is off by a known distance. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "pmu/clock/clock.h"

enum { OFFSETS = 4, TURNS = 8 };

static _Thread_local uint64_t skew;

static uint64_t skewed_cycles(void)
{
	return arch_cycles() + skew;
}

static uint64_t skewed_cycles_in_order(void)
{
	return arch_cycles_in_order() + skew;
}

#define arch_cycles          skewed_cycles
#define arch_cycles_in_order skewed_cycles_in_order
#include "pmu/clock/clock_sync.c"
#undef arch_cycles
#undef arch_cycles_in_order

static int64_t true_offset;
static int refusal;
static bool idle;
static pthread_t thread;
static void (*work)(void *arg);

static void *other_cpu(void *arg)
{
	skew = (uint64_t)-true_offset;
	work(arg);
	__atomic_store_n(&idle, true, __ATOMIC_RELEASE);
	return NULL;
}

int arch_cpu_run(unsigned cpu, void (*fn)(void *arg), void *arg)
{
	(void)cpu;
	if (refusal)
		return refusal;
	work = fn;
	__atomic_store_n(&idle, false, __ATOMIC_RELEASE);
	return -pthread_create(&thread, NULL, other_cpu, arg);
}

bool arch_cpu_idle(unsigned cpu)
{
	(void)cpu;
	return __atomic_load_n(&idle, __ATOMIC_ACQUIRE);
}

static void the_distance_is_found_within_the_stated_error(void **state)
{
	static const int64_t offsets[OFFSETS] = { 0, 1LL << 40, -(1LL << 40), 123456789012345 };

	(void)state;
	clock_set(&machine_clock, 1000000000, 0);
	for (size_t i = 0; i < TURNS * OFFSETS; i++) {
		struct clock_sync sync;

		true_offset = offsets[i % OFFSETS];
		assert_int_equal(clock_sync_measure(1, &sync), 0);
		pthread_join(thread, NULL);
		assert_true(sync.error > 0);
		assert_true((uint64_t)llabs(sync.offset - true_offset) <= sync.error);
	}
}

static void a_distance_within_the_error_is_none(void **state)
{
	struct clock_sync sync;

	(void)state;
	clock_set(&machine_clock, 1000000000, 0);
	true_offset = 0;
	assert_int_equal(clock_sync_measure(1, &sync), 0);
	pthread_join(thread, NULL);
	assert_int_equal(sync.offset, 0);
}

static void a_cpu_that_does_not_start_is_reported(void **state)
{
	struct clock_sync sync;

	(void)state;
	refusal = -ETIMEDOUT;
	assert_int_equal(clock_sync_measure(1, &sync), -ETIMEDOUT);
	refusal = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_distance_is_found_within_the_stated_error),
		cmocka_unit_test(a_distance_within_the_error_is_none),
		cmocka_unit_test(a_cpu_that_does_not_start_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
