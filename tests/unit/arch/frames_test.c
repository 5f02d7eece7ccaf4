/* SPDX-License-Identifier: MIT */
/* The walk along frame records, which backtraces and callchains share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/frames.h"

#define WORDS     8U
#define RETURN(i) (0x1000 + (i))

/* Word 2i is a record's next, 2i + 1 its return address. */
static uint64_t stack[WORDS];

static uint64_t at(unsigned word)
{
	return (uint64_t)(stack + word);
}

static int set_up(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORDS / 2; i++) {
		stack[2 * i] = at(2 * i + 2);
		stack[2 * i + 1] = RETURN(i);
	}
	return 0;
}

static unsigned count(uint64_t frame, uint64_t low, uint64_t high)
{
	struct arch_frames frames = arch_frames(frame, low, high);
	unsigned n = 0;

	while (n <= WORDS && arch_frames_next(&frames))
		n++;
	return n;
}

static void records_are_followed_to_the_end_of_the_stack(void **state)
{
	struct arch_frames frames = arch_frames(at(0), at(0), at(WORDS));

	(void)state;
	for (unsigned i = 0; i < WORDS / 2; i++)
		assert_int_equal(arch_frames_next(&frames), RETURN(i));
	assert_int_equal(arch_frames_next(&frames), 0);
}

static void a_return_address_of_zero_ends_it(void **state)
{
	(void)state;
	stack[3] = 0;
	assert_int_equal(count(at(0), at(0), at(WORDS)), 1);
}

static void a_record_lies_whole_and_aligned_inside_the_stack(void **state)
{
	(void)state;
	assert_int_equal(count(at(6), at(0), at(WORDS)), 1);
	/* its last byte is not on the stack */
	assert_int_equal(count(at(6), at(0), at(WORDS) - 1), 0);
	/* its first byte is not on the stack */
	assert_int_equal(count(at(0), at(0) + 1, at(WORDS)), 0);
	assert_int_equal(count(at(0) + 1, at(0), at(WORDS)), 0);
	assert_int_equal(count(at(0) + 4, at(0), at(WORDS)), 0);
}

static void records_ascend_without_overlap(void **state)
{
	(void)state;
	stack[0] = at(0);
	assert_int_equal(count(at(0), at(0), at(WORDS)), 1);
	stack[0] = at(1);
	assert_int_equal(count(at(0), at(0), at(WORDS)), 1);
	set_up(state);
	stack[4] = at(2);
	assert_int_equal(count(at(0), at(0), at(WORDS)), 3);
}

/* The sanitizer detects reads outside the stack. */
static void no_value_of_frame_or_bounds_reads_elsewhere(void **state)
{
	const uint64_t wild[] = {
		0, 1, 8, 15, 16, 0x4141414141414141, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 15,
	};
	unsigned n = sizeof(wild) / sizeof(wild[0]);

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(count(wild[i], at(0), at(WORDS)), 0);
		assert_int_equal(count(wild[i], 0, 0), 0);
		assert_int_equal(count(wild[i], wild[i], wild[i]), 0);
		assert_int_equal(count(at(0), at(WORDS), wild[i] < at(0) ? wild[i] : 0), 0);
		assert_int_equal(count(wild[i], 0, sizeof(struct arch_frame) - 1), 0);
	}
	assert_int_equal(count(at(0), at(0), at(0) + 15), 0);
	assert_int_equal(count(at(0), at(0), at(2)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(records_are_followed_to_the_end_of_the_stack, set_up),
		cmocka_unit_test_setup(a_return_address_of_zero_ends_it, set_up),
		cmocka_unit_test_setup(a_record_lies_whole_and_aligned_inside_the_stack, set_up),
		cmocka_unit_test_setup(records_ascend_without_overlap, set_up),
		cmocka_unit_test_setup(no_value_of_frame_or_bounds_reads_elsewhere, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
