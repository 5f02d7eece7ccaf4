// SPDX-License-Identifier: MIT
/* The AUX area: padding, what is carried, what is lost, and the ledger of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ring_rig.h"
#include "ringbuf/aux.h"

#include <errno.h>

#define PAGE ((uint64_t)TR_PAGE)

static struct rig rig;
static struct ring_member member;
static struct ring_aux aux;
static uint8_t area[64];

struct aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
};

static int give_area(uint64_t pages, uint64_t watermark)
{
	struct ring_aux_config config = { .area = area,
		                          .size = pages * PAGE,
		                          .watermark = watermark };

	return ring_aux_init(&aux, &member, &rig.events[1].account, &config);
}

static int setup(void **state)
{
	(void)state;
	rig_init(&rig, TR_PAGE, 0, 0, 0);
	ring_set_owner(&rig.ring, NULL);
	member = (struct ring_member){ .aux_source = &aux, .owner = rig.owner };
	if (ring_attach(&member, &rig.ring))
		return -1;
	return give_area(2, PAGE / 2);
}

static int teardown(void **state)
{
	(void)state;
	rig_free(&rig);
	return 0;
}

static void begin(struct ring_aux_output *out)
{
	assert_int_equal(ring_aux_begin(out, &aux, 1), 0);
}

static void transact(uint64_t size, uint64_t flags)
{
	struct ring_aux_output out;

	begin(&out);
	ring_aux_flag(&out, flags);
	ring_aux_end(&out, size);
}

/* The next record of the data ring, which must be AUX with these fields. */
static void expect(uint64_t offset, uint64_t size, uint64_t flags)
{
	const struct perf_event_header *record;
	const struct aux_record *got;

	assert_true(ring_reader_refresh(&rig.reader) >= 0);
	assert_int_equal(ring_reader_next(&rig.reader, &record), 1);
	got = (const struct aux_record *)record;
	assert_int_equal(got->header.type, PERF_RECORD_AUX);
	assert_int_equal(got->header.size, 32 + 24);
	assert_int_equal(got->offset, offset);
	assert_int_equal(got->size, size);
	assert_int_equal(got->flags, flags);
	assert_int_equal(((const uint64_t *)(got + 1))[0], 101); /* the writer's trailer */
	ring_reader_release(&rig.reader);
}

static uint64_t wakeups(void)
{
	return member.owner.causes[TR_WAKEUP_AUX];
}

static void skipped_bytes_are_told_by_no_record(void **state)
{
	struct ring_aux_output out;

	(void)state;
	begin(&out);
	assert_int_equal(ring_aux_skip(&out, 16), 0);
	assert_int_equal(out.head, 16);
	assert_int_equal(out.size, 2 * PAGE - 16);
	ring_aux_end(&out, 24);
	expect(16, 24, 0);
	begin(&out);
	assert_int_equal(ring_aux_skip(&out, 2 * PAGE), -ENOSPC);
	assert_int_equal(aux.skipped, 16);
}

static void skipping_over_a_watermark_wakes(void **state)
{
	struct ring_aux_output out;

	(void)state;
	begin(&out);
	assert_int_equal(ring_aux_skip(&out, PAGE / 2), 0);
	assert_int_equal(wakeups(), 1);
	assert_int_equal(out.wakeup, PAGE);
}

static void fill_data_ring(void)
{
	while (rig_write(&rig, 0, 64, 0))
		;
}

static void an_aux_record_without_room_is_carried(void **state)
{
	uint64_t lost;

	(void)state;
	fill_data_ring();
	transact(24, PERF_AUX_FLAG_PARTIAL);
	transact(48, PERF_AUX_FLAG_COLLISION);
	lost = rig.events[1].account.lost;
	assert_int_equal(lost, 2);
	assert_int_equal(aux.records, 0);
	assert_null(rig_drain(&rig, UINT64_MAX));
	transact(72, 0);
	assert_int_equal(rig.events[1].account.lost, lost);
	ring_reader_refresh(&rig.reader);
	rig.reader.position += 48; /* LOST */
	expect(0, 72, PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION);
	expect(72, 72, 0);
}

static void padding_does_not_get_into_a_carried_range(void **state)
{
	struct ring_aux_output out;

	(void)state;
	fill_data_ring();
	transact(24, 0);
	begin(&out);
	assert_int_equal(ring_aux_skip(&out, 8), -ENOSPC);
	assert_null(rig_drain(&rig, UINT64_MAX));
	assert_int_equal(ring_aux_skip(&out, 8), 0);
	ring_aux_end(&out, 48);
	ring_reader_refresh(&rig.reader);
	rig.reader.position += 48;
	expect(0, 24, 0);
	expect(32, 48, 0);
}

static void a_flush_without_room_costs_no_record(void **state)
{
	(void)state;
	fill_data_ring();
	transact(24, 0);
	for (int tick = 0; tick < 5; tick++)
		assert_false(ring_aux_flush(&aux));
	assert_int_equal(rig.events[1].account.lost, 1);
	assert_null(rig_drain(&rig, UINT64_MAX));
	assert_true(ring_aux_flush(&aux));
}

static void an_aux_tail_out_of_bounds_is_refused_and_counted_once(void **state)
{
	struct ring_aux_output out;

	(void)state;
	transact(2 * PAGE, 0);
	rig.control->aux_tail = 2 * PAGE + 1;
	assert_int_equal(ring_aux_begin(&out, &aux, 1), -ENOSPC);
	assert_int_equal(ring_aux_begin(&out, &aux, 1), -ENOSPC);
	assert_int_equal(rig.ring.tail_faults, 1);
	rig.control->aux_tail = PAGE;
	begin(&out);
	assert_int_equal(out.size, PAGE);
	ring_aux_end(&out, 0);
	rig.control->aux_tail = 8;
	begin(&out);
	assert_int_equal(out.size, PAGE);
	assert_int_equal(rig.ring.tail_faults, 2);
}

static void hardware_that_overruns_is_cut_off_and_counted(void **state)
{
	struct ring_aux_output out;

	(void)state;
	begin(&out);
	ring_aux_end(&out, 2 * PAGE + 64);
	expect(0, 2 * PAGE, PERF_AUX_FLAG_PARTIAL);
	assert_int_equal(aux.lost, 64);
}

static void the_ledger_has_every_byte(void **state)
{
	struct tr_ring_ledger ledger = { 0 };
	struct ring_aux_output out;

	(void)state;
	transact(100, PERF_AUX_FLAG_TRUNCATED);
	begin(&out);
	assert_int_equal(ring_aux_skip(&out, 28), 0);
	ring_aux_lost(&out, 7);
	ring_aux_end(&out, 200);
	ring_aux_publish(&aux, &ledger);
	assert_int_equal(ledger.aux_head, 328);
	assert_int_equal(ledger.aux_written, 328);
	assert_int_equal(ledger.aux_skipped, 28);
	assert_int_equal(ledger.aux_lost, 7);
	assert_int_equal(ledger.aux_records, 2);
	assert_int_equal(ledger.aux_truncated, 1);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(skipped_bytes_are_told_by_no_record),
		CLAIM(skipping_over_a_watermark_wakes),
		CLAIM(an_aux_record_without_room_is_carried),
		CLAIM(padding_does_not_get_into_a_carried_range),
		CLAIM(a_flush_without_room_costs_no_record),
		CLAIM(an_aux_tail_out_of_bounds_is_refused_and_counted_once),
		CLAIM(hardware_that_overruns_is_cut_off_and_counted),
		CLAIM(the_ledger_has_every_byte),
	};

	return cmocka_run_group_tests_name("ring AUX bytes", tests, NULL, NULL);
}
