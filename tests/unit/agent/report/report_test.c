/* SPDX-License-Identifier: MIT */
/* The report of a complete region, and of one with false content. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/report/modules.h"
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

/* The report's text, or the reason why there is none. */
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

static void machine_command_ledger_and_functions_are_reported(void **state)
{
	(void)state;
	f.region.header->memory = 512ULL << 20;
	fixture_sample(&f, 0, 0, WARM, 300, 0);
	fixture_sample(&f, 0, 0, HOT + 0xff, 200, 2);
	fixture_sample(&f, 1, 0, HOT, 400, 0);
	fixture_sample(&f, 1, 0, 0xdead, 100, 0);
	fixture_sample(&f, 1, 1, COLD, 5000, 0); /* another event's sample */
	fixture_complete(&f);
	assert_int_equal(report_of_region(), 0);
	assert_string_equal(said,
	                    "machine: test, 2 CPUs: GenuineIntel, Test CPU (signature "
	                    "0x906ea), 512 MiB of RAM\n"
	                    "command: record -- test\n"
	                    "first: 4 samples generated = 4 written + 0 lost\n"
	                    "second: 1 samples generated = 1 written + 0 lost\n"
	                    "hottest functions by first, callees aside:\n"
	                    "    60.00%  hot\n"
	                    "    30.00%  warm\n");
}

static void how_it_ended_is_reported(void **state)
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
	assert_non_null(strstr(said, "second: 0 samples generated = 0 written + 0 lost\n"));
	assert_null(strstr(said, "hottest"));
}

static void lost_samples_are_reported(void **state)
{
	unsigned written = 0;

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		written += fixture_sample(&f, 0, 0, HOT, 1, 0);
	assert_in_range(written, 1, 299);
	fixture_complete(&f);
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "first: 300 samples generated = "));
	assert_null(strstr(said, "+ 0 lost\nsecond"));
	assert_null(strstr(said, "NOT CONSERVED"));
}

static void a_ledger_that_does_not_balance_is_reported(void **state)
{
	(void)state;
	fixture_sample(&f, 0, 0, HOT, 1, 0);
	fixture_complete(&f);
	f.region.event_ledger[0].generated++;
	assert_int_equal(report_of_region(), 0);
	assert_non_null(
	    strstr(said, "first: 2 samples generated = 1 written + 0 lost: NOT CONSERVED\n"));
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
	assert_non_null(strstr(said, "   100.00%  hot\n")); /* the oldest records are gone */
	assert_null(strstr(said, "cold"));
}

/* A record like those for images that firmware loads; a wrong size cuts its name off. */
static void image(uint64_t start, uint64_t length_of, const char *name, bool lies)
{
	struct ring_account *account = &f.accounts[0];
	uint32_t text = (uint32_t)(strlen(name) + 8) / 8 * 8, size = 72 + text + 8;
	struct perf_event_header *header;
	struct ring_output out;
	uint64_t *words;

	header = ring_reserve(&out, &f.rings[0], account, size);
	assert_non_null(header);
	memset(header, 0, size);
	*header = (struct perf_event_header){ PERF_RECORD_MMAP2, 0, (uint16_t)size };
	words = (uint64_t *)(void *)header;
	words[2] = start;
	words[3] = length_of;
	memcpy((char *)header + 72, name, strlen(name));
	if (lies)
		memset((char *)header + 72, 'x', text);
	words[size / 8 - 1] = account->id;
	ring_commit(&out);
}

static void an_address_without_a_symbol_is_shown_by_its_module(void **state)
{
	(void)state;
	image(0x200000, 0x1000, "/b/DxeCore.dll", false);
	image(0x300000, 0x2000, "\\tools\\app.efi", false);
	fixture_sample(&f, 0, 0, 0x301a40, 50, 0);
	fixture_sample(&f, 0, 0, 0x301a44, 20, 0);
	fixture_sample(&f, 0, 0, 0x200010, 5, 0);
	fixture_sample(&f, 0, 0, HOT, 10, 0);
	fixture_sample(&f, 0, 0, 0x302000, 5, 0); /* behind it */
	image(0x300000, 0x2000, "//anon", false);
	fixture_sample(&f, 0, 0, 0x301a44, 4, 0); /* nobody's */
	image(0x301000, 0x1000, "b.efi", false);
	fixture_sample(&f, 0, 0, 0x301a44, 5, 0);
	/* overlaps a part of the image above, so the whole image is gone */
	image(0x301800, 0x1000, "app.efi", false);
	fixture_sample(&f, 0, 0, 0x301a44, 1, 0);
	fixture_complete(&f);
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "first: 8 samples generated = 8 written + 0 lost\n"));
	assert_non_null(strstr(said,
	                       "hottest functions by first, callees aside:\n"
	                       "    71.00%  app.efi, most at app.efi+0x1a40\n"
	                       "    10.00%  hot\n"
	                       "     5.00%  DxeCore.dll, most at DxeCore.dll+0x10\n"
	                       "     5.00%  b.efi, most at b.efi+0xa44\n"));
}

static void images_that_lie_do_no_harm(void **state)
{
	(void)state;
	image(0x200000, UINT64_MAX, "to the end\033", false);
	fixture_sample(&f, 0, 0, UINT64_MAX - 1, 3, 0);
	image(0x400000, 0x1000, "no NUL in this one", true);
	fixture_sample(&f, 0, 0, 0x400000, 1, 0);
	fixture_complete(&f);
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "    75.00%  to the end?, most at to the end?+0xff"));
	assert_non_null(strstr(said, "    25.00%  xxxxxxxxxxxxxxxxxxxxxxxxd, most at "));
}

/* More addresses than can be distinguished; the sum includes all. */
static void a_module_has_the_weight_of_all_its_addresses(void **state)
{
	struct modules modules = { 0 };
	const struct module *hottest[2];

	(void)state;
	modules_map(&modules, 0x1000, 0x10000, "a.efi", sizeof("a.efi"));
	modules_map(&modules, 0x20000, 0x10000, "b.efi", sizeof("b.efi"));
	modules_weigh(&modules, 0x20008, 7);
	for (uint64_t i = 0; i < 0x10000; i++)
		modules_weigh(&modules, 0x1000 + i, i == 0x123 ? 4 : 1);
	assert_int_equal(modules_hottest(&modules, hottest, 2), 2);
	assert_string_equal(hottest[0]->name, "a.efi");
	assert_int_equal(hottest[0]->weight, 0x10003);
	assert_int_equal(hottest[0]->hottest, 0x123);
	assert_int_equal(hottest[1]->weight, 7);
	assert_int_equal(hottest[1]->hottest, 8);
	modules_free(&modules);
}

/* A reader has taken the missing records; nobody knows which of them were samples. */
static void overwritten_records_count_as_records(void **state)
{
	(void)state;
	image(0x200000, 0x1000, "a.efi", false);
	fixture_sample(&f, 0, 0, HOT, 1, 0);
	fixture_complete(&f);
	f.region.event_ledger[0].generated++;
	f.region.event_ledger[0].written++;
	assert_int_equal(report_of_region(), 0);
	assert_non_null(strstr(said, "first: 3 records generated = 3 written + 0 lost\n"));
}

/* A corrupt record ends the ring; the records before it count. */
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
	words[7] = UINT64_MAX; /* length of the first sample's callchain */
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

static void a_file_that_is_no_region_is_refused(void **state)
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
		TEST(machine_command_ledger_and_functions_are_reported),
		TEST(how_it_ended_is_reported),
		TEST(looking_changes_no_byte),
		TEST(without_samples_of_the_first_the_second_event_is_ranked),
		TEST(without_samples_there_is_no_ranking),
		TEST(lost_samples_are_reported),
		TEST(a_ledger_that_does_not_balance_is_reported),
		TEST(an_overwritable_ring_is_weighed),
		TEST(an_address_without_a_symbol_is_shown_by_its_module),
		TEST(images_that_lie_do_no_harm),
		TEST(a_module_has_the_weight_of_all_its_addresses),
		TEST(overwritten_records_count_as_records),
		TEST(a_broken_ring_is_weighed_up_to_where_it_is_broken),
		TEST(samples_that_cannot_be_are_passed_over),
		TEST(text_that_would_steer_a_terminal_is_made_harmless),
		TEST(a_file_that_is_no_region_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
