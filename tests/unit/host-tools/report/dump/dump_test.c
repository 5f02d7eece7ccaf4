/* SPDX-License-Identifier: MIT */
/* `bareperf dump` of a region whose machine continued to write, or died while writing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/ledger/check.h"
#include "host-tools/report/dump/dump.h"
#include "host-tools/report/dump/dump_text.h"
#include "tests/unit/host-tools/region_fixture.h"

#define FORWARD  0
#define RING     1 /* the overwritable ring */
#define SIZE     (FIXTURE_PAGES * TR_PAGE)
#define SAMPLE   64U /* bytes: 7 words of a fixture's sample, and an empty callchain */
#define IN_RING  (SIZE / SAMPLE)
#define UNSAFE   (SIZE / 4 / SAMPLE) /* records that may be in flight */
#define RECORDED (3 * IN_RING)
#define DUMPS    300 /* dumps while the machine runs */

static struct fixture fixture;
static struct format format;

static int setup(void **state)
{
	(void)state;
	fixture_init(&fixture, TR_RING_BACKWARD);
	for (unsigned i = 0; i < RECORDED; i++)
		assert_true(fixture_sample(&fixture, RING, 0, 0x101000, 1000, 0));
	fixture_publish(&fixture);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fixture_free(&fixture);
	return 0;
}

static void take_to(struct dump *dump, int fd)
{
	struct error error = { "" };
	char path[64];

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fixture.fd);
	format_init(&format, fd);
	*dump = (struct dump){ .path = path, .format = &format, .hex = true };
	if (dump_region(dump, &CHANNEL_ANY_FILE, &error))
		fail_msg("%s", error.text);
	dump->path = NULL;
}

/* Dump all bytes in hexadecimal, which takes the longest time, and discard the text. */
static void take(struct dump *dump)
{
	int null = open("/dev/null", O_WRONLY);

	take_to(dump, null);
	close(null);
}

static uint64_t samples_of(void)
{
	struct dump dump;
	uint64_t samples;

	take(&dump);
	samples = dump.types[PERF_RECORD_SAMPLE];
	ledger_free(&dump.ledger);
	return samples;
}

static void bytes_in_flight_over_the_oldest_records_are_no_records(void **state)
{
	const struct tr_ring *ring = &fixture.region.rings[RING];
	const struct perf_event_mmap_page *control =
	    trace_region_at(&fixture.region, ring->control);
	uint64_t next = (control->data_head - SAMPLE) & (SIZE - 1);

	(void)state;
	memset(trace_region_at(&fixture.region, ring->data_offset + next), 0xff, SAMPLE);
	assert_int_equal(samples_of(), IN_RING - UNSAFE);
}

static void after_the_runs_end_the_oldest_record_is_kept(void **state)
{
	(void)state;
	fixture_complete(&fixture);
	assert_int_equal(samples_of(), IN_RING);
}

static atomic_bool is_over;

/* A machine that records as fast as it can, and a reader that takes everything at once. */
static void *run(void *arg)
{
	const struct tr_ring *ring = &fixture.region.rings[FORWARD];
	struct perf_event_mmap_page *control = trace_region_at(&fixture.region, ring->control);

	while (!is_over) {
		for (unsigned i = 0; i < IN_RING - 16; i++)
			fixture_sample(&fixture, FORWARD, 0, 0x101000, 1000, i % 4);
		fixture_publish(&fixture);
		__atomic_store_n(&control->data_tail, control->data_head, __ATOMIC_RELEASE);
	}
	return arg;
}

static void space_released_by_another_reader_is_no_broken_ring(void **state)
{
	pthread_t machine;
	uint64_t seen = 0;

	(void)state;
	is_over = false;
	assert_int_equal(pthread_create(&machine, NULL, run, NULL), 0);
	for (int i = 0; i < DUMPS; i++) {
		struct dump dump;

		take(&dump);
		assert_int_equal(dump.ledger.strangers, 0);
		seen += dump.records + dump.skipped;
		ledger_free(&dump.ledger);
	}
	is_over = true;
	pthread_join(machine, NULL);
	assert_true(seen > DUMPS);
}

static void records_newer_than_a_dead_machines_ledger_are_counted_apart(void **state)
{
	const struct ledger_found *found;
	struct dump dump;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		assert_true(fixture_sample(&fixture, FORWARD, 0, 0x101000, 1000, 0));
	take(&dump);
	found = &dump.ledger.events[0].found;
	assert_int_equal(found->delivered, 5);
	assert_int_equal(found->newer, 5);
	assert_true(check_conserved(&dump.ledger, NULL, NULL));
	ledger_free(&dump.ledger);
}

/* The place in the region, also after the ring has wrapped several times. */
static void each_record_is_reported_with_its_place(void **state)
{
	const struct tr_ring *ring = &fixture.region.rings[RING];
	const struct perf_event_mmap_page *control =
	    trace_region_at(&fixture.region, ring->control);
	static char text[1 << 20];
	FILE *file = tmpfile();
	struct dump dump;
	char line[64];

	(void)state;
	assert_non_null(file);
	fixture_complete(&fixture);
	take_to(&dump, fileno(file));
	format_flush(&format);
	/* the records are in the region's own memory, still unread */
	assert_true(dump.ledger.of_region);
	ledger_free(&dump.ledger);
	assert_in_range(pread(fileno(file), text, sizeof(text) - 1, 0), 1, sizeof(text) - 2);
	fclose(file);
	for (uint64_t i = 0; i < IN_RING; i++) {
		unsigned long long at = ring->data_offset +
		                        ((control->data_head + i * SAMPLE) & (SIZE - 1));

		snprintf(line, sizeof(line), " 0x%llx [0x40]: PERF_RECORD_SAMPLE", at);
		if (!strstr(text, line))
			fail_msg("no%s", line);
	}
}

static void a_records_text_has_all_that_is_in_it(void **state)
{
	static const char expected[] =
	    "0 385000 0x6000 [0x58]: PERF_RECORD_SAMPLE(IP, 0x2): 1/1: 0x101000 period: 1000 "
	    "addr: 0x0 event: first\n"
	    "... FP chain: nr:3\n"
	    ".....  0: fffffffffffffe00\n"
	    ".....  1: 0000000000101010\n"
	    ".....  2: 0000000000101020\n"
	    ".  0000000000000000: 09 00 00 00 02 00 58 00 64 00 00 00 00 00 00 00\n"
	    ".  0000000000000010: 00 10 10 00 00 00 00 00 01 00 00 00 01 00 00 00\n"
	    ".  0000000000000020: e8 df 05 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
	    ".  0000000000000030: e8 03 00 00 00 00 00 00 03 00 00 00 00 00 00 00\n"
	    ".  0000000000000040: 00 fe ff ff ff ff ff ff 10 10 10 00 00 00 00 00\n"
	    ".  0000000000000050: 20 10 10 00 00 00 00 00\n";
	char text[sizeof(expected)] = "";
	FILE *file = tmpfile();
	struct dump dump;

	(void)state;
	assert_non_null(file);
	assert_true(fixture_sample(&fixture, FORWARD, 0, 0x101000, 1000, 3));
	take_to(&dump, fileno(file));
	format_flush(&format);
	ledger_free(&dump.ledger);
	assert_int_equal(pread(fileno(file), text, sizeof(text) - 1, 0), sizeof(text) - 1);
	fclose(file);
	assert_string_equal(text, expected);
}

/* The printed text of one record. */
static void assert_printed(const uint64_t *words, uint64_t sample_type, uint64_t read_format,
                           const char *expected)
{
	const struct perf_event_attr attr = { .sample_type = sample_type,
		                              .read_format = read_format };
	const struct dump_context context = { .offset = 0x40, .attr = &attr, .event = "name" };

	format_init(&format, -1);
	dump_record(&format, (const struct perf_event_header *)(const void *)words, &context);
	*format.at = 0;
	assert_string_equal(format.buffer, expected);
}

static void counts_and_losses_are_reported_with_their_ids(void **state)
{
	static const uint64_t lost[] = { PERF_RECORD_LOST | 4ULL * 8 << 48, 7, 55, 7 };
	static const uint64_t plain[] = { PERF_RECORD_SAMPLE | 5ULL * 8 << 48, 7, 2, 100, 200 };
	static const uint64_t ids[] = { PERF_RECORD_SAMPLE | 7ULL * 8 << 48, 7, 2, 100, 8, 200, 9 };
	const uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_READ;

	(void)state;
	assert_printed(lost, PERF_SAMPLE_IDENTIFIER, 0,
	               "- 0 0x40 [0x20]: PERF_RECORD_LOST id:7: lost:55\n");
	assert_printed(
	    plain, type, PERF_FORMAT_GROUP,
	    "- 0 0x40 [0x28]: PERF_RECORD_SAMPLE(IP, 0x0): 0/0: 0x0 period: 0 addr: 0x0 "
	    "event: name\n... sample_read:\n..... id 0, value 100\n..... id 0, value 200\n");
	assert_printed(
	    ids, type, PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	    "- 0 0x40 [0x38]: PERF_RECORD_SAMPLE(IP, 0x0): 0/0: 0x0 period: 0 addr: 0x0 "
	    "event: name\n... sample_read:\n..... id 8, value 100\n..... id 9, value 200\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(bytes_in_flight_over_the_oldest_records_are_no_records),
		TEST(after_the_runs_end_the_oldest_record_is_kept),
		TEST(space_released_by_another_reader_is_no_broken_ring),
		TEST(a_records_text_has_all_that_is_in_it),
		TEST(counts_and_losses_are_reported_with_their_ids),
		TEST(each_record_is_reported_with_its_place),
		TEST(records_newer_than_a_dead_machines_ledger_are_counted_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
