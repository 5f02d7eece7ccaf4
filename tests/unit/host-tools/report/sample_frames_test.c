/* SPDX-License-Identifier: MIT */
/* The frames of a sample: of its callchain, and of its call stack continued by the callchain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host-tools/report/frames.h"

enum { CALLS_MAX = 8, CHAIN_MAX = 600 };

/* Functions begin at multiples of 0x100; a call lies at such a place, and returns 5 bytes later. */
#define CALL_SIZE 5U

static uint64_t chain[CHAIN_MAX];
static struct perf_branch_entry calls[CALLS_MAX];
static struct sample sample;

static int setup(void **state)
{
	(void)state;
	sample = (struct sample){ .ip = 0x1000, .chain = chain, .branches = calls };
	chain[0] = PERF_CONTEXT_USER;
	chain[1] = 0x1000;
	sample.chain_length = 2;
	return 0;
}

/* A caller with a frame pointer, known by its call's address. */
static void add_to_chain(uint64_t call)
{
	chain[sample.chain_length++] = call + CALL_SIZE;
}

static void add_to_stack(uint64_t call)
{
	sample.is_call_stack = true;
	calls[sample.nr_branches++] = (struct perf_branch_entry){ .from = call, .to = 0x9000 };
}

/* expected: the addresses of the calls, the innermost first. A frame of the callchain is the byte
 * before its return address. */
static void assert_frames(const uint64_t *expected, uint32_t count)
{
	uint64_t frames[FRAMES_MAX];

	assert_int_equal(frames_of(&sample, frames), count + 1);
	assert_int_equal(frames[count], 0x1000);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(frames[count - 1 - i] & ~0xffULL, expected[i] & ~0xffULL);
}

#define ASSERT_FRAMES(...)                               \
	assert_frames((const uint64_t[]){ __VA_ARGS__ }, \
	              sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void without_a_callchain_the_sample_has_its_own_address(void **state)
{
	uint64_t frames[FRAMES_MAX];

	(void)state;
	sample.chain_length = 0;
	assert_int_equal(frames_of(&sample, frames), 1);
	assert_int_equal(frames[0], 0x1000);
	sample.chain_length = 1;
	assert_int_equal(frames_of(&sample, frames), 1);
	assert_int_equal(frames[0], 0x1000);
}

static void a_caller_is_the_byte_before_its_return_address(void **state)
{
	uint64_t frames[FRAMES_MAX];

	(void)state;
	add_to_chain(0x2000);
	chain[sample.chain_length++] = PERF_CONTEXT_KERNEL;
	chain[sample.chain_length++] = 0;
	assert_int_equal(frames_of(&sample, frames), 3);
	assert_int_equal(frames[2], 0x1000);
	assert_int_equal(frames[1], 0x2000 + CALL_SIZE - 1);
	assert_int_equal(frames[0], 0);
}

static void a_longer_chain_loses_its_outermost_frames(void **state)
{
	uint64_t frames[FRAMES_MAX];

	(void)state;
	for (uint64_t i = 2; i < CHAIN_MAX; i++)
		add_to_chain(i << 8);
	assert_int_equal(frames_of(&sample, frames), FRAMES_MAX);
	assert_int_equal(frames[FRAMES_MAX - 1], 0x1000);
	assert_int_equal(frames[0], (FRAMES_MAX << 8) + CALL_SIZE - 1);
}

static void branches_that_are_no_call_stack_are_no_frames(void **state)
{
	(void)state;
	add_to_chain(0x2000);
	add_to_stack(0x3000);
	sample.is_call_stack = false;
	ASSERT_FRAMES(0x2000);
}

static void a_call_stack_adds_the_callers_without_a_frame_pointer(void **state)
{
	(void)state;
	add_to_stack(0x2000);
	add_to_stack(0x3000);
	add_to_stack(0x4000);
	add_to_chain(0x3000);
	ASSERT_FRAMES(0x2000, 0x3000, 0x4000);
}

static void the_callchain_continues_the_call_stack(void **state)
{
	(void)state;
	add_to_stack(0x2000);
	add_to_stack(0x3000);
	add_to_chain(0x3000);
	add_to_chain(0x5000);
	add_to_chain(0x6000);
	ASSERT_FRAMES(0x2000, 0x3000, 0x5000, 0x6000);
}

static void a_recursion_that_is_deeper_than_the_records_keeps_its_frames(void **state)
{
	(void)state;
	add_to_stack(0x2000);
	add_to_stack(0x2000);
	for (unsigned i = 0; i < 4; i++)
		add_to_chain(0x2000);
	add_to_chain(0x5000);
	ASSERT_FRAMES(0x2000, 0x2000, 0x2000, 0x2000, 0x5000);
}

static void a_callchain_that_begins_further_out_is_added_whole(void **state)
{
	(void)state;
	add_to_stack(0x2000);
	add_to_chain(0x5000);
	add_to_chain(0x6000);
	ASSERT_FRAMES(0x2000, 0x5000, 0x6000);
}

/* An instruction of x86 has 15 bytes at most. */
static void a_return_address_is_one_instruction_after_its_call(void **state)
{
	(void)state;
	add_to_stack(0x2000);
	chain[sample.chain_length++] = 0x200f;
	ASSERT_FRAMES(0x2000);
	chain[2] = 0x2010;
	ASSERT_FRAMES(0x2000, 0x2000);
	chain[2] = 0x2000;
	ASSERT_FRAMES(0x2000, 0x1f00);
	chain[2] = 0x2001;
	ASSERT_FRAMES(0x2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_a_callchain_the_sample_has_its_own_address, setup),
		cmocka_unit_test_setup(a_caller_is_the_byte_before_its_return_address, setup),
		cmocka_unit_test_setup(a_longer_chain_loses_its_outermost_frames, setup),
		cmocka_unit_test_setup(branches_that_are_no_call_stack_are_no_frames, setup),
		cmocka_unit_test_setup(a_call_stack_adds_the_callers_without_a_frame_pointer,
		                       setup),
		cmocka_unit_test_setup(the_callchain_continues_the_call_stack, setup),
		cmocka_unit_test_setup(a_recursion_that_is_deeper_than_the_records_keeps_its_frames,
		                       setup),
		cmocka_unit_test_setup(a_callchain_that_begins_further_out_is_added_whole, setup),
		cmocka_unit_test_setup(a_return_address_is_one_instruction_after_its_call, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
