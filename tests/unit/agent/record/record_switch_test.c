/* SPDX-License-Identifier: MIT */
/* The program pauses its recording: how long it waits for CPUs that do not react. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "agent/record/record.h"
#include "agent/record/record_stop.h"
#include "agent/record/recording.h"
#include "arch/host/fake_cpu.h"
#include "pmu/clock/clock.h"

#define CPUS 2U

static struct recording recording;
static struct traced_cpu cpus[CPUS];
static struct perf_event events[CPUS];
static unsigned signals[CPUS];
static uint64_t leap; /* ns that pass at each signal */
static unsigned deaf; /* CPU 1 ignores so many signals before it obeys */

struct recording *recording_now(void)
{
	return &recording;
}

void arch_cpu_signal(unsigned cpu)
{
	host_fake_cycles += leap;
	if (signals[cpu]++ >= (cpu ? deaf : 0))
		recording_switch_here(&cpus[cpu]);
}

static int set_up(void **state)
{
	const struct perf_event *failed;

	(void)state;
	host_fake_cycles = 5 * NSEC_PER_SEC;
	clock_set(&machine_clock, NSEC_PER_SEC, 0);
	recording = (struct recording){ .nr_cpus = CPUS, .cpus = cpus };
	for (unsigned i = 0; i < CPUS; i++) {
		cpus[i] = (struct traced_cpu){ .recording = &recording, .cpu = i, .live = true };
		assert_int_equal(context_start(&cpus[i].context, &events[i], 0, &failed), 0);
		signals[i] = 0;
	}
	leap = deaf = 0;
	return 0;
}

static void each_cpu_pauses_and_continues(void **state)
{
	(void)state;
	assert_int_equal(record_switch(false), 0);
	assert_true(cpus[0].paused && cpus[1].paused);
	assert_int_equal(record_switch(true), 0);
	assert_false(cpus[0].paused || cpus[1].paused);
	assert_int_equal(signals[1], 2);
}

/* The clock advances by 1 s between two looks, as while this CPU stalls (--lossless). That time
 * does not end the wait for the other CPU: a look counts for LOOK_NS at most. */
static void time_that_the_cpu_stalled_itself_is_not_waited(void **state)
{
	(void)state;
	leap = NSEC_PER_SEC;
	deaf = 1;
	assert_int_equal(record_switch(false), 0);
	assert_int_equal(signals[1], 2);
}

static void the_wait_for_a_silent_cpu_is_limited_by_looks(void **state)
{
	(void)state;
	leap = NSEC_PER_SEC;
	deaf = UINT32_MAX;
	assert_int_equal(record_switch(false), -ETIMEDOUT);
	assert_in_range(signals[1], 9990, 10010);
}

static void a_stopped_cpu_is_not_waited_for(void **state)
{
	(void)state;
	cpus[1].stopped = true;
	assert_int_equal(record_switch(false), 0);
	assert_int_equal(signals[1], 0);
	assert_false(recording_switch_is_due(&cpus[1]));
	recording.aux_pages = 1;
	assert_int_equal(record_switch(true), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_cpu_pauses_and_continues, set_up),
		cmocka_unit_test_setup(time_that_the_cpu_stalled_itself_is_not_waited, set_up),
		cmocka_unit_test_setup(the_wait_for_a_silent_cpu_is_limited_by_looks, set_up),
		cmocka_unit_test_setup(a_stopped_cpu_is_not_waited_for, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
