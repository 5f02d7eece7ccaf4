/* SPDX-License-Identifier: MIT */
/* Which positions of a ring are trusted after a reset, rule by rule; region_salvage_test.c tests
 * them at random, with caches that lose lines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/event_types.h"
#include "ringbuf/keep.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "writer/region/region_salvage.h"

#define HALF (FIXTURE_PAGES * TR_PAGE / 2)

static struct fixture fixture;
static uint8_t image[FIXTURE_SIZE];
static struct ring_keep keeps[FIXTURE_RINGS];

static void open_keeps(bool aux)
{
	for (unsigned i = 0; i < FIXTURE_RINGS; i++)
		keeps[i] = (struct ring_keep){
			.ring = &fixture.rings[i],
			.aux = aux ? &fixture.aux[i] : NULL,
			.area =
			    trace_region_at(&fixture.region, fixture.region.rings[i].aux_offset),
			.ledger = &fixture.region.ring_ledger[i],
			.events = &fixture.region.event_ledger[i * FIXTURE_EVENTS],
			.nr_events = FIXTURE_EVENTS,
			.stride = sizeof(struct tr_event_ledger),
		};
}

static uint64_t boundaries[FIXTURE_PAGES * TR_PAGE / 16]; /* begins and ends of ring 0's records */
static unsigned nr_boundaries;

/* the region's flags: a reader has read from it; it has unread records */
static bool was_read, has_unread;

/* The result of region_salvage(), and a ring's positions afterwards. */
static int salvage_ring_here(uint32_t ring, struct region_positions *found)
{
	struct channel channel;
	struct region region;
	struct error error = { "" };
	int code;

	memcpy(image, fixture.bytes, sizeof(image));
	assert_int_equal(channel_open_still(&channel, image, sizeof(image), &error), 0);
	assert_int_equal(region_open(&region, &channel, &error), 0);
	assert_int_equal(region_load(&region, &error), 0);
	code = region_salvage(&region, &error);
	assert_true(code == 0 || *error.text);
	region_positions(&region, ring, found);
	was_read = region_was_read(&region);
	has_unread = region_has_unread(&region);
	region_close(&region);
	channel_close(&channel);
	return code;
}

static void salvage_here(struct region_positions *found)
{
	assert_int_equal(salvage_ring_here(0, found), 0);
}

/* A run that continues, whose ring 0 is three quarters full. is_kept: a tick has written the rings'
 * bytes from the cache to memory. */
static void begin_by_hand(bool is_kept)
{
	struct ring *ring = &fixture.rings[0];

	fixture_init(&fixture, 0);
	fixture.region.is_kept = true;
	nr_boundaries = 0;
	boundaries[nr_boundaries++] = 0;
	while (ring->published < ring->size * 3 / 4) {
		fixture_sample(&fixture, 0, 0, 1, 1, (unsigned)(nr_boundaries % 3));
		boundaries[nr_boundaries++] = ring->published;
	}
	fixture_publish(&fixture);
	open_keeps(false);
	for (unsigned i = 0; is_kept && i < FIXTURE_RINGS; i++)
		ring_keep(&keeps[i], UINT64_MAX);
}

/* Its control page may be the last run's, so its tail does not belong to this run either. */
static void a_ring_that_was_never_cleaned_is_not_trusted(void **state)
{
	struct perf_event_mmap_page *control;
	struct region_positions at;

	(void)state;
	begin_by_hand(false);
	control = fixture.rings[0].control;
	control->data_tail = boundaries[2];
	control->aux_head = control->aux_tail = 64;
	salvage_here(&at);
	assert_int_equal(at.data_head, 0);
	assert_int_equal(at.data_tail, 0);
	assert_int_equal(at.aux_head, 0);
	assert_int_equal(at.aux_tail, 0);
	/* the seal is the last of the words that mark the data as kept */
	fixture.region.ring_ledger[0].kept_head = fixture.rings[0].published;
	salvage_here(&at);
	assert_int_equal(at.data_head, 0);
	fixture_free(&fixture);
}

/* The last tail that a reader stored may not have reached memory, and the ring was overwritten:
 * between two ticks less than half of a ring is written. */
static void with_a_reader_more_than_half_of_a_ring_is_not_trusted(void **state)
{
	struct region_positions at;
	uint64_t head;
	unsigned emptied = 0, whole = 0;

	(void)state;
	for (unsigned i = 0; i == 0 || i < nr_boundaries; i++) {
		begin_by_hand(false);
		keeps[0].has_reader = true;
		ring_keep(&keeps[0], UINT64_MAX);
		head = fixture.rings[0].published;
		fixture.rings[0].control->data_tail = boundaries[i];
		salvage_here(&at);
		assert_int_equal(at.data_tail, boundaries[i]);
		if (head - boundaries[i] > HALF)
			assert_int_equal(at.data_head, boundaries[i]);
		else
			assert_int_equal(at.data_head, head);
		emptied += head - boundaries[i] > HALF;
		whole += head - boundaries[i] <= HALF;
		fixture_free(&fixture);
	}
	assert_true(emptied > 5 && whole > 5);
}

static void without_one_all_of_it_is(void **state)
{
	struct region_positions at;

	(void)state;
	begin_by_hand(true);
	salvage_here(&at);
	assert_int_equal(at.data_head, fixture.rings[0].published);
	assert_int_equal(at.data_tail, 0);
	fixture_free(&fixture);
}

/* Its head decreases; everything that was written after a tick belongs to the next tick. */
static void a_backward_rings_head_is_the_one_that_was_kept(void **state)
{
	struct region_positions at;
	uint64_t head;

	(void)state;
	fixture_init(&fixture, TR_RING_BACKWARD);
	fixture_sample(&fixture, 1, 0, 1, 1, 0);
	fixture_publish(&fixture);
	open_keeps(false);
	ring_keep(&keeps[1], UINT64_MAX);
	head = fixture.rings[1].control->data_head;
	fixture_sample(&fixture, 1, 0, 1, 1, 0);
	assert_int_equal(salvage_ring_here(1, &at), 0);
	assert_int_equal(at.data_head, head);
	assert_false(was_read);
	fixture_free(&fixture);
}

/* A tick cleans a limited number of bytes, records first: records that report trace which was not
 * cleaned yet wait as well. */
static void records_of_trace_that_was_not_cleaned_are_not_trusted(void **state)
{
	static const uint8_t branches[24 * 40] = { 1, 2, 3 };
	struct region_positions at;
	uint64_t head, aux_head;

	(void)state;
	fixture_init_aux(&fixture, PERF_TYPE_INTEL_BTS, false);
	open_keeps(true);
	assert_true(fixture_piece(&fixture, 0, branches, sizeof(branches), 0));
	fixture_sample(&fixture, 0, 0, 1, 1, 0);
	fixture_publish(&fixture);
	ring_keep(&keeps[0], UINT64_MAX);
	head = fixture.rings[0].published;
	aux_head = fixture.aux[0].head;
	salvage_here(&at);
	assert_int_equal(at.data_head, head); /* a piece that ends where the cleaned bytes end */
	assert_true(fixture_piece(&fixture, 0, branches, sizeof(branches), 0));
	fixture_sample(&fixture, 0, 0, 1, 1, 0);
	fixture_publish(&fixture);
	/* no byte of the trace is cleaned */
	ring_keep(&keeps[0], fixture.rings[0].published - head);
	salvage_here(&at);
	assert_int_equal(at.data_head, head);
	assert_int_equal(at.aux_head, aux_head);
	/* the last part of the trace is not cleaned either */
	ring_keep(&keeps[0], sizeof(branches) - 8);
	salvage_here(&at);
	assert_int_equal(at.data_head, head);
	ring_keep(&keeps[0], 8);
	salvage_here(&at);
	assert_int_equal(at.data_head, fixture.rings[0].published);
	assert_int_equal(at.aux_head, fixture.aux[0].head);
	fixture_free(&fixture);
}

/* A run that had ended was cleaned completely, even after the last tick. */
static void a_region_that_had_ended_stays_as_it_is(void **state)
{
	struct region_positions at;

	(void)state;
	begin_by_hand(true);
	fixture_sample(&fixture, 0, 0, 1, 1, 0);
	fixture_complete(&fixture);
	salvage_here(&at);
	assert_int_equal(at.data_head, fixture.rings[0].published);
	assert_true(has_unread);
	assert_false(((struct tr_header *)(void *)image)->salvaged & TR_SALVAGED_CUT);
	fixture_free(&fixture);
}

static void a_readers_tail_shows_the_taken_bytes(void **state)
{
	struct region_positions at;

	(void)state;
	begin_by_hand(true);
	salvage_here(&at);
	assert_true(has_unread && !was_read);
	fixture.rings[0].control->data_tail = boundaries[1];
	salvage_here(&at);
	assert_true(has_unread && was_read);
	fixture.rings[0].control->data_tail = fixture.rings[0].published;
	salvage_here(&at);
	assert_true(!has_unread && was_read);
	fixture_sample(&fixture, 1, 0, 1, 1, 0); /* the other ring's sample */
	fixture_publish(&fixture);
	ring_keep(&keeps[1], UINT64_MAX);
	salvage_here(&at);
	assert_true(has_unread && was_read);
	fixture_free(&fixture);
}

static void a_machine_that_runs_is_refused_and_its_words_stay(void **state)
{
	struct channel channel;
	struct region region;
	struct error error = { "" };

	(void)state;
	begin_by_hand(true);
	memcpy(image, fixture.bytes, sizeof(image));
	assert_int_equal(channel_open_memory(&channel, fixture.bytes, FIXTURE_SIZE, true, &error),
	                 0);
	assert_int_equal(region_open(&region, &channel, &error), 0);
	assert_int_equal(region_load(&region, &error), 0);
	assert_int_equal(region_salvage(&region, &error), -EBUSY);
	assert_non_null(strstr(error.text, "still running"));
	assert_memory_equal(fixture.bytes, image, sizeof(image));
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
}

/* Version 1.2 did not tell how much of it is valid. */
static void an_older_machines_region_is_refused_and_stays_as_it_is(void **state)
{
	struct region_positions at;

	(void)state;
	begin_by_hand(false);
	fixture_header(&fixture)->version -= (fixture_header(&fixture)->version & 0xffff) -
	                                     (REGION_MINOR_KEPT - 1);
	assert_int_equal(salvage_ring_here(0, &at), -ENOTSUP);
	assert_int_equal(at.data_head, fixture.rings[0].published);
	fixture_free(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_that_was_never_cleaned_is_not_trusted),
		cmocka_unit_test(with_a_reader_more_than_half_of_a_ring_is_not_trusted),
		cmocka_unit_test(without_one_all_of_it_is),
		cmocka_unit_test(a_backward_rings_head_is_the_one_that_was_kept),
		cmocka_unit_test(records_of_trace_that_was_not_cleaned_are_not_trusted),
		cmocka_unit_test(a_region_that_had_ended_stays_as_it_is),
		cmocka_unit_test(a_readers_tail_shows_the_taken_bytes),
		cmocka_unit_test(a_machine_that_runs_is_refused_and_its_words_stay),
		cmocka_unit_test(an_older_machines_region_is_refused_and_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
