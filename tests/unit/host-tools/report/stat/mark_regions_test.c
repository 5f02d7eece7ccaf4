/* SPDX-License-Identifier: MIT */
/* Marks as the page's time line has them: regions with a length, moments without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/html/html_records.h"

static struct html_records records;
static struct series_set *const set = &records.series;
static char *page;
static size_t size;

static int set_up(void **state)
{
	(void)state;
	memset(&records, 0, sizeof(records));
	records.marks.show = html_records_mark;
	records.marks.context = &records;
	set->out = open_memstream(&page, &size);
	return !set->out;
}

static int tear_down(void **state)
{
	(void)state;
	fclose(set->out);
	free(page);
	html_records_free(&records);
	return 0;
}

static void mark(uint32_t cpu, uint64_t time, const char *text)
{
	struct sample sample = {
		.cpu = cpu,
		.time = time,
		.raw = (const uint8_t *)text,
		.raw_size = (uint32_t)strlen(text) + 1,
	};

	assert_int_equal(mark_regions_add(&records.marks, 7, &sample), 0);
}

/* For a CPU: the begin of its first mark, of its last, and the sum of all lengths. */
static void holds(uint32_t cpu, uint32_t count, uint64_t first, uint64_t last, uint64_t length)
{
	for (uint32_t i = 0; i < set->chunk_count; i++) {
		const struct series_chunk *chunk = &set->chunks[i];

		if (chunk->key.cpu != cpu)
			continue;
		assert_int_equal(chunk->key.kind, SERIES_MARKS);
		assert_int_equal(chunk->key.event, 7);
		assert_int_equal(chunk->samples, count);
		assert_int_equal(chunk->first, first);
		assert_int_equal(chunk->last, last);
		assert_int_equal(chunk->weight, length);
		return;
	}
	fail();
}

static void regions_nest_and_are_of_their_cpu(void **state)
{
	(void)state;
	mark(0, 100, "begin a");
	mark(1, 110, "begin a");
	mark(0, 120, "begin b");
	mark(0, 125, "moment");
	mark(0, 130, "begin a"); /* inside itself */
	mark(0, 131, "end a");
	mark(0, 150, "end b");
	mark(1, 160, "end a");
	mark(0, 200, "end a");
	assert_int_equal(mark_regions_end(&records.marks, 300), 0);
	assert_int_equal(series_flush(set), 0);
	assert_int_equal(records.marks.names.count, 3);
	holds(0, 4, 100, 130, 1 + 30 + 100);
	holds(1, 1, 110, 110, 50);
}

static void an_unmatched_mark_is_shown_too(void **state)
{
	(void)state;
	mark(0, 100, "end before");
	mark(0, 120, "begin after");
	mark(0, 130, "begin open");
	mark(0, 140, "end after");
	assert_int_equal(mark_regions_end(&records.marks, 170), 0);
	assert_int_equal(series_flush(set), 0);
	holds(0, 3, 100, 130, 0 + 20 + 40);
}

static void bytes_that_are_no_text_are_left_out(void **state)
{
	struct sample sample = { .raw = (const uint8_t *)"\1%d", .raw_size = 4 };

	(void)state;
	assert_int_equal(mark_regions_add(&records.marks, 7, &sample), 0);
	sample.raw = (const uint8_t *)"text";
	assert_int_equal(mark_regions_add(&records.marks, 7, &sample), 0); /* without an end */
	assert_int_equal(mark_regions_end(&records.marks, 0), 0);
	assert_int_equal(series_flush(set), 0);
	assert_int_equal(set->chunk_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(regions_nest_and_are_of_their_cpu, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(an_unmatched_mark_is_shown_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bytes_that_are_no_text_are_left_out, set_up,
		                                tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
