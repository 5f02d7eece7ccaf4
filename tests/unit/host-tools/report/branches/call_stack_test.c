/* SPDX-License-Identifier: MIT */
/* The functions that a CPU is in, and the instructions of each call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host-tools/report/branches/call_stack.h"
#include "host-tools/report/branches/call_table.h"

/* Functions. */
enum { UNKNOWN, MAIN, WORK, LEAF, OTHER, HANDLER };
#define BACK(function, site) (1000U * (function) + (site)) /* a return address */

static struct call_stack stack;
static struct call_table table;
static char story[1000]; /* "+1": function 1 was entered, "-1": it ended, "!1": it was cut */
static int refuse;       /* errno that the callbacks return */

static int note_entered(void *context, const struct call_frame *frame)
{
	size_t length = strlen(story);

	assert_ptr_equal(context, &stack);
	snprintf(story + length, sizeof(story) - length, "+%u", (unsigned)frame->function);
	return refuse;
}

static int note_left(void *context, const struct call_frame *frame, bool is_return)
{
	size_t length = strlen(story);

	assert_ptr_equal(context, &stack);
	snprintf(story + length, sizeof(story) - length, "%c%u",
	         is_return && frame->is_entry_seen ? '-' : '!', (unsigned)frame->function);
	assert_int_equal(call_table_add(&table, frame, is_return), 0);
	return refuse;
}

static int setup(void **state)
{
	(void)state;
	stack = (struct call_stack){ .entered = note_entered, .left = note_left };
	stack.context = &stack;
	*story = 0;
	refuse = 0;
	/* the trace begins in main(), which calls work() */
	assert_int_equal(call_stack_jump(&stack, UNKNOWN, MAIN, false), 0);
	call_stack_execute(&stack, 10);
	assert_int_equal(call_stack_call(&stack, MAIN, WORK, BACK(MAIN, 1)), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	call_stack_free(&stack);
	call_table_free(&table);
	return 0;
}

static void call(uint32_t from, uint32_t to, uint64_t back)
{
	assert_int_equal(call_stack_call(&stack, from, to, back), 0);
}

static void jump(uint32_t from, uint32_t to, bool is_first)
{
	assert_int_equal(call_stack_jump(&stack, from, to, is_first), 0);
}

static void go_back(uint64_t to, uint32_t function)
{
	assert_int_equal(call_stack_return(&stack, to, function, false), 0);
}

static const struct call_row *row_of(uint32_t function)
{
	assert_true(function < table.count);
	return &table.rows[function];
}

static uint64_t total_of(uint32_t function)
{
	return row_of(function)->total.sum;
}

static void a_return_ends_the_call_and_its_instructions_are_the_callers_too(void **state)
{
	(void)state;
	call_stack_execute(&stack, 5);
	call(WORK, LEAF, BACK(WORK, 1));
	call_stack_execute(&stack, 7);
	go_back(BACK(WORK, 1), WORK);
	call_stack_execute(&stack, 2);
	go_back(BACK(MAIN, 1), MAIN);
	assert_string_equal(story, "+1+2+3-3-2");
	assert_int_equal(row_of(WORK)->self.sum, 7);
	assert_int_equal(total_of(WORK), 14);
	assert_int_equal(total_of(LEAF), 7);
	assert_int_equal(stack.depth, 1);
	assert_int_equal(stack.frames[0].callees, 14);
}

static void each_call_of_a_recursion_has_its_own_end(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 3; i++) {
		call_stack_execute(&stack, i);
		call(WORK, WORK, BACK(WORK, 1));
	}
	call_stack_execute(&stack, 100);
	for (unsigned i = 0; i < 3; i++)
		go_back(BACK(WORK, 1), WORK);
	go_back(BACK(MAIN, 1), MAIN);
	assert_string_equal(story, "+1+2+2+2+2-2-2-2-2");
	assert_int_equal(row_of(WORK)->calls, 4);
	assert_int_equal(row_of(WORK)->self.least, 1);
	assert_int_equal(row_of(WORK)->self.most, 100);
	assert_int_equal(row_of(WORK)->total.least, 100);
	assert_int_equal(row_of(WORK)->total.most, 106);
	assert_int_equal(row_of(WORK)->total.sum, 100 + 103 + 105 + 106);
}

static void a_jump_to_a_function_is_a_call_that_ends_with_its_caller(void **state)
{
	(void)state;
	jump(WORK, LEAF, true);
	call_stack_execute(&stack, 3);
	assert_int_equal(stack.frames[2].caller, WORK);
	go_back(BACK(MAIN, 1), MAIN);
	assert_string_equal(story, "+1+2+3-3-2");
	assert_int_equal(total_of(WORK), 3);
}

static void functions_that_jump_to_each_other_do_not_fill_the_stack(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		call_stack_execute(&stack, 1);
		jump(WORK, LEAF, true);
		call_stack_execute(&stack, 1);
		jump(LEAF, WORK, true);
	}
	assert_in_range(stack.depth, 3, 4);
	go_back(BACK(MAIN, 1), MAIN);
	assert_int_equal(row_of(LEAF)->calls, 1000);
	assert_int_equal(row_of(WORK)->calls, 1001);
	assert_int_equal(stack.frames[0].callees, 2000);
}

static void a_jump_within_a_function_and_to_its_begin_is_no_call(void **state)
{
	(void)state;
	jump(WORK, WORK, false);
	jump(WORK, WORK, true);
	assert_string_equal(story, "+1+2");
}

static void a_jump_into_a_function_in_the_stack_ends_its_calls(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10000; i++)
		call(WORK, LEAF, BACK(WORK, 1));
	*story = 0;
	refuse = 0;
	stack.left = NULL;
	jump(LEAF, MAIN, false); /* longjmp() */
	assert_int_equal(stack.depth, 1);
}

static void a_return_without_a_call_ends_the_calls_of_the_target(void **state)
{
	(void)state;
	call(WORK, LEAF, BACK(WORK, 1));
	call(LEAF, OTHER, BACK(LEAF, 1));
	go_back(BACK(WORK, 77), WORK); /* an exception's handler */
	assert_string_equal(story, "+1+2+3+4-4-3");
	go_back(BACK(MAIN, 1), MAIN);
	assert_int_equal(stack.depth, 1);
}

static void a_return_ends_the_innermost_call_with_its_address(void **state)
{
	(void)state;
	call(WORK, LEAF, BACK(WORK, 1));
	call(LEAF, WORK, BACK(LEAF, 1));
	call(WORK, OTHER, BACK(WORK, 1));
	go_back(BACK(WORK, 1), WORK);
	assert_string_equal(story, "+1+2+3+2+4-4");
	go_back(BACK(LEAF, 1), LEAF);
	go_back(BACK(WORK, 1), WORK);
	assert_string_equal(story, "+1+2+3+2+4-4-2-3");
}

static void an_interrupt_is_no_callee_of_the_interrupted_function(void **state)
{
	(void)state;
	call_stack_execute(&stack, 4);
	assert_int_equal(call_stack_interrupt(&stack, HANDLER, BACK(WORK, 5)), 0);
	call_stack_execute(&stack, 50);
	call(HANDLER, LEAF, BACK(HANDLER, 1));
	call_stack_execute(&stack, 30);
	go_back(BACK(HANDLER, 1), HANDLER);
	go_back(BACK(WORK, 5), WORK);
	call_stack_execute(&stack, 3);
	go_back(BACK(MAIN, 1), MAIN);
	assert_int_equal(total_of(WORK), 7);
	assert_int_equal(total_of(HANDLER), 80);
	assert_int_equal(stack.frames[0].callees, 7);
}

static void a_gap_cuts_all_calls(void **state)
{
	(void)state;
	call(WORK, LEAF, BACK(WORK, 1));
	call_stack_execute(&stack, 3);
	assert_int_equal(call_stack_end(&stack), 0);
	assert_string_equal(story, "+1+2+3!3!2!1");
	assert_int_equal(row_of(LEAF)->cut, 1);
	assert_int_equal(row_of(LEAF)->calls, 0);
	assert_int_equal(row_of(LEAF)->instructions, 3);
	go_back(BACK(WORK, 1), WORK); /* after the gap; a stale return address must not match */
	assert_int_equal(stack.depth, 1);
	go_back(BACK(MAIN, 1), MAIN);
	assert_string_equal(story, "+1+2+3!3!2!1+2!2+1");
}

static void a_return_ends_a_frame_whose_entry_was_not_seen_with_its_jumps(void **state)
{
	(void)state;
	go_back(BACK(MAIN, 1), MAIN);
	jump(MAIN, LEAF, true);
	*story = 0;
	go_back(BACK(OTHER, 1), OTHER); /* main() returns to its caller */
	assert_string_equal(story, "-3!1+4");
	assert_int_equal(row_of(LEAF)->calls, 1);
	assert_int_equal(row_of(MAIN)->cut, 1);
}

static void a_return_to_a_functions_begin_is_a_jump(void **state)
{
	(void)state;
	assert_int_equal(call_stack_return(&stack, BACK(LEAF, 0), LEAF, true), 0);
	assert_string_equal(story, "+1+2+3"); /* a return to another place, as in a retpoline */
	assert_int_equal(stack.frames[2].caller, WORK);
	go_back(BACK(MAIN, 1), MAIN);
	assert_string_equal(story, "+1+2+3-3-2");
}

static void another_stack_is_a_frame_until_the_first_goes_on(void **state)
{
	(void)state;
	jump(WORK, OTHER, false); /* a thread's switch */
	assert_string_equal(story, "+1+2+4");
	assert_false(stack.frames[2].is_entry_seen);
	jump(OTHER, WORK, false);
	assert_string_equal(story, "+1+2+4!4");
}

static void a_callback_stops_with_its_errno(void **state)
{
	(void)state;
	refuse = -EIO;
	assert_int_equal(call_stack_call(&stack, WORK, LEAF, BACK(WORK, 1)), -EIO);
	assert_int_equal(call_stack_return(&stack, BACK(WORK, 1), WORK, false), -EIO);
	assert_int_equal(call_stack_end(&stack), -EIO);
}

static void the_table_has_the_busiest_function_first(void **state)
{
	struct call_frame frame = { .function = 7, .self = 5, .is_entry_seen = true };

	(void)state;
	assert_int_equal(call_table_add(&table, &frame, true), 0);
	frame = (struct call_frame){ .function = 900, .self = 9, .callees = 2 };
	/* its entry is not in the trace */
	assert_int_equal(call_table_add(&table, &frame, true), 0);
	frame = (struct call_frame){ .function = 3, .self = 5, .is_entry_seen = true };
	assert_int_equal(call_table_add(&table, &frame, true), 0);
	assert_int_equal(call_table_add(&table, &frame, true), 0);
	frame.function = 0;
	frame.self = 0;
	assert_int_equal(call_table_add(&table, &frame, false), 0);
	call_table_sort(&table);
	assert_int_equal(table.count, 4);
	assert_int_equal(table.rows[0].function, 3);
	assert_int_equal(table.rows[0].instructions, 10);
	assert_int_equal(table.rows[1].function, 900);
	assert_int_equal(table.rows[1].cut, 1);
	assert_int_equal(table.rows[2].function, 7);
	assert_int_equal(table.rows[3].function, 0);
	assert_int_equal(table.rows[3].cut, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_return_ends_the_call_and_its_instructions_are_the_callers_too),
		TEST(each_call_of_a_recursion_has_its_own_end),
		TEST(a_jump_to_a_function_is_a_call_that_ends_with_its_caller),
		TEST(functions_that_jump_to_each_other_do_not_fill_the_stack),
		TEST(a_jump_within_a_function_and_to_its_begin_is_no_call),
		TEST(a_jump_into_a_function_in_the_stack_ends_its_calls),
		TEST(a_return_without_a_call_ends_the_calls_of_the_target),
		TEST(a_return_ends_the_innermost_call_with_its_address),
		TEST(an_interrupt_is_no_callee_of_the_interrupted_function),
		TEST(a_gap_cuts_all_calls),
		TEST(a_return_ends_a_frame_whose_entry_was_not_seen_with_its_jumps),
		TEST(a_return_to_a_functions_begin_is_a_jump),
		TEST(another_stack_is_a_frame_until_the_first_goes_on),
		TEST(a_callback_stops_with_its_errno),
		TEST(the_table_has_the_busiest_function_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
