/* SPDX-License-Identifier: MIT */
/* Every P-th instruction that is begun is sampled, whatever blocks are executed and how far. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plugin/stage.h"

#define START 0x1000ULL

/* A block of count instructions of 4 bytes. */
static struct stage_block *block_of(uint32_t count)
{
	struct stage_block *block = malloc(sizeof(*block) + STAGE_BLOCK * sizeof(uint16_t));

	assert_non_null(block);
	*block = (struct stage_block){ .address = START, .count = count };
	for (uint32_t i = 0; i < count; i++)
		block->offsets[i] = (uint16_t)(4 * i);
	return block;
}

static void the_due_instruction_of_a_block_is_staged(void **state)
{
	struct stage_block *block = block_of(10);
	struct stage stage = { 0 };

	(void)state;
	/* 95 are done: the 5th of these is the 100th. */
	stage_fill(&stage, block, 95, 100);
	assert_int_equal(stage.count, 1);
	assert_int_equal(stage.pc[0], START + 4 * 4);
	assert_int_equal(stage.index[0], 4);
	/* 89 are done: the 100th is the one behind the block. */
	stage_fill(&stage, block, 89, 100);
	assert_int_equal(stage.count, 0);
	stage_fill(&stage, block, 90, 100);
	assert_int_equal(stage.count, 1);
	assert_int_equal(stage.index[0], 9);
	stage_fill(&stage, block, 99, 100);
	assert_int_equal(stage.index[0], 0);
	free(block);
}

static void a_short_period_samples_a_block_several_times(void **state)
{
	struct stage_block *block = block_of(10);
	struct stage stage = { 0 };
	uint64_t done = 2;

	(void)state;
	stage_fill(&stage, block, done, 3);
	assert_int_equal(stage.count, 4); /* its 1st, 4th, 7th and 10th */
	assert_int_equal(stage.index[3], 9);
	done += 10;
	for (int i = 0; i < 4; i++)
		assert_int_equal(stage_take(&stage, &done, 3), i);
	assert_int_equal(stage_take(&stage, &done, 3), -1);
	assert_int_equal(done, 0);
	stage_fill(&stage, block, 0, 1);
	assert_int_equal(stage.count, 10);
	free(block);
}

static void an_instruction_that_was_not_begun_is_no_sample(void **state)
{
	struct stage_block *block = block_of(10);
	struct stage stage = { 0 };
	uint64_t done = 95 + 4; /* the block ended before its 5th */

	(void)state;
	stage_fill(&stage, block, 95, 100);
	assert_int_equal(stage_take(&stage, &done, 100), -1);
	assert_int_equal(done, 99);
	done++;
	assert_int_equal(stage_take(&stage, &done, 100), 0);
	assert_int_equal(done, 0);
	free(block);
}

/* QEMU calls the plugin when its counter has reached stage_due(); the test compares so too. */
static void a_block_calls_if_and_only_if_it_may_reach_the_period(void **state)
{
	struct stage stage = { 0 };

	(void)state;
	for (uint32_t count = 1; count < 20; count++) {
		struct stage_block *block = block_of(count);

		for (uint64_t done = 0; done < 12; done++) {
			stage_fill(&stage, block, done, 12);
			assert_int_equal(done >= stage_due(12, count), stage.count > 0);
		}
		free(block);
	}
}

/* Random blocks, random early ends: the sum of the periods is the count, and each sample is the
 * instruction of its number. */
static void random_blocks_are_sampled_at_exact_distances(void **state)
{
	const uint64_t period = 97;
	struct stage stage = { 0 };
	uint64_t done = 0, total = 0, samples = 0, begun_at = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < 20000; i++) {
		struct stage_block *block = block_of(1 + (uint32_t)rand() % 40);
		uint32_t executed = rand() % 4 ? block->count : (uint32_t)rand() % block->count;
		int taken;

		while ((taken = stage_take(&stage, &done, period)) >= 0) {
			samples++;
			assert_int_equal(begun_at + stage.index[taken] + 1, samples * period);
		}
		assert_true(done < period);
		if (done >= stage_due(period, block->count)) {
			stage_fill(&stage, block, done, period);
			begun_at = total;
		}
		done += executed;
		total += executed;
		free(block);
	}
	assert_true(samples > 3000);
	assert_int_equal(samples * period + done, total);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_due_instruction_of_a_block_is_staged),
		cmocka_unit_test(a_short_period_samples_a_block_several_times),
		cmocka_unit_test(an_instruction_that_was_not_begun_is_no_sample),
		cmocka_unit_test(a_block_calls_if_and_only_if_it_may_reach_the_period),
		cmocka_unit_test(random_blocks_are_sampled_at_exact_distances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
