/* SPDX-License-Identifier: MIT */
/* The trace region as its writer lays it out: sizes, places, and the state that a next run clears.
 * */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "ringbuf/region_writer.h"

#define SIZE (64 * (uint64_t)TR_PAGE)

static const struct region_limits limits = {
	.cpus = 3, .images = 2, .events = 5, .rings = 4, .console_size = 256, .stream_size = 512
};
static struct trace_region region;
static void *memory;

static int set_up(void **state)
{
	(void)state;
	memory = aligned_alloc(TR_PAGE, SIZE);
	if (!memory)
		return -1;
	memset(memory, 0xa5, SIZE);
	return trace_region_init(&region, memory, SIZE, &limits);
}

static int tear_down(void **state)
{
	(void)state;
	free(memory);
	return 0;
}

/* ---- The order of stores to memory ---- */

static struct {
	uint64_t start, size; /* of the region */
	uint32_t state;       /* the state at that moment */
	bool done;            /* and waited until it is in memory */
} cleanings[8];
static unsigned nr_cleanings;

static void note_clean(const void *start, size_t size)
{
	assert_true(nr_cleanings < 8);
	cleanings[nr_cleanings].start = (uint64_t)((const uint8_t *)start - (uint8_t *)memory);
	cleanings[nr_cleanings].size = size;
	cleanings[nr_cleanings].done = false;
	cleanings[nr_cleanings++].state = region.header->state;
}

static void note_cleaned(void)
{
	for (unsigned i = 0; i < nr_cleanings; i++)
		cleanings[i].done = true;
}

/* A reader that finds this state after a reset can trust the tables. */
static void a_states_tables_are_in_memory_before_it_is_and_it_is_at_once(void **state)
{
	(void)state;
	region.is_kept = true;
	trace_region_set_state(&region, TR_BOOTING);
	host_memory_clean = note_clean;
	host_memory_cleaned = note_cleaned;
	nr_cleanings = 0;
	trace_region_set_state(&region, TR_RECORDING);
	host_memory_clean = NULL;
	host_memory_cleaned = NULL;
	assert_int_equal(nr_cleanings, 2);
	assert_int_equal(cleanings[0].start, 0);
	assert_int_equal(cleanings[0].size, region.tables_end);
	assert_int_equal(cleanings[0].state, TR_BOOTING);
	assert_int_equal(cleanings[1].start, 0);
	assert_true(cleanings[1].size >= offsetof(struct tr_header, state) + 4);
	assert_int_equal(cleanings[1].state, TR_RECORDING);
	assert_true(cleanings[0].done && cleanings[1].done);
}

static void a_region_that_is_not_in_ram_is_not_cleaned(void **state)
{
	(void)state;
	host_memory_clean = note_clean;
	nr_cleanings = 0;
	trace_region_set_state(&region, TR_RECORDING);
	host_memory_clean = NULL;
	assert_int_equal(nr_cleanings, 0);
}

static void limits_out_of_range_are_refused(void **state)
{
	struct region_limits bad[14],
	    most = { TR_MAX_CPUS, TR_MAX_IMAGES, TR_MAX_EVENTS, TR_MAX_RINGS, 1, 0 };
	struct trace_region other;

	(void)state;
	for (unsigned i = 0; i < 14; i++)
		bad[i] = limits;
	bad[0].cpus = 0;
	bad[1].cpus = TR_MAX_CPUS + 1;
	bad[2].images = 0;
	bad[3].images = TR_MAX_IMAGES + 1;
	bad[4].events = 0;
	bad[5].events = TR_MAX_EVENTS + 1;
	bad[6].rings = 0;
	bad[7].rings = TR_MAX_RINGS + 1;
	bad[8].console_size = 0;
	bad[9].console_size = 255;
	bad[10].console_size = 257;
	bad[11].console_size = 3;
	bad[12].stream_size = 4;
	bad[13].stream_size = 513;
	for (unsigned i = 0; i < 14; i++)
		assert_int_equal(trace_region_init(&other, memory, SIZE, &bad[i]), -EINVAL);
	/* The greatest counts are too much for this region, but valid. */
	assert_int_equal(trace_region_init(&other, memory, SIZE, &most), -ENOSPC);
}

/* In pages: up to the last one that the tables need. */
static void tables_must_fit(void **state)
{
	uint64_t tables = region.tables_end;
	struct trace_region other;

	(void)state;
	assert_int_equal(tables % TR_PAGE, 0);
	assert_int_equal(trace_region_init(&other, memory, tables, &limits), 0);
	assert_int_equal(trace_region_init(&other, memory, tables - 1, &limits), -ENOSPC);
	assert_int_equal(other.tables_end, tables);
	/* Bytes behind them are not written. */
	assert_int_equal(((const uint8_t *)memory)[tables], 0xa5);
	assert_int_equal(((const uint8_t *)memory)[tables - 1], 0);
}

static uint64_t check_table(const struct tr_table *table, const void *at, uint64_t from,
                            uint32_t count, uint64_t stride)
{
	assert_int_equal(table->offset, from);
	assert_int_equal(table->stride, stride);
	assert_ptr_equal(trace_region_at(&region, from), at);
	return from + count * stride;
}

static void tables_lie_one_behind_the_other(void **state)
{
	struct tr_header *h = region.header;
	uint64_t at = sizeof(*h);

	(void)state;
	assert_ptr_equal(h, memory);
	at = check_table(&h->mailbox, region.mailbox, at, 1, sizeof(struct tr_mailbox));
	at = check_table(&h->doorbells, region.doorbells, at, 4, sizeof(struct tr_doorbell));
	at = check_table(&h->cpus, region.cpus, at, 3, sizeof(struct tr_cpu));
	at = check_table(&h->images, region.images, at, 2, sizeof(struct tr_image));
	at = check_table(&h->events, region.events, at, 5, sizeof(struct tr_event));
	at = check_table(&h->event_ledger, region.event_ledger, at, 5,
	                 sizeof(struct tr_event_ledger));
	at = check_table(&h->rings, region.rings, at, 4, sizeof(struct tr_ring));
	at = check_table(&h->ring_ledger, region.ring_ledger, at, 4, sizeof(struct tr_ring_ledger));
	at = check_table(&h->console, region.console, at, 1, sizeof(struct tr_console) + 256);
	at = check_table(&h->streams, region.streams, at, TR_STREAMS, sizeof(struct tr_stream));
	assert_ptr_equal(trace_region_at(&region, at), region.stream_bytes);
	at += TR_STREAMS * 512;
	assert_int_equal(region.tables_end, (at + TR_PAGE - 1) / TR_PAGE * TR_PAGE);
	assert_int_equal(region.used, region.tables_end);
	assert_int_equal(region.console->size, 256);
	assert_int_equal(h->mailbox.count, 1);
	assert_int_equal(h->cpus.count, 3);
	assert_int_equal(h->console.count, 1);
	/* No run yet: readers see no image, event or ring. */
	assert_int_equal(h->images.count, 0);
	assert_int_equal(h->events.count | h->event_ledger.count, 0);
	assert_int_equal(h->rings.count | h->ring_ledger.count | h->doorbells.count, 0);
}

static void the_header_identifies_the_region(void **state)
{
	const struct region_identity identity = {
		.address = 0x12345000, .nonce = 99, .machine = 62, .producer = "test"
	};
	const struct tr_clock clock = { .frequency = 7, .time_mult = 8, .time_shift = 9 };
	const struct tr_header *h = region.header;

	(void)state;
	assert_int_equal(h->magic, 0);
	trace_region_set_clock(&region, &clock);
	trace_region_open(&region, &identity);
	assert_true(h->magic == TR_MAGIC);
	assert_int_equal(h->version, TR_VERSION);
	assert_int_equal(h->header_size, sizeof(*h));
	assert_int_equal(h->address, 0x12345000);
	assert_int_equal(h->nonce, 99);
	assert_int_equal(h->size, SIZE);
	assert_int_equal(h->page_size, TR_PAGE);
	assert_int_equal(h->machine, 62);
	assert_string_equal(h->producer, "test");
	assert_memory_equal(&h->clock, &clock, sizeof(clock));
}

static void assert_zero(const void *at, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		assert_int_equal(((const uint8_t *)at)[i], 0);
}

static void a_run_forgets_the_last_one(void **state)
{
	static const struct tr_backtrace backtrace = { 2, 3, { 7, 8, 9 } };
	struct tr_header *h = region.header;
	uint64_t needed;

	(void)state;
	assert_int_equal(trace_region_start_run(&region, "first", 5, 4), 0);
	assert_int_equal(h->run, 1);
	assert_int_equal(trace_region_add_ring(&region, 0, 1, 0, &region.rings[0], &needed), 0);
	trace_region_set_recording(&region);
	assert_int_equal(h->state, TR_RECORDING);
	assert_int_equal(h->events.count, 5);
	assert_int_equal(h->event_ledger.count, 5);
	assert_int_equal(h->rings.count, 4);
	assert_int_equal(h->ring_ledger.count, 4);
	assert_int_equal(h->doorbells.count, 4);
	memset(region.events, 0xff, 5 * sizeof(*region.events));
	memset(region.event_ledger, 0xff, 5 * sizeof(*region.event_ledger));
	memset(region.rings, 0xff, 4 * sizeof(*region.rings));
	memset(region.ring_ledger, 0xff, 4 * sizeof(*region.ring_ledger));
	memset(region.doorbells, 0xff, 4 * sizeof(*region.doorbells));
	h->exit_status = 3;
	trace_region_set_backtrace(&region, &backtrace);
	assert_memory_equal(&h->backtrace, &backtrace, sizeof(backtrace));
	trace_region_set_message(&region, -5, "something went wrong");
	trace_region_set_state(&region, TR_FAILED);
	assert_int_equal(h->status, -5);

	assert_int_equal(trace_region_start_run(&region, "next", 4, 3), 0);
	assert_int_equal(h->run, 2);
	assert_int_equal(h->state, TR_BOOTING);
	assert_int_equal(h->status, 0);
	assert_int_equal(h->exit_status, 0);
	assert_int_equal(h->backtrace.count, 0);
	assert_string_equal(h->message, "");
	assert_string_equal(h->command, "next");
	assert_int_equal(h->events.count | h->event_ledger.count, 0);
	assert_int_equal(h->rings.count | h->ring_ledger.count | h->doorbells.count, 0);
	assert_zero(region.events, 4 * sizeof(*region.events));
	assert_zero(region.event_ledger, 4 * sizeof(*region.event_ledger));
	assert_zero(region.rings, 3 * sizeof(*region.rings));
	assert_zero(region.ring_ledger, 3 * sizeof(*region.ring_ledger));
	assert_zero(region.doorbells, 3 * sizeof(*region.doorbells));
	assert_int_equal(region.used, region.tables_end);
	trace_region_set_recording(&region);
	assert_int_equal(h->events.count, 4);
	assert_int_equal(h->rings.count, 3);
	trace_region_set_message(&region, 0, NULL);
	assert_string_equal(h->message, "");
}

static void a_run_within_the_limits(void **state)
{
	(void)state;
	assert_int_equal(trace_region_start_run(&region, "", 6, 4), -ENOSPC);
	assert_int_equal(trace_region_start_run(&region, "", 5, 5), -ENOSPC);
	assert_int_equal(region.header->run, 0);
}

static void rings_lie_behind_the_tables(void **state)
{
	uint64_t needed, at = region.tables_end, left;

	(void)state;
	assert_int_equal(trace_region_start_run(&region, "", 5, 4), 0);
	assert_int_equal(trace_region_add_ring(&region, 2, 4, 0, &region.rings[1], &needed), 0);
	assert_int_equal(needed, at + 5 * TR_PAGE);
	assert_int_equal(region.rings[1].cpu, 2);
	assert_int_equal(region.rings[1].owner, TR_NONE);
	assert_int_equal(region.rings[1].control, at);
	assert_int_equal(region.rings[1].data_offset, at + TR_PAGE);
	assert_int_equal(region.rings[1].data_size, 4 * TR_PAGE);
	assert_int_equal(region.rings[1].aux_offset, 0);
	assert_int_equal(region.rings[1].aux_size, 0);
	at += 5 * TR_PAGE;
	assert_int_equal(trace_region_add_ring(&region, 0, 2, 8, &region.rings[2], &needed), 0);
	assert_int_equal(needed, at + 11 * TR_PAGE);
	assert_int_equal(region.rings[2].control, at);
	assert_int_equal(region.rings[2].data_size, 2 * TR_PAGE);
	assert_int_equal(region.rings[2].aux_offset, at + 3 * TR_PAGE);
	assert_int_equal(region.rings[2].aux_size, 8 * TR_PAGE);
	at += 11 * TR_PAGE;
	left = (SIZE - at) / TR_PAGE;
	assert_int_equal(trace_region_add_ring(&region, 0, left, 0, &region.rings[3], &needed),
	                 -ENOSPC);
	assert_int_equal(needed, SIZE + TR_PAGE);
	assert_int_equal(trace_region_add_ring(&region, 0, left - 1, 0, &region.rings[3], &needed),
	                 0);
	assert_int_equal(needed, SIZE);
}

/* The host's stores there are never read back. */
static void a_heartbeat_is_the_firmware_s_own_count(void **state)
{
	(void)state;
	assert_int_equal(region.header->heartbeat, 0);
	trace_region_beat(&region, 5);
	region.header->heartbeat = 77;
	trace_region_beat(&region, 9);
	assert_int_equal(region.header->heartbeat, 2);
	assert_int_equal(region.header->beat_time, 9);
}

static void texts_are_cut_and_ended(void **state)
{
	char field[8];

	(void)state;
	memset(field, 'x', sizeof(field));
	trace_region_put_text(field, 7, "abc");
	assert_memory_equal(field, "abc\0\0\0\0x", 8);
	trace_region_put_text(field, 7, "abcdefghi");
	assert_memory_equal(field, "abcdef\0x", 8);
	trace_region_put_text(field, 7, "abcdef");
	assert_memory_equal(field, "abcdef\0x", 8);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_states_tables_are_in_memory_before_it_is_and_it_is_at_once),
		TEST(a_region_that_is_not_in_ram_is_not_cleaned),
		TEST(limits_out_of_range_are_refused),
		TEST(tables_must_fit),
		TEST(tables_lie_one_behind_the_other),
		TEST(the_header_identifies_the_region),
		TEST(a_run_forgets_the_last_one),
		TEST(a_run_within_the_limits),
		TEST(rings_lie_behind_the_tables),
		TEST(texts_are_cut_and_ended),
		TEST(a_heartbeat_is_the_firmware_s_own_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
