/* SPDX-License-Identifier: MIT */
#include "tests/unit/ringbuf/ring_aux_rig.h"

#define PAGE ((uint64_t)TR_PAGE)

struct rig rig;
struct ring_aux aux;
uint8_t aux_area[64];

int aux_give_area(uint64_t pages, uint64_t watermark, bool overwrite)
{
	struct ring_aux_config config = { .area = aux_area,
		                          .size = pages * PAGE,
		                          .watermark = watermark,
		                          .overwrite = overwrite };

	return ring_aux_init(&aux, &rig.ring, &rig.events[1].account, &config);
}

int aux_setup(void **state)
{
	(void)state;
	rig_init(&rig, TR_PAGE, 0, 0, 0);
	return aux_give_area(2, PAGE / 2, false);
}

int aux_teardown(void **state)
{
	(void)state;
	rig_free(&rig);
	return 0;
}

void aux_begin(struct ring_aux_output *out)
{
	assert_int_equal(ring_aux_begin(out, &aux, 1), 0);
}

void aux_transact(uint64_t size, uint64_t flags)
{
	struct ring_aux_output out;

	aux_begin(&out);
	ring_aux_flag(&out, flags);
	ring_aux_end(&out, size);
}

void aux_expect(uint64_t offset, uint64_t size, uint64_t flags)
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

uint64_t aux_wakeups(void)
{
	return rig.owner.causes[TR_WAKEUP_AUX];
}
