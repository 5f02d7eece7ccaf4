/* SPDX-License-Identifier: MIT */
/* The record before an AUX area's bytes for perf: their format, and their clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "abi/event_types.h"
#include "tests/unit/writer/session/aux_rig.h"

/* perf drops the last record of a buffer from any source, so an empty one is appended. */
static void perf_gets_the_format_and_the_clock_of_a_branch_trace(void **state)
{
	static const uint32_t sources[] = { PERF_TYPE_INTEL_BTS, PERF_TYPE_BRANCH_STEP };

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		const uint64_t expected[8] = {
			PERF_FILE_RECORD_AUXTRACE_INFO | 64ULL << 48,
			PERF_FILE_AUXTRACE_INTEL_BTS,
			sources[i],
			9,      /* time_shift */
			1 << 8, /* time_mult */
			1,      /* time_zero */
			1,      /* cap_user_time_zero */
			0,      /* snapshot */
		};

		if (i) {
			aux_rig_teardown(state);
			aux_rig_setup(state);
		}
		aux_rig_begin(sources[i], false);
		aux_rig_put(0, 0, 48, 0);
		aux_rig_finish();
		assert_memory_equal(aux_file.info, expected, sizeof(expected));
		assert_int_equal(aux_file.clock[0], 0);
		assert_int_equal(aux_file.count, 1);
		aux_rig_expect(0, 0, 0, aux_pattern, 48, 72);
	}
}

static void perf_gets_the_clock_of_spe_in_a_record_of_its_own(void **state)
{
	const uint64_t clock[7] = {
		PERF_FILE_RECORD_TIME_CONV | 56ULL << 48, 9, 1 << 8, 1, 0, UINT64_MAX, 1
	};

	(void)state;
	aux_rig_begin(PERF_TYPE_ARM_SPE, false);
	aux_rig_finish();
	assert_memory_equal(aux_file.clock, clock, sizeof(clock));
	assert_int_equal((uint32_t)aux_file.info[0], PERF_FILE_RECORD_AUXTRACE_INFO);
	assert_int_equal(aux_file.info[1], PERF_FILE_AUXTRACE_ARM_SPE);
	assert_int_equal(aux_file.info[2], PERF_TYPE_ARM_SPE);
}

/* perf would divide by a multiplier of 0; and for an unknown source nothing is reported. */
static void nothing_is_reported_that_perf_could_not_decode(void **state)
{
	(void)state;
	aux_rig_begin(PERF_TYPE_SOFTWARE, false);
	aux_rig_put(0, 0, 24, 0);
	aux_rig_finish();
	assert_int_equal(aux_file.info[0], 0);
	assert_int_equal(aux_file.count, 1);
	assert_int_equal(aux_file.pieces[0].trace.size, 24); /* as they are */
	aux_rig_teardown(NULL);
	aux_rig_setup(NULL);
	aux_clock.time_mult = 0;
	aux_rig_begin(PERF_TYPE_INTEL_BTS, false);
	aux_rig_put(0, 0, 24, 0);
	aux_rig_finish();
	assert_int_equal(aux_file.info[0], 0);
	assert_int_equal(aux_file.count, 1);
	assert_int_equal(aux_file.pieces[0].trace.reference, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, aux_rig_setup, aux_rig_teardown)
		TEST(perf_gets_the_format_and_the_clock_of_a_branch_trace),
		TEST(perf_gets_the_clock_of_spe_in_a_record_of_its_own),
		TEST(nothing_is_reported_that_perf_could_not_decode),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
