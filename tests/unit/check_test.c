/* SPDX-License-Identifier: MIT */
/* The conservation check: every word of a ledger is watched, and none may be wrong unnoticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "host-tools/check.h"
#include "tests/unit/region_fixture.h"

static struct ledger ledger;
static struct error error;

/* A balanced ledger: two rings, four events, some lost, an AUX area on ring 0. */
static void balance(void)
{
	for (uint32_t i = 0; i < ledger.head.event_count; i++) {
		struct ledger_event *event = &ledger.events[i];

		event->ledger = (struct tr_event_ledger){
			.generated = 110,
			.written = 100,
			.lost = 10,
			.count = 110500,
			.period = 110000,
			.period_lost = 10000,
			.residue = 500,
		};
		event->found =
		    (struct ledger_found){ .delivered = 100, .samples = 100, .period = 100000 };
	}
	for (uint32_t i = 0; i < ledger.head.ring_count; i++) {
		struct ledger_ring *ring = &ledger.rings[i];

		ring->ledger = (struct tr_ring_ledger){
			.lost = 20,
			.reported = 15,
			.lost_records = 3,
			.causes = { 4, 3, 2, 1 },
			.sent = 7,
			.coalesced = 3,
			.aux_written = 1000,
			.aux_overwritten = 200,
			.aux_skipped = 50,
		};
		ring->found = (struct ledger_ring_found){
			.lost = 15,
			.lost_records = 3,
			.aux_delivered = 700,
			.aux_unread = 50,
		};
		ring->ring.aux_size = TR_PAGE;
	}
	ledger.head.state = TR_COMPLETE;
	ledger.strangers = 0;
}

static int setup(void **state)
{
	struct fixture fixture;
	struct region region;

	(void)state;
	fixture_init(&fixture, 0);
	assert_int_equal(region_open(&region, fixture.bytes, FIXTURE_SIZE, false, &error), 0);
	assert_int_equal(region_load(&region, &error), 0);
	assert_int_equal(ledger_init(&ledger, &region, &error), 0);
	region_close(&region);
	fixture_free(&fixture);
	balance();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ledger_free(&ledger);
	return 0;
}

static bool conserved(void)
{
	return check_conserved(&ledger, NULL, NULL);
}

static void a_balanced_ledger_is_conserved(void **state)
{
	(void)state;
	assert_true(conserved());
}

/* Change each of these words by one, up and down: each time the check must fail. */
static void assert_watched(uint64_t *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		(*words[i])++;
		if (conserved())
			fail_msg("word %zu may be one too many", i);
		*words[i] -= 2;
		if (conserved())
			fail_msg("word %zu may be one too few", i);
		(*words[i])++;
	}
	assert_true(conserved());
}

static void every_count_of_an_event_is_watched(void **state)
{
	struct ledger_event *e = &ledger.events[1];
	uint64_t *const words[] = {
		&e->ledger.generated, &e->ledger.written,  &e->ledger.lost,
		&e->ledger.count,     &e->ledger.period,   &e->ledger.period_lost,
		&e->ledger.residue,   &e->found.delivered, &e->found.period,
	};

	(void)state;
	assert_watched(words, sizeof(words) / sizeof(words[0]));
}

static void every_count_of_a_ring_is_watched(void **state)
{
	struct ledger_ring *r = &ledger.rings[1];
	uint64_t *const words[] = {
		&r->ledger.lost,      &r->ledger.reported,    &r->ledger.lost_records,
		&r->ledger.causes[0], &r->ledger.causes[1],   &r->ledger.causes[2],
		&r->ledger.causes[3], &r->ledger.sent,        &r->ledger.coalesced,
		&r->found.lost,       &r->found.lost_records,
	};

	(void)state;
	assert_watched(words, sizeof(words) / sizeof(words[0]));
}

static void every_byte_of_an_aux_area_is_watched(void **state)
{
	struct ledger_ring *r = &ledger.rings[0];
	uint64_t *const words[] = {
		&r->ledger.aux_written,  &r->ledger.aux_overwritten, &r->ledger.aux_skipped,
		&r->found.aux_delivered, &r->found.aux_unread,
	};

	(void)state;
	assert_watched(words, sizeof(words) / sizeof(words[0]));
}

static void records_in_flight_are_only_for_a_machine_that_did_not_end(void **state)
{
	(void)state;
	ledger.events[0].ledger.generated++;
	assert_false(conserved());
	ledger.head.state = TR_PANIC;
	ledger.rings[0].found.ledger_fits = ledger.rings[1].found.ledger_fits = 1;
	assert_true(conserved());
	ledger.rings[1].found.ledger_fits = 0;
	assert_false(conserved());
}

static void a_record_of_a_stranger_is_unaccounted_for(void **state)
{
	(void)state;
	ledger.strangers = 1;
	assert_false(conserved());
}

static void overwritten_records_are_no_loss_in_an_overwritable_ring_alone(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		ledger.events[i].found.delivered = 40;
		ledger.events[i].found.period = 40000;
	}
	assert_false(conserved());
	ledger.rings[0].ring.flags = TR_RING_BACKWARD;
	assert_int_equal(check_overwritten(&ledger, &ledger.events[0]), 60);
	assert_true(conserved());
}

static void a_ledger_survives_the_file(void **state)
{
	struct ledger copy;
	struct blob blob = { 0 };

	(void)state;
	ledger_store(&ledger, &blob);
	assert_int_equal(ledger_parse(&copy, blob.bytes, blob.size, &error), 0);
	assert_int_equal(copy.head.event_count, 4);
	assert_memory_equal(copy.events, ledger.events, 4 * sizeof(*copy.events));
	assert_memory_equal(copy.rings, ledger.rings, 2 * sizeof(*copy.rings));
	assert_ptr_equal(ledger_find(&copy, 201), &copy.events[3]);
	assert_null(ledger_find(&copy, 999));
	ledger_free(&copy);
	blob_free(&blob);
}

static void a_damaged_ledger_is_refused(void **state)
{
	struct ledger copy;
	struct blob blob = { 0 };
	struct ledger_head *head;
	struct ledger_event *event;

	(void)state;
	ledger_store(&ledger, &blob);
	head = (struct ledger_head *)(void *)blob.bytes;
	for (size_t size = 0; size < blob.size; size += 61)
		assert_int_equal(ledger_parse(&copy, blob.bytes, size, &error), -EPROTO);
	head->event_count = UINT32_MAX;
	assert_int_equal(ledger_parse(&copy, blob.bytes, blob.size, &error), -EPROTO);
	head->event_count = 4;
	head->magic++;
	assert_int_equal(ledger_parse(&copy, blob.bytes, blob.size, &error), -EPROTO);
	head->magic--;
	event = (struct ledger_event *)(void *)((uint8_t *)(head + 1) +
	                                        head->cpu_count * sizeof(struct tr_cpu));
	event->event.ring = 2;
	assert_int_equal(ledger_parse(&copy, blob.bytes, blob.size, &error), -EPROTO);
	event->event.ring = 0;
	event->event.id = 101;
	assert_int_equal(ledger_parse(&copy, blob.bytes, blob.size, &error), -EPROTO);
	blob_free(&blob);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_balanced_ledger_is_conserved),
		TEST(every_count_of_an_event_is_watched),
		TEST(every_count_of_a_ring_is_watched),
		TEST(every_byte_of_an_aux_area_is_watched),
		TEST(records_in_flight_are_only_for_a_machine_that_did_not_end),
		TEST(a_record_of_a_stranger_is_unaccounted_for),
		TEST(overwritten_records_are_no_loss_in_an_overwritable_ring_alone),
		TEST(a_ledger_survives_the_file),
		TEST(a_damaged_ledger_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
