/* SPDX-License-Identifier: MIT */
/* Callchains where a frame pointer's validity depends on the image. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/callchain.h"
#include "pmu/callchain_images.h"

#define KEPT    0x10000U
#define NONE    0x20000U
#define UNKNOWN 0x30000U
#define KEPT_2  0x40000U
#define NOWHERE 0x50000U
#define SIZE    0x1000U
#define RECORDS 8U
#define MOST    16U

/* Record i is stack[2 * i]: next, return address. */
static uint64_t stack[2 * RECORDS];
static uint64_t chain[MOST + 1];

static void add(uint64_t start, enum callchain_frames frames)
{
	callchain_images_add(&(struct callchain_image){ start, start + SIZE, frames });
}

static int set_up(void **state)
{
	(void)state;
	fake_stack_low = (uint64_t)stack;
	fake_stack_high = (uint64_t)(stack + 2 * RECORDS);
	fake_assumes_frames = false;
	fake_has_frame = true;
	fake_no_return = fake_leaf_return = 0;
	callchain_call = NULL;
	callchain_images_begin();
	add(KEPT_2, CALLCHAIN_FRAMES_KEPT);
	add(KEPT, CALLCHAIN_FRAMES_KEPT);
	add(UNKNOWN, CALLCHAIN_FRAMES_UNKNOWN);
	add(NONE, CALLCHAIN_FRAMES_NONE);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	callchain_images_end();
	fake_stack_low = fake_stack_high = 0;
	callchain_call = NULL;
	return 0;
}

/* Interrupted there, on a stack of records with these return addresses, the last of which is 0.
 * Returns the number of addresses besides the interrupted one. */
static unsigned collect(uint64_t pc, const uint64_t *callers)
{
	struct arch_regs regs = { .pc = pc, .sp = (uint64_t)stack, .fp = (uint64_t)stack };
	unsigned i = 0;

	memset(stack, 0, sizeof(stack));
	for (; i < RECORDS && callers[i]; i++) {
		stack[2 * i] = (uint64_t)(stack + 2 * i + 2);
		stack[2 * i + 1] = callers[i];
	}
	return callchain_collect(&regs, chain, MOST) - 2;
}

static void callers_are_followed_to_the_first_that_keeps_no_frames(void **state)
{
	static const uint64_t callers[] = { KEPT + 16, KEPT_2 + 16, NONE + 16, KEPT + 32, 0 };

	(void)state;
	assert_int_equal(collect(KEPT + 8, callers), 3);
	assert_int_equal(chain[1], KEPT + 8);
	assert_memory_equal(chain + 2, callers, 3 * sizeof(callers[0]));
	assert_int_equal(collect(NONE + 8, callers), 0);
	assert_int_equal(collect(UNKNOWN + 8, callers), 0);
	assert_int_equal(collect(NOWHERE, callers), 0);
	assert_int_equal(collect(KEPT - 1, callers), 0);
	assert_int_equal(collect(KEPT + SIZE, callers), 0);
}

static void an_unknown_pmu_counts_as_the_isas_common_one(void **state)
{
	static const uint64_t callers[] = { UNKNOWN + 16, NOWHERE + 16, KEPT + 16,
		                            NONE + 16,    KEPT,         0 };

	(void)state;
	assert_int_equal(collect(KEPT + 8, callers), 1);
	fake_assumes_frames = true;
	assert_int_equal(collect(KEPT + 8, callers), 4);
	assert_int_equal(collect(UNKNOWN + 8, callers), 4);
	assert_int_equal(collect(NOWHERE, callers), 4);
	assert_int_equal(collect(NONE + 8, callers), 0);
}

static void without_a_frame_of_its_own_none_is_followed(void **state)
{
	static const uint64_t callers[] = { KEPT + 16, 0 };

	(void)state;
	fake_has_frame = false;
	assert_int_equal(collect(KEPT + 8, callers), 0);
}

static void the_caller_of_a_frameless_function_comes_first(void **state)
{
	static const uint64_t callers[] = { KEPT_2 + 16, NONE + 16, KEPT, 0 };

	(void)state;
	fake_leaf_return = KEPT + 16;
	for (int i = 0; i < 2; i++) {
		fake_has_frame = i;
		assert_int_equal(collect(KEPT + 8, callers), 3);
		assert_int_equal(chain[2], KEPT + 16);
		assert_memory_equal(chain + 3, callers, 2 * sizeof(callers[0]));
	}
	assert_int_equal(collect(NONE + 8, callers), 0);
	assert_int_equal(collect(NOWHERE, callers), 0);
}

static void the_caller_counts_as_one_of_the_frames(void **state)
{
	struct arch_regs regs = { .pc = KEPT + 8, .sp = (uint64_t)stack, .fp = (uint64_t)stack };

	(void)state;
	collect(KEPT + 8, (const uint64_t[]){ KEPT_2 + 16, KEPT_2 + 32, 0 });
	fake_leaf_return = KEPT + 16;
	memset(chain, 0, sizeof(chain));
	assert_int_equal(callchain_collect(&regs, chain, 2), 3);
	assert_int_equal(chain[2], KEPT + 16);
	assert_int_equal(chain[3], 0);
	assert_int_equal(callchain_collect(&regs, chain, 1), 2);
	assert_int_equal(callchain_collect(&regs, chain, 3), 4);
	assert_int_equal(chain[3], KEPT_2 + 16);
}

static void an_address_after_no_call_is_no_caller(void **state)
{
	static const uint64_t callers[] = { KEPT + 16, KEPT_2 + 16, KEPT + 32, 0 };

	(void)state;
	fake_no_return = KEPT_2 + 16;
	assert_int_equal(collect(KEPT + 8, callers), 1);
	fake_no_return = 0;
	assert_int_equal(collect(KEPT + 8, (const uint64_t[]){ NOWHERE + 16, KEPT + 16, 0 }), 0);
}

static void a_wild_frame_pointer_leads_nowhere(void **state)
{
	static const uint64_t callers[] = { KEPT + 16, 0 };
	const uint64_t wild[] = { 0,
		                  8,
		                  (uint64_t)stack - 16,
		                  (uint64_t)stack + 1,
		                  (uint64_t)(stack + 2 * RECORDS) - 8,
		                  UINT64_MAX - 7 };

	(void)state;
	collect(KEPT + 8, callers);
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		struct arch_regs regs = { .pc = KEPT + 8, .sp = (uint64_t)stack, .fp = wild[i] };

		assert_int_equal(callchain_collect(&regs, chain, MOST), 2);
	}
}

/* The frame pointer may still point into a stack of ours. */
static void an_unknown_stack_is_not_followed(void **state)
{
	static const uint64_t callers[] = { KEPT + 16, KEPT_2 + 16, 0 };

	(void)state;
	for (unsigned reported = 0; reported < 2; reported++) {
		struct callchain keeps = {
			.low = 1, .high = UINT64_MAX, .straight = 1, .max_frames = MOST
		};
		struct arch_regs regs = { .pc = KEPT + 8,
			                  .sp = (uint64_t)stack - 64,
			                  .fp = (uint64_t)stack };

		assert_int_equal(collect(KEPT + 8, callers), 2);
		assert_int_equal(callchain_collect(&regs, chain, MOST), 2);
		assert_int_equal(callchain_put_slowly(&keeps, &regs, chain), 2);
		assert_int_equal(chain[1], KEPT + 8);
		assert_true(keeps.low == 0 && keeps.high == 0 && keeps.straight == 0);
		callchain_images_end(); /* also not if all code keeps frames */
	}
}

/* The call's frame is record 4. */
static void the_waiting_code_and_its_caller_are_known(void **state)
{
	struct callchain_call *call = (struct callchain_call *)(stack + 4);
	struct arch_regs regs = { .pc = NONE + 8, .sp = (uint64_t)stack, .fp = 1 };

	(void)state;
	collect(NONE, (const uint64_t[]){ 1, 1, 1, 1, KEPT + 16, KEPT_2 + 16, NONE + 16, KEPT, 0 });
	*call = (struct callchain_call){ NOWHERE, KEPT + 16, (uint64_t)(stack + 8), NULL };
	callchain_call = call;
	assert_int_equal(callchain_collect(&regs, chain, MOST), 6);
	assert_memory_equal(chain + 2,
	                    ((const uint64_t[]){ NOWHERE, KEPT + 16, KEPT_2 + 16, NONE + 16 }), 32);
	stack[9] = call->caller = NONE + 32;
	assert_int_equal(callchain_collect(&regs, chain, MOST), 4);
	assert_int_equal(chain[3], NONE + 32);
	fake_stack_high = 0;
	assert_int_equal(callchain_collect(&regs, chain, MOST), 4);
}

/* A call that does not return may be the last instruction of its image. */
static void a_caller_at_the_end_of_an_image_belongs_to_that_image(void **state)
{
	struct callchain_call *call = (struct callchain_call *)(stack + 4);
	struct arch_regs regs = { .pc = NONE + 8, .sp = (uint64_t)stack, .fp = 1 };

	(void)state;
	collect(NONE, (const uint64_t[]){ 1, 1, 1, 1, KEPT + SIZE, KEPT_2 + 16, 0 });
	*call = (struct callchain_call){ NOWHERE, KEPT + SIZE, (uint64_t)(stack + 8), NULL };
	callchain_call = call;
	assert_int_equal(callchain_collect(&regs, chain, MOST), 5);
	assert_int_equal(chain[4], KEPT_2 + 16);
}

static void images_of_an_earlier_recording_are_forgotten(void **state)
{
	(void)state;
	assert_non_null(callchain_image_at(KEPT));
	callchain_images_begin();
	assert_null(callchain_image_at(KEPT));
	for (uint64_t i = 1; i <= CALLCHAIN_IMAGES_MAX; i++)
		add(i * SIZE, CALLCHAIN_FRAMES_KEPT); /* each has room */
	for (uint64_t i = 1; i <= CALLCHAIN_IMAGES_MAX; i++)
		assert_non_null(callchain_image_at(i * SIZE));
}

static void an_image_that_has_gone_is_none(void **state)
{
	static const uint64_t callers[] = { KEPT_2 + 16, NONE + 16, 0 };

	(void)state;
	callchain_images_remove(KEPT_2 + 1);
	assert_int_equal(collect(KEPT + 8, callers), 2);
	callchain_images_remove(KEPT_2);
	assert_null(callchain_image_at(KEPT_2));
	assert_true(callchain_image_at(KEPT) && callchain_image_at(NONE) &&
	            callchain_image_at(UNKNOWN));
	assert_int_equal(collect(KEPT + 8, callers), 0);
	assert_int_equal(collect(KEPT + 8, (const uint64_t[]){ NONE + 16, 0 }), 1);
	callchain_images_remove(KEPT);
	assert_int_equal(collect(KEPT + 8, (const uint64_t[]){ NONE + 16, 0 }), 0);
}

static void more_images_than_there_is_room_for_are_none(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < CALLCHAIN_IMAGES_MAX; i++)
		add(0x1000000 - i * SIZE, CALLCHAIN_FRAMES_KEPT);
	assert_non_null(callchain_image_at(KEPT));
	assert_non_null(callchain_image_at(0x1000000));
	assert_null(callchain_image_at(0x1000000 - (CALLCHAIN_IMAGES_MAX - 1) * SIZE));
}

static void without_a_dependence_on_the_image_all_frames_are_followed(void **state)
{
	static const uint64_t callers[] = { NONE + 16, NOWHERE + 16, KEPT + 32, 0 };

	(void)state;
	callchain_images_end();
	assert_int_equal(collect(NONE + 8, callers), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    callers_are_followed_to_the_first_that_keeps_no_frames, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_unknown_pmu_counts_as_the_isas_common_one,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_a_frame_of_its_own_none_is_followed, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(the_caller_of_a_frameless_function_comes_first,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_caller_counts_as_one_of_the_frames, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(an_address_after_no_call_is_no_caller, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(a_wild_frame_pointer_leads_nowhere, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(an_unknown_stack_is_not_followed, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(the_waiting_code_and_its_caller_are_known, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(
		    a_caller_at_the_end_of_an_image_belongs_to_that_image, set_up, tear_down),
		cmocka_unit_test_setup_teardown(images_of_an_earlier_recording_are_forgotten,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_image_that_has_gone_is_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(more_images_than_there_is_room_for_are_none, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(
		    without_a_dependence_on_the_image_all_frames_are_followed, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
