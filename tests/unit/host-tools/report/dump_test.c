/* SPDX-License-Identifier: MIT */
/* What `bareperf dump` finds in a region whose machine went on writing, or died doing so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "host-tools/report/dump.h"
#include "tests/unit/host-tools/region_fixture.h"

#define RING     1 /* the overwritable one */
#define SIZE     (FIXTURE_PAGES * TR_PAGE)
#define SAMPLE   64U /* bytes: 7 words of the fixture's samples, and a callchain of none */
#define IN_RING  (SIZE / SAMPLE)
#define UNSAFE   (SIZE / 4 / SAMPLE) /* may be in flight */
#define RECORDED (3 * IN_RING)

static struct fixture fixture;

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

static uint64_t samples_of(struct error *error)
{
	struct dump dump = { .quiet = true };
	char path[64];
	uint64_t samples;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fixture.fd);
	dump.path = path;
	if (dump_region(&dump, UINT64_MAX, error))
		fail_msg("%s", error->text);
	samples = dump.types[PERF_RECORD_SAMPLE];
	ledger_free(&dump.ledger);
	return samples;
}

static void what_was_in_flight_over_the_oldest_is_not_taken_for_records(void **state)
{
	const struct tr_ring *ring = &fixture.region.rings[RING];
	const struct perf_event_mmap_page *control =
	    trace_region_at(&fixture.region, ring->control);
	uint64_t next = (control->data_head - SAMPLE) & (SIZE - 1);
	struct error error = { "" };

	(void)state;
	memset(trace_region_at(&fixture.region, ring->data_offset + next), 0xff, SAMPLE);
	assert_int_equal(samples_of(&error), IN_RING - UNSAFE);
}

static void of_a_run_that_has_ended_the_oldest_is_there_as_well(void **state)
{
	struct error error = { "" };

	(void)state;
	fixture_complete(&fixture);
	assert_int_equal(samples_of(&error), IN_RING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(what_was_in_flight_over_the_oldest_is_not_taken_for_records),
		TEST(of_a_run_that_has_ended_the_oldest_is_there_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
