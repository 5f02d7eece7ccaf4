/* SPDX-License-Identifier: MIT */
/* A machine that is stopped to be read: its stops in the file, by its own clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host-tools/perfdata/perf_reader.h"
#include "tests/unit/writer/session/session_rig.h"

#define MS 1000000ULL

static struct channel_ops ops;
static struct channel_stop queue[8];
static unsigned queued, taken;

static bool take_stop(struct channel *c, struct channel_stop *stop)
{
	(void)c;
	if (taken == queued)
		return false;
	*stop = queue[taken++];
	return true;
}

/* The machine's clock was at `time` ms; by the host's clock it was stopped at `at`, for `length`
 * ms. */
static void stall(uint64_t time, uint64_t at, uint64_t length)
{
	queue[queued++] = (struct channel_stop){ time * MS, at * MS, length * MS };
}

static int setup(void **state)
{
	(void)state;
	queued = taken = 0;
	fixture_init(&fixture, 0);
	session_rig_begin(NULL);
	ops = *channel.ops;
	ops.stop = take_stop;
	channel.ops = &ops;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_rig_end();
	return 0;
}

/* All SWITCH records in the file's order: {tid, ms, out}. */
struct seen {
	uint32_t tid;
	uint64_t time;
	bool out;
};
static struct seen seen[32];

static unsigned finish(void)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	uint64_t offset = 0;
	unsigned count = 0;

	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	session_rig_recount();
	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	while (perf_reader_next(&reader, &offset, &record, &error) > 0) {
		const uint32_t *pid = (const void *)(record.header + 1);
		const uint64_t *time = (const void *)(pid + 2);

		if (record.header->type != PERF_RECORD_SWITCH)
			continue;
		assert_true(count < 32);
		assert_int_equal(pid[0], TR_PID);
		seen[count++] = (struct seen){ pid[1], *time / MS,
			                       record.header->misc & PERF_RECORD_MISC_SWITCH_OUT };
	}
	perf_reader_close(&reader);
	return count;
}

static void assert_stop(unsigned at, uint64_t from, uint64_t to)
{
	for (unsigned cpu = 0; cpu < FIXTURE_RINGS; cpu++) {
		const struct seen *pair = &seen[2 * (at * FIXTURE_RINGS + cpu)];

		assert_int_equal(pair[0].tid, tr_tid(cpu));
		assert_int_equal(pair[1].tid, tr_tid(cpu));
		assert_true(pair[0].out && !pair[1].out);
		assert_int_equal(pair[0].time, from);
		assert_int_equal(pair[1].time, to);
	}
}

/* As under an emulator: between two stops its clock has advanced by the time that it ran. */
static void with_a_frozen_clock_a_stop_takes_no_time(void **state)
{
	(void)state;
	stall(100, 1000, 40);
	stall(200, 1140, 60);
	session_rig_drain();
	stall(301, 1300, 7);
	assert_int_equal(finish(), 3 * 2 * FIXTURE_RINGS);
	assert_stop(0, 100, 100);
	assert_stop(1, 200, 200);
	assert_stop(2, 301, 301);
	assert_int_equal(session.stops.count, 3);
	assert_int_equal(session.stops.length, 107 * MS);
	assert_int_equal(session.stops.longest, 60 * MS);
}

/* As with a CPU whose counter of time runs on in a debugger. */
static void with_a_running_clock_a_stop_takes_time(void **state)
{
	(void)state;
	stall(100, 1000, 40);
	stall(240, 1140, 60);
	session_rig_drain();
	stall(399, 1300, 4); /* like the stops before, but too short to be measured */
	stall(430, 1330, 4);
	assert_int_equal(finish(), 4 * 2 * FIXTURE_RINGS);
	assert_stop(0, 100, 140);
	assert_stop(1, 240, 300);
	assert_stop(2, 399, 403);
	assert_stop(3, 430, 434);
}

/* Firmware without a clock: only the sum is reported. */
static void a_stop_of_unknown_time_is_only_counted(void **state)
{
	(void)state;
	stall(0, 1000, 40);
	stall(0, 1140, 60);
	assert_int_equal(finish(), 0);
	assert_int_equal(session.stops.count, 2);
}

static void a_stop_before_the_recording_is_not_counted(void **state)
{
	(void)state;
	stall(100, 1000, 40);
	session_begin_stops(&session);
	assert_int_equal(finish(), 0);
	assert_int_equal(session.stops.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(with_a_frozen_clock_a_stop_takes_no_time),
		TEST(with_a_running_clock_a_stop_takes_time),
		TEST(a_stop_of_unknown_time_is_only_counted),
		TEST(a_stop_before_the_recording_is_not_counted),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
