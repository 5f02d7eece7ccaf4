/* SPDX-License-Identifier: MIT */
/* LOST is written as soon as there is room, not only before the next record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ringbuf/ring.h"

static struct perf_event_mmap_page control;
static uint64_t data[TR_PAGE / 8], scratch[RING_LEVELS * 64 / 8];
static struct ring ring;
static struct ring_account account = { .id = 3 };

static bool write_one(void)
{
	struct ring_output out;
	void *record = ring_reserve(&out, &ring, &account, 64);

	if (!record)
		return false;
	memset(record, 0, 64);
	ring_commit(&out);
	return true;
}

static void a_loss_is_reported_once_there_is_room_without_another_record(void **state)
{
	const uint64_t expected[] = { PERF_RECORD_LOST | 24ULL << 48, 3, 2 };

	(void)state;
	assert_int_equal(ring_init(&ring, &(struct ring_config){ .control = &control,
	                                                         .data = data,
	                                                         .size = sizeof(data),
	                                                         .max_record = 64,
	                                                         .scratch = scratch }),
	                 0);
	ring_report_lost(&ring, &account);
	assert_int_equal(control.data_head, 0); /* nothing to report */
	while (write_one())
		;
	assert_false(write_one());
	ring_report_lost(&ring, &account);
	assert_int_equal(control.data_head, sizeof(data)); /* no room */
	assert_int_equal(ring.reported, 0);
	control.data_tail = 64;
	ring_report_lost(&ring, &account);
	assert_int_equal(control.data_head, sizeof(data) + 24);
	assert_memory_equal(data, expected, sizeof(expected));
	assert_int_equal(ring.reported, ring.lost);
	ring_report_lost(&ring, &account);
	assert_int_equal(control.data_head, sizeof(data) + 24); /* reported once */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss_is_reported_once_there_is_room_without_another_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
