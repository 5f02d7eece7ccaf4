/* SPDX-License-Identifier: MIT */
/* The verifying region: what is accepted, and what is refused with its offset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/host-tools/region/channel_rig.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "tests/unit/temporary.h"
#include "writer/region/channel.h"
#include "writer/region/region.h"

static struct fixture fixture;
static struct channel channel;
static struct region region;
static struct error error;
static char path[PATH_MAX];

static int setup(void **state)
{
	(void)state;
	fixture_init(&fixture, 0);
	memset(&region, 0, sizeof(region));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
	return 0;
}

static int open_sized(size_t size)
{
	region_close(&region);
	channel_close(&channel);
	channel_rig_open(&channel, fixture.fd, size, NULL);
	channel_rig_bring(&channel);
	return region_open(&region, &channel, &error);
}

static int open_and_load(void)
{
	int code = open_sized(FIXTURE_SIZE);

	return code ? code : region_load(&region, &error);
}

/* The region is refused, and the message has this text. */
static void assert_refused(const char *text)
{
	assert_int_equal(open_and_load(), -EPROTO);
	if (!strstr(error.text, text))
		fail_msg("\"%s\" is not in \"%s\"", text, error.text);
	region_close(&region);
}

static void a_region_that_the_firmware_made_is_taken(void **state)
{
	(void)state;
	assert_int_equal(open_and_load(), 0);
	assert_int_equal(region.header.events.count, FIXTURE_RINGS * FIXTURE_EVENTS);
	assert_int_equal(region.events[3].id, 201);
	assert_int_equal(region_state(&region), TR_RECORDING);
}

static void without_the_magic_there_is_nothing_yet(void **state)
{
	(void)state;
	fixture_header(&fixture)->magic = 0;
	assert_int_equal(open_sized(FIXTURE_SIZE), -EAGAIN);
}

static void too_few_bytes_are_refused(void **state)
{
	(void)state;
	assert_int_equal(open_sized(100), -EPROTO);
	assert_int_equal(open_sized(FIXTURE_SIZE - 1), -EPROTO);
	assert_non_null(strstr(error.text, "offset 0x20"));
	assert_non_null(strstr(error.text, "0x40000 bytes, but only 0x3ffff are here: truncated"));
}

static void each_wrong_header_word_is_refused_with_its_offset(void **state)
{
	struct tr_header *h = fixture_header(&fixture), good = *h;

	(void)state;
	h->version = 2 << 16;
	assert_refused("offset 0x8: format version 2.0");
	*h = good;
	h->header_size = 2048;
	assert_refused("offset 0xc: ");
	*h = good;
	h->address += 8;
	assert_refused("offset 0x10: ");
	*h = good;
	h->size = 0;
	assert_refused("offset 0x20: ");
	*h = good;
	h->page_size = 16384;
	assert_refused("offset 0x28: ");
	*h = good;
	h->machine = 3;
	assert_refused("offset 0x2c: unknown ELF machine 3");
}

static void each_wrong_table_is_refused_with_its_offset(void **state)
{
	struct tr_header *h = fixture_header(&fixture);
	struct tr_table *tables = &h->cpus;
	char at[64];

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		struct tr_table good = tables[i];

		snprintf(at, sizeof(at), "offset 0x%zx: ", 128 + 16 * i);
		tables[i].offset = UINT64_MAX - 7;
		assert_refused(at);
		tables[i] = good;
		tables[i].offset = FIXTURE_SIZE - 8;
		assert_refused(at);
		tables[i] = good;
		tables[i].offset = 8;
		assert_refused(at);
		tables[i] = good;
		tables[i].offset += 4;
		assert_refused(at);
		tables[i] = good;
		tables[i].stride = 8;
		assert_refused(at);
		tables[i] = good;
		tables[i].count = UINT32_MAX;
		assert_refused(at);
		tables[i] = good;
	}
	assert_int_equal(open_and_load(), 0);
}

static void a_newer_minor_version_with_larger_strides_is_read(void **state)
{
	struct tr_table *cpus = &fixture_header(&fixture)->cpus;
	uint8_t *table = fixture.bytes + cpus->offset;

	(void)state;
	/* The second CPU's entry moves by the growth of the entries; the images have no influence.
	 * */
	fixture_header(&fixture)->images.count = 0;
	memmove(table + 256 + 64, table + 256, 256);
	memset(table + 256, 0xff, 64);
	cpus->stride = 256 + 64;
	fixture_header(&fixture)->version = TR_VERSION + 7;
	assert_int_equal(open_and_load(), 0);
	assert_int_equal(region.cpus[1].cpu, 1);
	assert_string_equal(region.cpus[1].model, "Test CPU");
}

static void each_wrong_cpu_is_refused(void **state)
{
	struct tr_cpu *cpu = &fixture.region.cpus[1];

	(void)state;
	cpu->cpu = 7;
	assert_refused("CPU 1 calls itself 7");
	cpu->cpu = 1;
	assert_int_equal(open_and_load(), 0);
	cpu->cpu = 7; /* it was checked, and does not change */
	cpu->ticks = 99;
	channel_rig_bring(&channel);
	region_update_cpus(&region);
	assert_int_equal(region.cpus[1].cpu, 1);
	assert_int_equal(region.cpus[1].ticks, 99);
}

static void each_wrong_ring_is_refused(void **state)
{
	struct tr_ring *ring = &fixture.region.rings[1], good = *ring;

	(void)state;
	ring->cpu = 7;
	assert_refused("ring 1: there is no such CPU");
	*ring = good;
	ring->owner = 99;
	assert_refused("ring 1: its owner");
	*ring = good;
	ring->data_size = 3 * TR_PAGE;
	assert_refused("ring 1: data_size");
	*ring = good;
	ring->data_size = 1ULL << 63;
	assert_refused("ring 1: its data");
	*ring = good;
	ring->data_offset = UINT64_MAX - TR_PAGE + 1;
	assert_refused("ring 1: its data");
	*ring = good;
	ring->control = FIXTURE_SIZE;
	assert_refused("ring 1: its control page");
	*ring = good;
	ring->control = 0;
	assert_refused("ring 1: its control page");
	*ring = good;
	ring->control = ring->data_offset;
	assert_refused("ring 1: its parts overlap");
	*ring = good;
	ring->data_offset = fixture.region.rings[0].data_offset;
	assert_refused("ring 1: it overlaps another ring");
	*ring = good;
	ring->aux_size = TR_PAGE;
	ring->aux_offset = FIXTURE_SIZE;
	assert_refused("ring 1: its AUX area");
	*ring = good;
	ring->aux_size = TR_PAGE + 8;
	assert_refused("ring 1: aux_size");
}

static void each_wrong_event_is_refused(void **state)
{
	struct tr_event *event = &fixture.region.events[1], good = *event;

	(void)state;
	event->id = 0;
	assert_refused("event 1: its id is 0");
	*event = good;
	event->id = 100;
	assert_refused("event 1: another event has the same id");
	*event = good;
	event->attr.size = 136;
	assert_refused("event 1: its attr");
	*event = good;
	event->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	assert_refused("event 1: its samples carry no IDENTIFIER");
	*event = good;
	event->attr.flags = 0;
	assert_refused("event 1: sample_id_all");
	*event = good;
	event->ring = 2;
	assert_refused("event 1: there is no such ring");
	*event = good;
	event->evsel = 4;
	assert_refused("event 1: evsel");
	*event = good;
	memset(event->name, 'x', sizeof(event->name));
	assert_refused("event 1: its name has no end");
	*event = good;
	event = &fixture.region.events[2], good = *event;
	event->id = fixture.region.events[1].id;
	assert_refused("event 2: another event has the same id");
	*event = good;
	event->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_IP;
	assert_refused("event 2: ");
}

static void each_wrong_image_is_refused(void **state)
{
	struct tr_image *image = &fixture.region.images[0], good = *image;

	(void)state;
	image->size = 100;
	assert_refused("image 0: ");
	*image = good;
	image->address = UINT64_MAX - TR_PAGE + 1;
	assert_refused("image 0: it ends behind");
	*image = good;
	image->build_id_size = 21;
	assert_refused("image 0: its build-id");
}

static void a_machine_that_boots_anew_is_noticed(void **state)
{
	(void)state;
	assert_int_equal(open_and_load(), 0);
	fixture_header(&fixture)->nonce++;
	if (channel_rig_copies) {
		int code;

		while ((code = channel_refresh(&channel, &error)) > 0)
			;
		assert_int_equal(code, -ECONNRESET);
		assert_non_null(strstr(error.text, "the machine was reset"));
		return;
	}
	assert_int_equal(region_load(&region, &error), -EPROTO);
	assert_non_null(strstr(error.text, "booted anew"));
}

/* A memory dump with the region at this offset; the caller frees it. */
static uint8_t *make_dump(size_t size, size_t offset)
{
	uint8_t *dump = aligned_alloc(TR_PAGE, size);

	assert_non_null(dump);
	memset(dump, 0xa5, size);
	memcpy(dump + offset, fixture.bytes, FIXTURE_SIZE);
	return dump;
}

static void a_region_is_found_inside_a_dump(void **state)
{
	static const size_t places[] = { 0, TR_ALIGN, TR_PAGE, TR_ALIGN + 3 * TR_PAGE };
	size_t size = 2 * TR_ALIGN, offset;

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint8_t *dump = make_dump(size, places[i]);

		assert_int_equal(region_find(dump, size, UINT64_MAX, &offset, &error), 0);
		assert_int_equal(offset, places[i]);
		assert_int_equal(
		    region_find(dump, size, FIXTURE_ADDRESS - places[i], &offset, &error), 0);
		free(dump);
	}
}

static void a_copy_at_another_address_is_no_region(void **state)
{
	uint8_t *dump = make_dump(TR_ALIGN, TR_PAGE);
	size_t offset;

	(void)state;
	assert_int_equal(region_find(dump, TR_ALIGN, 0, &offset, &error), -EPROTO);
	assert_non_null(strstr(error.text, "a copy, not the region"));
	free(dump);
}

static void write_dump(const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void a_region_is_found_inside_a_file(void **state)
{
	uint8_t *dump = make_dump(TR_ALIGN, 3 * TR_PAGE);
	struct channel file;

	(void)state;
	temporary_path(path, "dump");
	assert_int_equal(channel_open_file(&file, path, &CHANNEL_ANY_FILE, &error), -ENOENT);
	assert_non_null(strstr(error.text, "opening"));
	write_dump(dump, 0);
	assert_int_equal(channel_open_file(&file, path, &CHANNEL_ANY_FILE, &error), -EPROTO);
	assert_non_null(strstr(error.text, "is empty"));
	write_dump(dump, TR_ALIGN);
	assert_int_equal(channel_open_file(&file, path, &CHANNEL_ANY_FILE, &error), 0);
	assert_int_equal(file.size, TR_ALIGN - 3 * TR_PAGE);
	assert_memory_equal(file.bytes, fixture.bytes, FIXTURE_SIZE);
	memset(file.bytes, 0, 8); /* a private copy */
	channel_close(&file);
	assert_int_equal(channel_open_file(&file, path, &CHANNEL_ANY_FILE, &error), 0);
	channel_close(&file);
	memset(dump + 3 * (size_t)TR_PAGE, 0, 8);
	write_dump(dump, TR_ALIGN);
	assert_int_equal(channel_open_file(&file, path, &CHANNEL_ANY_FILE, &error), -ENOENT);
	assert_non_null(strstr(error.text, path));
	assert_null(file.bytes);
	assert_int_equal(channel_open_file(&file, "/", &CHANNEL_ANY_FILE, &error), -EINVAL);
	unlink(path);
	free(dump);
}

static void a_dump_may_end_anywhere(void **state)
{
	size_t offset;

	(void)state;
	for (size_t size = 0; size < 24; size++) {
		uint8_t *dump = calloc(1, TR_PAGE + size + !size); /* the sanitizer knows its end */

		assert_non_null(dump);
		assert_int_equal(region_find(dump, TR_PAGE + size, UINT64_MAX, &offset, &error),
		                 -ENOENT);
		free(dump);
	}
}

static void a_stale_header_does_not_hide_the_region(void **state)
{
	uint8_t *dump = make_dump(2 * TR_ALIGN, TR_ALIGN);
	size_t offset;

	(void)state;
	memcpy(dump, fixture.bytes, TR_PAGE);
	((struct tr_header *)(void *)dump)->version = 0;
	assert_int_equal(region_find(dump, 2 * TR_ALIGN, UINT64_MAX, &offset, &error), 0);
	assert_int_equal(offset, TR_ALIGN);
	free(dump);
}

static void a_dump_without_a_region_is_refused(void **state)
{
	uint8_t *dump = make_dump(TR_ALIGN, 0);
	size_t offset;

	(void)state;
	memset(dump, 0, 8);
	assert_int_equal(region_find(dump, TR_ALIGN, UINT64_MAX, &offset, &error), -ENOENT);
	free(dump);
}

static void console_text_survives_a_terminal(void **state)
{
	struct tr_console *console =
	    (void *)(fixture.bytes + fixture_header(&fixture)->console.offset);
	uint64_t from = 0;
	char *text;

	(void)state;
	assert_int_equal(open_and_load(), 0);
	memcpy(console->text, "one\r\n\033[2Jtwo\n", 13);
	console->head = 13;
	channel_rig_bring(&channel);
	text = region_console(&region, &from);
	assert_string_equal(text, "one\ntwo\n");
	assert_int_equal(from, 13);
	free(text);
	/* A control sequence ends with a byte '@' to '~' (ECMA-48 5.4). */
	memcpy(console->text, "\033[1@x\033[1;2~y", 12);
	console->head = 12;
	from = 0;
	channel_rig_bring(&channel);
	text = region_console(&region, &from);
	assert_string_equal(text, "xy");
	free(text);
	/* C1 controls are dangerous as well; an incomplete character waits for its end. */
	memcpy(console->text, "\xc2\x9bm\x9bz\xc3\xa9\xe2\x82\xac", 10);
	console->head = 9;
	from = 0;
	channel_rig_bring(&channel);
	text = region_console(&region, &from);
	assert_string_equal(text, "?m?z\xc3\xa9");
	assert_int_equal(from, 7);
	free(text);
	console->head = 10;
	channel_rig_bring(&channel);
	text = region_console(&region, &from);
	assert_string_equal(text, "\xe2\x82\xac");
	free(text);
	/* A wrong head: at most the last 4096 bytes. */
	console->head = UINT64_MAX;
	from = 0;
	channel_rig_bring(&channel);
	text = region_console(&region, &from);
	assert_non_null(text);
	free(text);
}

/* Let the channel clear the ring's pending word. Returns whether the word was set. */
static bool cleared(uint32_t ring)
{
	struct channel_bell bell = { .pending = region_pending(&region, ring), .was_set = !ring };
	int code = channel_clear(&channel, &bell, 1, &error);

	assert_in_range(code, 0, 1);
	channel_rig_bring(&channel);
	return bell.was_set;
}

static void a_doorbell_is_cleared_where_the_machine_sees_it(void **state)
{
	struct tr_doorbell *bells = fixture.region.doorbells;

	(void)state;
	assert_int_equal(open_and_load(), 0);
	bells[0].pending = bells[1].pending = 1;
	assert_true(cleared(1));
	assert_int_equal(bells[1].pending, 0);
	assert_int_equal(bells[0].pending, 1);
	assert_false(cleared(1));
	assert_true(cleared(0));
	assert_int_equal(bells[0].pending, 0);
}

static void a_doorbell_that_is_to_be_left_alone_is(void **state)
{
	struct channel_bell bell = { .was_set = true };

	(void)state;
	assert_int_equal(open_and_load(), 0);
	assert_in_range(channel_clear(&channel, &bell, 1, &error), 0, 1);
	channel_rig_bring(&channel);
	assert_false(bell.was_set);
	assert_int_equal(fixture_header(&fixture)->magic, TR_MAGIC); /* at offset 0 */
}

static void each_word_that_the_host_writes_comes_to_its_place(void **state)
{
	struct tr_doorbell *bell = &fixture.region.doorbells[1];
	struct perf_event_mmap_page *control =
	    (void *)(fixture.bytes + fixture.region.rings[1].control);
	struct tr_reader *words = &fixture_header(&fixture)->reader;
	struct ring_reader *reader = calloc(1, sizeof(*reader));

	(void)state;
	assert_int_equal(open_and_load(), 0);
	assert_non_null(reader);
	reader->position = 88;
	assert_int_equal(region_release_aux(&region, 1, 1ULL << 40 | 77, &error), 0);
	assert_int_equal(region_release_data(&region, 1, reader, &error), 0);
	assert_int_equal(region_ask_for_snapshot(&region, 1, &error), 0);
	assert_int_equal(region_say_ready(&region, &error), 0);
	channel_rig_deliver();
	assert_int_equal(control->aux_tail, 1ULL << 40 | 77);
	assert_int_equal(control->data_tail, 88);
	assert_int_equal(bell->snapshot, 1);
	assert_int_equal(words->ready, region.header.run);
	assert_true(words->ready > 0);
	/* A reader that has read nothing stores nothing. */
	reader->position = 96;
	reader->backward = true;
	assert_int_equal(region_release_data(&region, 1, reader, &error), 0);
	reader->backward = false;
	reader->error.reason = "broken";
	assert_int_equal(region_release_data(&region, 1, reader, &error), 0);
	channel_rig_deliver();
	assert_int_equal(control->data_tail, 88);
	free(reader);
}

static void a_reader_that_was_announced_before_the_boot_stays_announced(void **state)
{
	struct tr_header *header = fixture_header(&fixture);
	const uint8_t *bytes = fixture.bytes;
	struct trace_region again;

	(void)state;
	header->reader = (struct tr_reader){ .id = 77, .lease = 5, .ready = 1, .peer = 9 };
	header->reserved_2[0] = header->producer[0] = 0xff;
	assert_int_equal(
	    trace_region_init(&again, fixture.bytes, FIXTURE_SIZE, &fixture.region.limits), 0);
	assert_int_equal(header->reader.id, 77);
	assert_int_equal(header->reader.lease, 5);
	assert_int_equal(header->reader.peer, 9);
	assert_int_equal(header->reader.ready, 0); /* it was another boot's run */
	assert_int_equal(header->reserved_2[0] | header->producer[0], 0);
	for (size_t i = 0; i < offsetof(struct tr_header, cpus); i++)
		assert_int_equal(bytes[i], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_region_that_the_firmware_made_is_taken),
		TEST(without_the_magic_there_is_nothing_yet),
		TEST(too_few_bytes_are_refused),
		TEST(each_wrong_header_word_is_refused_with_its_offset),
		TEST(each_wrong_table_is_refused_with_its_offset),
		TEST(a_newer_minor_version_with_larger_strides_is_read),
		TEST(each_wrong_cpu_is_refused),
		TEST(each_wrong_ring_is_refused),
		TEST(each_wrong_event_is_refused),
		TEST(each_wrong_image_is_refused),
		TEST(a_machine_that_boots_anew_is_noticed),
		TEST(a_region_is_found_inside_a_dump),
		TEST(a_copy_at_another_address_is_no_region),
		TEST(a_region_is_found_inside_a_file),
		TEST(a_dump_may_end_anywhere),
		TEST(a_stale_header_does_not_hide_the_region),
		TEST(a_dump_without_a_region_is_refused),
		TEST(console_text_survives_a_terminal),
		TEST(a_doorbell_is_cleared_where_the_machine_sees_it),
		TEST(a_doorbell_that_is_to_be_left_alone_is),
		TEST(each_word_that_the_host_writes_comes_to_its_place),
		TEST(a_reader_that_was_announced_before_the_boot_stays_announced),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
