/* SPDX-License-Identifier: MIT */
/*
 * One thread fills a mirror while another reads, as drawn in channel.h: the data that a shown word
 * announces are there. Under TSan, which reports a byte that is read before it was shown as a data
 * race, even if that rarely happens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "abi/event_types.h"
#include "host-tools/region/mailbox.h"
#include "tests/unit/host-tools/region/channel_rig.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "writer/perfdata/perf_file.h"
#include "writer/region/region.h"

#define PIECES  3000U
#define PIECE   64U
#define REQUEST 7U

static struct fixture fixture;
static struct channel channel;
static struct region region;
static struct error error;
/* the reader has everything; from here on it takes no lock, which would order more */
static int has_all;

/* The byte at position p of the area. */
static uint8_t byte_at(uint64_t p)
{
	return (uint8_t)(p * 7 + p / 256 + 1);
}

/* The machine continues between two words that the cable brings: it writes another piece; at the
 * end it sets the state. */
static void go_on(void *unused)
{
	static unsigned pieces;
	uint8_t bytes[PIECE];

	(void)unused;
	for (unsigned i = 0; i < PIECE; i++)
		bytes[i] = byte_at(fixture.aux[0].head + i);
	if (pieces < PIECES) {
		pieces += fixture_piece(&fixture, 0, bytes, PIECE, 0);
	} else if (__atomic_load_n(&has_all, __ATOMIC_RELAXED) && pieces++ == PIECES) {
		fixture_complete(&fixture);
		__atomic_store_n(&fixture.region.mailbox->reply, REQUEST, __ATOMIC_RELEASE);
	}
}

/* Refresh until the reply is shown; the reader reads the announced data after the last refresh. */
static void *refresh(void *unused)
{
	struct error why = { "" };
	int status;

	while (!mailbox_answered(&region, REQUEST, &status) && channel_refresh(&channel, &why) >= 0)
		;
	return unused;
}

/* Read up to aux_head, because a record may be carried into a later one until there is room. */
static uint64_t take_area(uint64_t position)
{
	static uint8_t bytes[FIXTURE_AUX];
	struct region_positions at;

	region_positions(&region, 0, &at);
	assert_in_range(at.aux_head - position, 0, sizeof(bytes));
	region_read_aux(&region, 0, position, at.aux_head - position, bytes);
	for (uint64_t i = 0; i < at.aux_head - position; i++)
		assert_int_equal(bytes[i], byte_at(position + i));
	region_release_aux(&region, 0, at.aux_head, &error);
	return at.aux_head;
}

static void take_records(struct ring_reader *reader)
{
	const struct perf_event_header *record;
	struct region_positions at;

	assert_true(ring_reader_refresh(reader) >= 0);
	region_positions(&region, 0, &at);
	while (ring_reader_next(reader, &record) > 0) {
		const struct perf_record_aux *aux = (const void *)record;

		if (record->type == PERF_RECORD_AUX)
			assert_true(at.aux_head >= aux->aux_offset + aux->aux_size);
	}
	region_release_data(&region, 0, reader, &error);
}

/* Read a word as a reader that has seen a later word may; not by memcpy(), which TSan does not
 * check if the compiler inlines it. */
static uint64_t plain(uint64_t offset)
{
	return *(const uint64_t *)(const void *)((const uint8_t *)channel.bytes + offset);
}

static void the_data_that_a_shown_word_announces_are_there(void **state)
{
	static struct ring_reader reader;
	uint32_t shown_state;
	struct region_positions at;
	uint64_t position = 0, head;
	pthread_t thread;
	int status;

	(void)state;
	assert_int_equal(region_read_ring(&region, 0, &reader), 0);
	assert_int_equal(pthread_create(&thread, NULL, refresh, NULL), 0);
	while (position < (uint64_t)PIECES * PIECE) {
		position = take_area(position);
		take_records(&reader);
	}
	__atomic_store_n(&has_all, 1, __ATOMIC_RELAXED);
	while (!mailbox_answered(&region, REQUEST, &status))
		;
	shown_state = (uint32_t)plain(offsetof(struct tr_header, state));
	head = plain(region.rings[0].control + offsetof(struct perf_event_mmap_page, data_head));
	pthread_join(thread, NULL);
	region_positions(&region, 0, &at);
	assert_int_equal(head, at.data_head);
	assert_int_equal(shown_state, TR_COMPLETE);
}

static int setup(void **state)
{
	(void)state;
	fixture_init_aux(&fixture, PERF_TYPE_INTEL_BTS, false);
	assert_int_equal(channel_open_memory(&channel, fixture.bytes, FIXTURE_SIZE, true, &error),
	                 0);
	channel_rig_copying.meanwhile = go_on;
	assert_int_equal(copying_channel_wrap(&channel, &channel_rig_copying, &error), 0);
	channel_rig_bring(&channel);
	return region_open(&region, &channel, &error) || region_load(&region, &error);
}

static int teardown(void **state)
{
	(void)state;
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_data_that_a_shown_word_announces_are_there,
		                                setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
