/* SPDX-License-Identifier: MIT */
/* The samples that a live view keeps: exact sums in bounded memory; and whether a machine with a
 * slow line must sample less often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host-tools/top/top_counts.h"
#include "host-tools/top/top_slow.h"

#define MOST     64U
#define EVENTS   3U
#define FUNCTION 0x1000U /* bytes of a function; below NAMELESS */
#define NAMELESS 0x100000U

static struct top_counts counts;
static unsigned asked;

static int setup(void **state)
{
	(void)state;
	asked = 0;
	return top_counts_open(&counts, MOST, EVENTS);
}

static int teardown(void **state)
{
	(void)state;
	top_counts_close(&counts);
	return 0;
}

static uint64_t function_of(void *context, uint64_t address)
{
	assert_ptr_equal(context, &asked);
	asked++;
	return address < NAMELESS ? address - address % FUNCTION : TOP_NOWHERE;
}

static void add(uint64_t address, uint32_t event, char level, uint64_t weight)
{
	const struct top_place sample = { address, weight, 1, event, level };

	top_counts_add(&counts, &sample, function_of, &asked);
}

/* The place of an address if it is kept, or NULL. */
static const struct top_place *find(uint64_t address, uint32_t event, char level)
{
	for (uint32_t i = 0; i < top_counts_places(&counts); i++) {
		const struct top_place *place = top_counts_place(&counts, i);

		if (place->address == address && place->event == event &&
		    (address == TOP_NOWHERE || place->level == level))
			return place;
	}
	return NULL;
}

/* The sums over all places equal those over all samples. */
static void assert_whole(uint64_t samples, uint64_t weight)
{
	uint64_t found_samples = 0, found_weight = 0;

	for (uint32_t i = 0; i < top_counts_places(&counts); i++) {
		found_samples += top_counts_place(&counts, i)->samples;
		found_weight += top_counts_place(&counts, i)->weight;
	}
	assert_int_equal(found_samples, samples);
	assert_int_equal(found_weight, weight);
	assert_int_equal(counts.samples, samples);
	assert_int_equal(counts.weight, weight);
}

static void a_place_is_an_address_an_event_and_a_level(void **state)
{
	(void)state;
	add(0x1234, 0, '.', 10);
	add(0x1234, 0, '.', 5);
	add(0x1234, 1, '.', 100);
	add(0x1234, 0, 'k', 1000);
	add(0, 2, '.', 1);
	assert_int_equal(counts.count, 4);
	assert_int_equal(find(0x1234, 0, '.')->weight, 15);
	assert_int_equal(find(0x1234, 0, '.')->samples, 2);
	assert_int_equal(find(0x1234, 1, '.')->weight, 100);
	assert_int_equal(find(0x1234, 0, 'k')->weight, 1000);
	assert_int_equal(find(0, 2, '.')->samples, 1);
	assert_whole(5, 1116);
	assert_int_equal(asked, 0);
}

static void however_many_addresses_no_more_is_kept_and_no_sum_lacks_any(void **state)
{
	const struct top_place *places = counts.places;
	uint64_t samples = 0, weight = 0;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		add(i * 16 % (2 * NAMELESS), (uint32_t)(i % EVENTS), '.', i);
		samples++;
		weight += i;
		assert_true(counts.count <= MOST);
	}
	assert_whole(samples, weight);
	assert_ptr_equal(counts.places, places);
	assert_int_equal(counts.count, MOST);
	assert_true(counts.coarse > 0 && counts.placeless > 0);
	assert_true(find(TOP_NOWHERE, 0, 0)->samples + find(TOP_NOWHERE, 1, 0)->samples +
	                find(TOP_NOWHERE, 2, 0)->samples ==
	            counts.placeless);
}

static void an_address_beyond_the_limit_counts_for_its_functions_first_byte(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < MOST / 4 * 3; i++)
		add(0x5000 + i, 0, '.', 1);
	assert_int_equal(asked, 0);
	assert_int_equal(counts.coarse, 0);
	add(0x5003, 0, '.', 7); /* known places are kept */
	assert_int_equal(find(0x5003, 0, '.')->weight, 8);
	add(0x5fff, 0, '.', 30);
	assert_int_equal(find(0x5000, 0, '.')->weight, 31);
	add(0x6789, 0, '.', 40);
	add(0x6799, 0, '.', 2);
	assert_null(find(0x6789, 0, '.'));
	assert_int_equal(find(0x6000, 0, '.')->weight, 42);
	assert_int_equal(counts.coarse, 3);
	add(NAMELESS, 1, '.', 9); /* without a function */
	assert_int_equal(counts.placeless, 1);
	assert_int_equal(find(TOP_NOWHERE, 1, 0)->weight, 9);
}

static void cleared_counts_are_as_new(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		add(2 * NAMELESS + i, 1, '.', 1);
	top_counts_clear(&counts);
	assert_whole(0, 0);
	assert_int_equal(counts.count + counts.coarse + counts.placeless, 0);
	add(7, 1, '.', 1);
	assert_int_equal(find(7, 1, '.')->samples, 1);
	assert_whole(1, 1);
}

/* ---- A slow line ---- */

static void a_machine_is_informed_when_its_ring_fills_or_loses(void **state)
{
	(void)state;
	assert_int_equal(top_slow_factor(1000, 1000, 0, 0.1), 1);
	assert_int_equal(top_slow_factor(1000, 100, 0, 0.5), 1); /* it was only late */
	assert_int_equal(top_slow_factor(1000, 1000, 0, 0.6), 2);
	assert_int_equal(top_slow_factor(1000, 1000, 1, 0), 2);
	assert_int_equal(top_slow_factor(0, 0, 5, 1), 1); /* nothing has come to compare with */
}

static void the_factor_is_the_sampled_over_the_received_weight(void **state)
{
	(void)state;
	assert_int_equal(top_slow_factor(2000, 1000, 500, 1), 2);
	assert_int_equal(top_slow_factor(2001, 1000, 500, 1), 4);
	assert_int_equal(top_slow_factor(16000, 1000, 15000, 1), 16);
	assert_int_equal(top_slow_factor(1000, 0, 1000, 1), 4096);
	assert_int_equal(top_slow_factor(UINT64_MAX / 2, 1, 1, 1), 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_place_is_an_address_an_event_and_a_level),
		TEST(however_many_addresses_no_more_is_kept_and_no_sum_lacks_any),
		TEST(an_address_beyond_the_limit_counts_for_its_functions_first_byte),
		TEST(cleared_counts_are_as_new),
		TEST(a_machine_is_informed_when_its_ring_fills_or_loses),
		TEST(the_factor_is_the_sampled_over_the_received_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
