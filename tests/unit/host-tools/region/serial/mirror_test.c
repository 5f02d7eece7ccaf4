/* SPDX-License-Identifier: MIT */
/* The content of a mirror while its machine writes, is reset, sends false data, or disappears. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/region/serial/mirror.h"
#include "tests/unit/writer/session/session_rig.h"

#define SEED_BYTES 4096U

static bool is_stopped;

static int setup(void **state)
{
	(void)state;
	channel_rig_copies = true;
	channel_rig_copying = (struct copying_options){ .piece = 16384 };
	fixture_init(&fixture, 0);
	is_stopped = false;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	channel_close(&channel);
	fixture_free(&fixture);
	return 0;
}

static void open_mirror(void)
{
	channel_rig_open(&channel, fixture.fd, FIXTURE_SIZE, NULL);
}

static int look(void)
{
	int code;

	do {
		code = channel_refresh(&channel, &error);
	} while (code > 0);
	return code;
}

static const void *shown(size_t offset)
{
	return (const uint8_t *)channel.bytes + offset;
}

static void sizes_that_cannot_be_are_refused(void **state)
{
	static const uint64_t wrong[] = { 0, 100, TR_PAGE + 8, MIRROR_SIZE_MAX + TR_PAGE };
	struct channel other;

	(void)state;
	open_mirror();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(mirror_open(&other, NULL, NULL, wrong[i], &error), -EPROTO);
}

static void before_the_magic_is_there_nothing_is_shown(void **state)
{
	struct tr_header *header = fixture_header(&fixture);

	(void)state;
	header->magic = 0;
	open_mirror();
	assert_int_equal(look(), 0);
	assert_int_equal(region_open(&region, &channel, &error), -EAGAIN);
	header->magic = TR_MAGIC;
	assert_int_equal(look(), 0);
	assert_int_equal(region_open(&region, &channel, &error), 0);
	region_close(&region);
}

static void a_reset_is_reported(void **state)
{
	(void)state;
	open_mirror();
	assert_int_equal(look(), 0);
	fixture_header(&fixture)->magic = 0;
	assert_int_equal(look(), -ECONNRESET);
	assert_non_null(strstr(error.text, "the machine was reset: its region is gone"));
	assert_memory_equal(shown(0), "BAREPERF", 8); /* the last shown content */
}

static void a_cable_that_is_pulled_is_reported(void **state)
{
	(void)state;
	channel_rig_copying.breaks = 3;
	open_mirror();
	assert_int_equal(look(), -EPIPE);
	assert_string_equal(error.text, "the cable was pulled");
}

/* Published words stay until they have arrived; other programs' stores show then. */
static void published_words_stay_until_they_have_arrived(void **state)
{
	struct tr_header *header = fixture_header(&fixture);
	size_t offset = offsetof(struct tr_header, reader) + offsetof(struct tr_reader, id);
	uint32_t id = 7;

	(void)state;
	open_mirror();
	assert_int_equal(look(), 0);
	for (unsigned i = 0; i < 50; i++) {
		id++;
		assert_int_equal(channel_publish(&channel, offset, &id, sizeof(id), &error), 0);
		assert_int_equal(look(), 0);
		assert_memory_equal(shown(offset), &id, sizeof(id));
	}
	channel_rig_deliver();
	assert_int_equal(header->reader.id, id);
	header->reader.id = 99;
	assert_int_equal(look(), 0);
	assert_int_equal(*(const uint32_t *)shown(offset), 99);
}

/* A failed command leaves state and run unchanged; its message comes with its reply. */
static void a_reply_brings_the_message(void **state)
{
	struct tr_header *header = fixture_header(&fixture);

	(void)state;
	header->state = TR_FAILED;
	open_mirror();
	assert_int_equal(look(), 0);
	strcpy(header->message, "no such event");
	header->status = -EINVAL;
	assert_int_equal(look(), 0);
	assert_string_equal(shown(offsetof(struct tr_header, message)), "");
	fixture.region.mailbox->reply++;
	assert_int_equal(look(), 0);
	assert_string_equal(shown(offsetof(struct tr_header, message)), "no such event");
}

static unsigned newest_records(void)
{
	static struct ring_reader reader;
	const struct perf_event_header *record;
	unsigned records = 0;

	assert_int_equal(region_read_ring(&region, 1, &reader), 0);
	reader.still = true;
	while (ring_reader_next(&reader, &record) > 0)
		records++;
	assert_null(reader.error.reason);
	return records;
}

static void write_some(void *context)
{
	(void)context;
	fixture_sample(&fixture, 1, 0, 1, 1000, 4);
}

/* For a machine that never stops writing, only at its end; for one that can be stopped, at the last
 * look. */
static void an_overwritable_ring_comes_from_one_moment(void **state)
{
	bool *const states[] = { NULL, &is_stopped };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		fixture_free(&fixture);
		fixture_init(&fixture, TR_RING_BACKWARD);
		channel_rig_copying.meanwhile = write_some;
		channel_rig_copying.is_stopped = states[i];
		is_stopped = false;
		open_mirror();
		assert_int_equal(look(), 0);
		assert_int_equal(region_open(&region, &channel, &error), 0);
		assert_int_equal(region_load(&region, &error), 0);
		assert_int_equal(newest_records(), 0);
		channel.is_last = true;
		assert_int_equal(look(), 0); /* runs all the time: the ring cannot be read */
		assert_int_equal(newest_records(), 0);
		is_stopped = states[i];
		assert_int_equal(look(), 0);
		assert_int_equal(newest_records() != 0, i == 1);
		channel_rig_copying.meanwhile = NULL;
		region_close(&region);
		channel_close(&channel);
	}
	open_mirror(); /* the machine has stopped writing */
	fixture_complete(&fixture);
	assert_int_equal(look(), 0);
	assert_int_equal(region_open(&region, &channel, &error), 0);
	assert_int_equal(region_load(&region, &error), 0);
	assert_int_not_equal(newest_records(), 0);
	region_close(&region);
}

static void an_overwritable_ring_begins_empty_whatever_the_last_run_left(void **state)
{
	struct tr_header *header;
	uint64_t head;

	(void)state;
	fixture_free(&fixture);
	fixture_init(&fixture, TR_RING_BACKWARD);
	header = fixture_header(&fixture);
	head = fixture.region.rings[1].control + offsetof(struct perf_event_mmap_page, data_head);
	for (unsigned i = 0; i < 10; i++)
		write_some(NULL);
	fixture_complete(&fixture);
	open_mirror();
	assert_int_equal(look(), 0);
	assert_int_not_equal(*(const uint64_t *)shown(head), 0);
	header->run++;
	header->state = TR_RECORDING;
	*(uint64_t *)(void *)((uint8_t *)fixture.bytes + head) = (uint64_t)-64;
	assert_int_equal(look(), 0);
	/* nothing of the ring was fetched yet */
	assert_int_equal(*(const uint64_t *)shown(head), 0);
	header->state = TR_COMPLETE;
	assert_int_equal(look(), 0);
	assert_int_equal(*(const uint64_t *)shown(head), -64);
}

/* With any tables, a look ends, within the region (ASan checks), and so does the next. */
static void a_machine_that_lies_is_looked_at_all_the_same(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		uint8_t *bytes = fixture.bytes;

		open_mirror();
		assert_int_equal(look(), 0);
		for (unsigned j = 0; j < 1 + i % 8; j++) {
			size_t place = (size_t)rand_r(&seed) %
			               (i & 1 ? SEED_BYTES / 8 : FIXTURE_SIZE);

			bytes[place] = (uint8_t)rand_r(&seed);
		}
		for (unsigned j = 0; j < 2; j++)
			look();
		channel_close(&channel);
		fixture_free(&fixture);
		fixture_init(&fixture, i & 2 ? TR_RING_BACKWARD : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(sizes_that_cannot_be_are_refused),
		TEST(before_the_magic_is_there_nothing_is_shown),
		TEST(a_reset_is_reported),
		TEST(a_cable_that_is_pulled_is_reported),
		TEST(published_words_stay_until_they_have_arrived),
		TEST(a_reply_brings_the_message),
		TEST(an_overwritable_ring_comes_from_one_moment),
		TEST(an_overwritable_ring_begins_empty_whatever_the_last_run_left),
		TEST(a_machine_that_lies_is_looked_at_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
