/* SPDX-License-Identifier: MIT */
/* What is told of a complete region, and of one that lies. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/report/report.h"
#include "tests/unit/host-tools/region_fixture.h"

#define HOT  0x101000ULL
#define WARM 0x102000ULL
#define COLD 0x103000ULL

static struct fixture f;
static struct functions functions;
static char said[8192];
static size_t length;

static int begin(void **state)
{
	(void)state;
	fixture_init(&f, 0);
	functions_add(&functions, HOT, 0x100, "hot");
	functions_add(&functions, WARM, 0x100, "warm");
	functions_add(&functions, COLD, 0x100, "cold");
	functions_sort(&functions);
	return 0;
}

static int end(void **state)
{
	(void)state;
	functions_free(&functions);
	fixture_free(&f);
	return 0;
}

static void keep(void *context, const char *text, size_t size)
{
	(void)context;
	assert_true(length + size < sizeof(said));
	memcpy(said + length, text, size);
	length += size;
	said[length] = 0;
}

/* The report's text, or why there is none. */
static int report_of_region(void)
{
	struct error error = { "" };
	struct report *report;
	int code = report_open(&report, f.bytes, FIXTURE_SIZE, &functions, &error);

	length = 0;
	said[0] = 0;
	if (code == 0)
		report_print(report, keep, NULL);
	else
		assert_true(*error.text);
	report_close(report);
	return code;
}

static void machine_command_books_and_functions_are_told(void **state)
{
	(void)state;
	f.region.header->memory = 512ULL << 20;
	fixture_sample(&f, 0, 0, WARM, 300, 0);
	fixture_sample(&f, 0, 0, HOT + 0xff, 200, 2);
	fixture_sample(&f, 1, 0, HOT, 400, 0);
	fixture_sample(&f, 1, 0, 0xdead, 100, 0);
	fixture_sample(&f, 1, 1, COLD, 5000, 0); /* another event's */
	fixture_complete(&f);
	assert_int_equal(report_of_region(), 0);
	assert_string_equal(said,
	                    "machine: test, 2 CPUs: GenuineIntel, Test CPU (signature "
	                    "0x906ea), 512 MiB of RAM\n"
	                    "command: record -- test\n"
	                    "first: 4 generated = 4 written + 0 lost\n"
	                    "second: 1 generated = 1 written + 0 lost\n"
	                    "hottest functions by first, callees aside:\n"
	                    "    60.00%  hot\n"
	                    "    30.00%  warm\n");
}

static void how_it_ended_is_told(void **state)
{
	(void)state;
	fixture_sample(&f, 0, 0, HOT, 1, 0);
	fixture_complete(&f);
	trace_region_set_message(&f.region, 0, "stopped by a \x1b[1mkey");
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "\ncommand: record -- test\nstopped by a "));
	assert_null(strchr(said, '\x1b'));
}

static void looking_changes_no_byte(void **state)
{
	uint8_t *before = malloc(FIXTURE_SIZE);

	(void)state;
	fixture_sample(&f, 0, 0, HOT, 1, 0);
	fixture_complete(&f);
	memcpy(before, f.bytes, FIXTURE_SIZE);
	assert_int_equal(report_of_region(), 0);
	assert_memory_equal(before, f.bytes, FIXTURE_SIZE);
	free(before);
}

static void without_samples_of_the_first_the_second_event_is_ranked(void **state)
{
	(void)state;
	fixture_sample(&f, 1, 1, COLD, 7, 0);
	fixture_complete(&f);
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "functions by second, callees aside:\n   100.00%  cold\n"));
}

static void without_samples_there_is_no_ranking(void **state)
{
	(void)state;
	fixture_complete(&f);
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "second: 0 generated = 0 written + 0 lost\n"));
	assert_null(strstr(said, "hottest"));
}

static void what_was_lost_is_told(void **state)
{
	unsigned written = 0;

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		written += fixture_sample(&f, 0, 0, HOT, 1, 0);
	assert_in_range(written, 1, 299);
	fixture_complete(&f);
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "first: 300 generated = "));
	assert_null(strstr(said, "+ 0 lost\nsecond"));
	assert_null(strstr(said, "NOT CONSERVED"));
}

static void books_that_do_not_balance_are_told(void **state)
{
	(void)state;
	fixture_sample(&f, 0, 0, HOT, 1, 0);
	fixture_complete(&f);
	f.region.event_ledger[0].generated++;
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "first: 2 generated = 1 written + 0 lost: NOT CONSERVED\n"));
}

static void an_overwritable_ring_is_weighed(void **state)
{
	(void)state;
	fixture_free(&f);
	fixture_init(&f, TR_RING_BACKWARD);
	for (unsigned i = 0; i < 500; i++)
		fixture_sample(&f, 1, 0, i < 100 ? COLD : HOT, 1, 0);
	fixture_complete(&f);
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "   100.00%  hot\n")); /* the oldest are gone */
	assert_null(strstr(said, "cold"));
}

/* Records that lie end the ring, and what comes before them counts. */
static void a_broken_ring_is_weighed_up_to_where_it_is_broken(void **state)
{
	struct perf_event_header *second;
	uint8_t *data = f.bytes + f.region.rings[0].data_offset;

	(void)state;
	fixture_sample(&f, 0, 0, HOT, 1, 0);
	fixture_sample(&f, 0, 0, WARM, 1, 0);
	fixture_sample(&f, 1, 0, WARM, 3, 0);
	fixture_complete(&f);
	second = (void *)(data + ((struct perf_event_header *)data)->size);
	second->size = 4;
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "    75.00%  warm\n    25.00%  hot\n"));
}

static void samples_that_cannot_be_are_passed_over(void **state)
{
	uint64_t *words = (uint64_t *)(f.bytes + f.region.rings[0].data_offset);

	(void)state;
	fixture_sample(&f, 0, 0, HOT, 1, 2);
	fixture_sample(&f, 0, 0, WARM, 1, 0);
	fixture_sample(&f, 1, 0, COLD, 1, 0);
	fixture_complete(&f);
	words[7] = UINT64_MAX; /* of the first, how long its callchain is */
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "    50.00%  warm\n    50.00%  cold\n"));
}

static void text_that_would_steer_a_terminal_is_made_harmless(void **state)
{
	(void)state;
	memcpy(f.region.header->command, "a\033[2Jb\n\001", 8);
	memset(f.region.cpus[0].model, 'x', sizeof(f.region.cpus[0].model));
	fixture_complete(&f);
	assert_int_equal(report_of_region(), 0);
	assert_null(strchr(said, '\033'));
	assert_null(strchr(said, '\001'));
}

static void what_is_no_region_is_refused(void **state)
{
	(void)state;
	fixture_complete(&f);
	f.region.header->events.count = TR_MAX_EVENTS + 1;
	assert_int_equal(report_of_region(), -EPROTO);
	memset(f.bytes, 0, TR_PAGE);
	assert_true(report_of_region() < 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(machine_command_books_and_functions_are_told),
		TEST(how_it_ended_is_told),
		TEST(looking_changes_no_byte),
		TEST(without_samples_of_the_first_the_second_event_is_ranked),
		TEST(without_samples_there_is_no_ranking),
		TEST(what_was_lost_is_told),
		TEST(books_that_do_not_balance_are_told),
		TEST(an_overwritable_ring_is_weighed),
		TEST(a_broken_ring_is_weighed_up_to_where_it_is_broken),
		TEST(samples_that_cannot_be_are_passed_over),
		TEST(text_that_would_steer_a_terminal_is_made_harmless),
		TEST(what_is_no_region_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
