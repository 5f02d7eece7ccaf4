/* SPDX-License-Identifier: MIT */
/* A machine's report of regions, parsed; its bytes may have any value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/stat/stat.h"

static void a_region_s_text_is_taken_apart(void **state)
{
	struct stat_region region;

	(void)state;
	assert_true(stat_regions_parse(&region, "region 20 12345 4020,-,18446744073709551615 a b"));
	assert_int_equal(region.calls, 20);
	assert_int_equal(region.time, 12345);
	assert_int_equal(region.counts[0], 4020);
	assert_true(region.counted[0]);
	assert_false(region.counted[1]);
	assert_true(region.counts[2] == UINT64_MAX);
	assert_false(region.counted[3]);
	assert_string_equal(region.name, "a b");
}

static void a_file_that_is_no_region_is_refused(void **state)
{
	static const char *const none[] = {
		"",
		"region",
		"region ",
		"regions 1 1 1 x",
		"region 1",
		"region 1 2",
		"region 1 2 3",
		"region x 2 3 n",
		"region 1 -2 3 n",
		"region 1 2 3,,4 n",
		"region 1 2 3;4 n",
		"region 1 2 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 n",
		"unmatched 3",
	};
	struct stat_region region;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_false(stat_regions_parse(&region, none[i]));
}

static void a_long_name_is_cut(void **state)
{
	struct stat_region region;
	char text[300];

	(void)state;
	memset(text, 'n', sizeof(text));
	memcpy(text, "region 1 2 3 ", 13);
	text[sizeof(text) - 1] = 0;
	assert_true(stat_regions_parse(&region, text));
	assert_int_equal(strlen(region.name), sizeof(region.name) - 1);
}

/* Two CPUs' regions, one of which both have. */
static void cpus_add_up_by_name_and_are_printed(void **state)
{
	static const char *const texts[] = {
		"region 2 1000 10,- both",
		"region 1 500 7,- one",
		"region 3 2000 20,- both",
	};
	struct ledger_event events[2] = {
		{ .event = { .name = "instructions", .evsel = 0 } },
		{ .event = { .name = "marks", .evsel = 1 } },
	};
	struct ledger ledger = { .head.event_count = 2, .events = events };
	struct stat_regions regions = { .all = calloc(3, sizeof(*regions.all)), .unmatched = 4 };
	const struct stat_options options = { .title = "x", .regions = &regions };
	char *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);

	(void)state;
	assert_non_null(regions.all);
	for (unsigned i = 0; i < 3; i++)
		assert_true(stat_regions_parse(&regions.all[regions.count++], texts[i]));
	stat_regions_sum(&regions);
	assert_int_equal(regions.count, 2);
	assert_int_equal(regions.all[0].calls, 5);
	assert_int_equal(regions.all[0].time, 3000);
	assert_int_equal(regions.all[0].counts[0], 30);
	assert_string_equal(regions.all[1].name, "one");
	stat_print(&ledger, &options, out);
	fclose(out);
	assert_non_null(strstr(page,
	                       " Region 'both': 5 times, 0.000003000 seconds\n\n"
	                       "                30      instructions\n\n"
	                       " Region 'one': 1 times, 0.000000500 seconds\n\n"
	                       "                 7      instructions\n"));
	assert_non_null(strstr(page, "\n 4 marks began or ended no region"));
	free(page);
	stat_regions_free(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_s_text_is_taken_apart),
		cmocka_unit_test(a_file_that_is_no_region_is_refused),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(cpus_add_up_by_name_and_are_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
