/* SPDX-License-Identifier: MIT */
/* Files that are fetched: complete under their names, or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel/wire/wire.h"
#include "host-tools/record/command/guest_fetch.h"
#include "ringbuf/stream.h"
#include "tests/unit/writer/session/session_rig.h"

#define SIZE 512U /* bytes of the stream */

static char directory[] = "/tmp/bareperf-fetch-XXXXXX", options[3][64];
static char *list[] = { options[0], options[1], options[2] };
static struct guest guest = { .fetch = list, .fetch_count = 2 };
static struct guest_fetch fetch;
static struct stream stream;

static int set_up(void **state)
{
	(void)state;
	strcpy(directory + sizeof(directory) - 7, "XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(options[0], sizeof(options[0]), "%s/one", directory);
	snprintf(options[1], sizeof(options[1]), "far/off=%s/two", directory);
	guest.fetch_count = 2;
	fixture_init(&fixture, 0);
	stream_init(
	    &stream, &fixture.region.streams[TR_STREAM_FILES],
	    fixture.region.stream_bytes + TR_STREAM_FILES * SIZE,
	    (uint64_t)(fixture.region.stream_bytes + TR_STREAM_FILES * SIZE - fixture.bytes), SIZE);
	channel_rig_open(&channel, fixture.fd, FIXTURE_SIZE, NULL);
	channel_rig_bring(&channel);
	assert_int_equal(region_open(&region, &channel, &error), 0);
	guest_fetch_begin(&fetch, &guest, &region);
	return 0;
}

static unsigned names_in_directory(void)
{
	DIR *dir = opendir(directory);
	unsigned count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static int tear_down(void **state)
{
	char where[128];

	(void)state;
	guest_fetch_end(&fetch);
	snprintf(where, sizeof(where), "%s/one", directory);
	unlink(where);
	snprintf(where, sizeof(where), "%s/two", directory);
	unlink(where);
	assert_int_equal(rmdir(directory), 0); /* no other file was left */
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
	return 0;
}

/* One look at the machine. Returns whether bytes came. */
static bool take_some(void)
{
	bool moved;

	channel_rig_bring(&channel);
	assert_int_equal(guest_fetch_take(&fetch, &moved, &error), 0);
	channel_rig_deliver();
	return moved;
}

static void take(void)
{
	while (take_some())
		;
}

/* The machine's stream, in pieces of so many bytes. */
static void send_bytes(const void *bytes, uint64_t size, uint64_t piece)
{
	const uint8_t *at = bytes;

	while (size) {
		uint64_t put = stream_put(&stream, at, size < piece ? size : piece);

		at += put;
		size -= put;
		take();
	}
}

static void send_file(uint32_t index, const void *bytes, uint64_t size, uint64_t piece)
{
	struct tr_file file = { .index = index, .size = size, .crc = wire_crc(0, bytes, size) };

	send_bytes(&file, sizeof(file), piece);
	send_bytes(bytes, size, piece);
}

static void assert_file(const char *name, const void *bytes, size_t size)
{
	char where[128];
	uint8_t *there = malloc(size + 1);
	FILE *file;

	snprintf(where, sizeof(where), "%s/%s", directory, name);
	file = fopen(where, "r");
	assert_non_null(file);
	assert_int_equal(fread(there, 1, size + 1, file), size);
	assert_memory_equal(there, bytes, size);
	fclose(file);
	free(there);
}

static void files_of_any_size_come_in_pieces_of_any_size(void **state)
{
	static uint8_t bytes[70000];
	struct stat about;

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 31 + i / 256);
	umask(027);
	send_file(0, bytes, sizeof(bytes), 23);
	send_file(1, "", 0, SIZE);
	assert_file("one", bytes, sizeof(bytes));
	assert_file("two", "", 0);
	assert_int_equal(stat(options[0], &about), 0);
	assert_int_equal(about.st_mode & 07777, 0640);
	assert_int_equal(umask(022), 027); /* and the umask is unchanged */
	assert_int_equal(guest_fetch_end(&fetch), 0);
}

static void several_may_come_at_once(void **state)
{
	const struct tr_file one = { .size = 3, .crc = wire_crc(0, (const uint8_t *)"one", 3) };
	const struct tr_file two = { .index = 1,
		                     .size = 4,
		                     .crc = wire_crc(0, (const uint8_t *)"more", 4) };

	(void)state;
	stream_put(&stream, &one, sizeof(one));
	stream_put(&stream, "one", 3);
	stream_put(&stream, &two, sizeof(two));
	stream_put(&stream, "more", 4);
	assert_true(take_some());
	assert_file("one", "one", 3);
	assert_file("two", "more", 4);
	assert_int_equal(stream_room(&stream), SIZE);
	assert_false(take_some());
	assert_int_equal(guest_fetch_end(&fetch), 0);
	assert_int_equal(guest_fetch_end(&fetch), 0); /* a second call is harmless */
}

static void an_existing_file_is_replaced_when_the_new_one_is_complete(void **state)
{
	struct tr_file file = { .size = 4, .crc = wire_crc(0, (const uint8_t *)"four", 4) };

	(void)state;
	send_file(0, "old", 3, SIZE);
	guest_fetch_begin(&fetch, &guest, &region);
	send_bytes(&file, sizeof(file), SIZE);
	send_bytes("fou", 3, SIZE);
	assert_file("one", "old", 3);
	assert_int_equal(names_in_directory(), 2);
	send_bytes("r", 1, SIZE);
	assert_file("one", "four", 4);
	assert_int_equal(names_in_directory(), 1);
}

static void half_a_file_is_none(void **state)
{
	struct tr_file file = { .size = 1000 };

	(void)state;
	send_bytes(&file, sizeof(file), SIZE);
	send_bytes(directory, sizeof(directory), SIZE);
	assert_int_equal(names_in_directory(), 1);
	assert_int_equal(guest_fetch_end(&fetch), 2);
	assert_int_equal(names_in_directory(), 0);
}

static void a_damaged_one_is_none(void **state)
{
	struct tr_file file = { .size = 4, .crc = wire_crc(0, (const uint8_t *)"four", 4) };

	(void)state;
	send_bytes(&file, sizeof(file), SIZE);
	send_bytes("five", 4, SIZE);
	send_file(1, "fine", 4, SIZE);
	assert_int_equal(names_in_directory(), 1);
	assert_file("two", "fine", 4);
	assert_int_equal(guest_fetch_end(&fetch), 1);
}

static void a_file_that_the_program_lacks_is_reported_and_the_next_is_fetched(void **state)
{
	struct tr_file file = { .status = -ENOENT };

	(void)state;
	send_bytes(&file, sizeof(file), SIZE);
	send_file(1, "fine", 4, SIZE);
	assert_file("two", "fine", 4);
	assert_int_equal(guest_fetch_end(&fetch), 1);
}

/* After that no bytes are read as files. */
static void an_invalid_answer_ends_the_fetch(void **state)
{
	static const struct tr_file wrong[] = { { .index = 1, .size = 4 },
		                                { .index = UINT32_MAX },
		                                { .status = -ENOENT, .size = 4 } };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		guest_fetch_begin(&fetch, &guest, &region);
		send_bytes(&wrong[i], sizeof(wrong[i]), SIZE);
		send_file(0, "fine", 4, SIZE);
		assert_int_equal(names_in_directory(), 0);
		assert_int_equal(guest_fetch_end(&fetch), 2);
	}
	guest_fetch_begin(&fetch, &guest, &region);
	send_file(0, "a", 1, SIZE);
	send_file(1, "b", 1, SIZE);
	send_file(2, "c", 1, SIZE); /* a file that was not requested */
	assert_int_equal(guest_fetch_end(&fetch), 0);
}

static void a_place_that_cannot_be_written_is_found_before_anything_runs(void **state)
{
	(void)state;
	assert_int_equal(guest_fetch_check(&guest, &error), 0);
	options[0][0] = 0;
	assert_int_equal(guest_fetch_check(&guest, &error), -EINVAL);
	snprintf(options[0], sizeof(options[0]), "%s/one", directory);
	snprintf(options[1], sizeof(options[1]), "x=%s/none/two", directory);
	assert_int_equal(guest_fetch_check(&guest, &error), -ENOENT);
	snprintf(options[1], sizeof(options[1]), "x=%s", directory);
	assert_int_equal(guest_fetch_check(&guest, &error), -EINVAL);
	strcpy(options[1], "x=");
	assert_int_equal(guest_fetch_check(&guest, &error), -EINVAL);
	strcpy(options[1], "=x");
	assert_int_equal(guest_fetch_check(&guest, &error), -EINVAL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_of_any_size_come_in_pieces_of_any_size),
		TEST(several_may_come_at_once),
		TEST(an_existing_file_is_replaced_when_the_new_one_is_complete),
		TEST(half_a_file_is_none),
		TEST(a_damaged_one_is_none),
		TEST(a_file_that_the_program_lacks_is_reported_and_the_next_is_fetched),
		TEST(an_invalid_answer_ends_the_fetch),
		TEST(a_place_that_cannot_be_written_is_found_before_anything_runs),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
