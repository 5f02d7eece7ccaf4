/* SPDX-License-Identifier: MIT */
/* For any hardware and reader: each AUX byte that a record reports is there when the reader comes,
 * and every byte is reported, skipped, or known to be lost. The seeds are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ringbuf/aux.h"
#include "tests/unit/ringbuf/ring_rig.h"

#define AREA (2 * (uint64_t)TR_PAGE)

struct aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
};

struct trial {
	struct rig rig;
	struct ring_aux aux;
	uint8_t area[AREA];
	uint64_t random;
	uint64_t reported; /* bytes that AUX records reported */
	uint64_t up_to;    /* position after the last record's range */
	uint64_t gaps;     /* bytes between the records' ranges */
	uint64_t overruns; /* bytes that the hardware wrote beyond its limit */
	uint64_t went_on;  /* transactions that followed another in one step */
	bool stopped;      /* no room, or TRUNCATED */
};

static uint8_t pattern(uint64_t position)
{
	return (uint8_t)(position * 167 ^ position >> 8);
}

static void start(struct trial *t, uint64_t seed)
{
	struct ring_aux_config config = { .area = t->area, .size = AREA };

	memset(t, 0, sizeof(*t));
	t->random = seed;
	config.watermark = rig_random(&t->random) % AREA;
	rig_init(&t->rig, TR_PAGE, 0, 0, 0);
	assert_int_equal(ring_aux_init(&t->aux, &t->rig.ring, &t->rig.events[1].account, &config),
	                 0);
}

static void produce(struct trial *t, uint64_t from, uint64_t size)
{
	for (uint64_t i = from; i < from + size; i++)
		t->area[i % AREA] = pattern(i);
}

/* From one transaction to the next in one step, if that is possible now. */
static bool go_on(struct trial *t, struct ring_aux_output *out, uint64_t size)
{
	struct ring_account *account = t->aux.account;
	uint64_t *trailer, skip = rig_random(&t->random) % 24, head = t->aux.head;
	uint64_t need = 1 + rig_random(&t->random) % 512, tail = t->rig.control->aux_tail;

	if (!ring_aux_is_usual(out))
		return false;
	trailer = ring_aux_try(out, size, skip, need);
	if (!trailer) {
		/* bytes that the reader has freed meanwhile are used */
		assert_true(tail > head || tail < t->up_to || /* a lie */
		            head + size + skip + need > tail + AREA);
		return false;
	}
	account->trailer(account, trailer);
	if (ring_aux_go_on(out))
		ring_aux_wake(out);
	assert_int_equal(t->aux.head, head + size + skip);
	assert_true(out->wakeup > t->aux.head);
	t->went_on++;
	return true;
}

/* One transaction of the hardware and its driver. */
static void transact(struct trial *t)
{
	struct ring_aux_output out;
	uint64_t size, asked;

	if (ring_aux_begin(&out, &t->aux, 1 + rig_random(&t->random) % 512)) {
		t->stopped = true;
		return;
	}
	t->stopped = false;
	if (rig_random(&t->random) % 4 == 0)
		ring_aux_skip(&out, rig_random(&t->random) % 24);
	assert_true(out.wakeup > t->aux.head);
	while (rig_random(&t->random) % 2) {
		size = rig_random(&t->random) % (out.size / 4 + 1);
		produce(t, t->aux.head, size);
		if (!go_on(t, &out, size)) {
			ring_aux_end(&out, size);
			return;
		}
	}
	asked = rig_random(&t->random) % (out.size + out.size / 8 + 1);
	size = asked < out.size ? asked : out.size;
	t->overruns += asked - size;
	produce(t, t->aux.head, size);
	if (rig_random(&t->random) % 16 == 0)
		ring_aux_flag(&out, PERF_AUX_FLAG_TRUNCATED);
	if (rig_random(&t->random) % 16 == 0)
		ring_aux_flag(&out, PERF_AUX_FLAG_PARTIAL);
	ring_aux_end(&out, asked);
}

static void read_range(struct trial *t, const struct aux_record *record)
{
	if (record->offset < t->up_to)
		fail_msg("a range is reported twice");
	t->gaps += record->offset - t->up_to;
	for (uint64_t i = record->offset; i < record->offset + record->size; i++)
		if (t->area[i % AREA] != pattern(i))
			fail_msg("byte %llu was reported and is not there", (unsigned long long)i);
	t->reported += record->size;
	t->up_to = record->offset + record->size;
}

/* Read some records, and free the ranges that they report. */
static void consume(struct trial *t, uint64_t records)
{
	const struct perf_event_header *record;

	assert_true(ring_reader_refresh(&t->rig.reader) >= 0);
	while (records-- && ring_reader_next(&t->rig.reader, &record) > 0)
		if (record->type == PERF_RECORD_AUX)
			read_range(t, (const struct aux_record *)record);
	ring_reader_release(&t->rig.reader);
	__atomic_store_n(&t->rig.control->aux_tail, t->up_to, __ATOMIC_RELEASE);
}

static void one_step(struct trial *t)
{
	switch (rig_random(&t->random) % 8) {
	case 0:
		t->rig.control->aux_tail =
		    rig_random(&t->random); /* an invalid tail, until the next step */
		break;
	case 1:
		while (rig_write(&t->rig, 0, 64, 0)) /* other writers fill the data ring */
			;
		break;
	case 2:
		consume(t, rig_random(&t->random) % 8);
		break;
	case 3:
		consume(t, UINT64_MAX);
		break;
	default:
		transact(t);
	}
}

static void try_seed(uint64_t seed)
{
	struct trial *t = malloc(sizeof(*t));
	struct tr_ring_ledger ledger = { 0 };

	assert_non_null(t);
	start(t, seed);
	for (int i = 0; i < 3000; i++)
		one_step(t);
	consume(t, UINT64_MAX);
	assert_true(ring_aux_flush(&t->aux));
	consume(t, UINT64_MAX);
	ring_aux_publish(&t->aux, &ledger);
	assert_int_equal(t->reported + ledger.aux_skipped, ledger.aux_written);
	assert_int_equal(ledger.aux_lost, t->overruns);
	assert_true(t->gaps <= ledger.aux_skipped);
	assert_true(t->went_on > 10);
	transact(t);
	assert_false(t->stopped); /* with room, it continues */
	rig_free(&t->rig);
	free(t);
}

static void every_byte_is_reported_skipped_or_known_to_be_lost(void **state)
{
	uint64_t seed = (uint64_t)time(NULL) * 1000;

	(void)state;
	printf("# seeds 1 to 60 and from %llu\n", (unsigned long long)seed);
	for (uint64_t i = 0; i < 60; i++) {
		try_seed(i + 1);
		try_seed(seed + i);
	}
}

/* The reader comes only when its owner was woken; the area still never stays stopped. */
static void a_reader_that_sleeps_until_woken_keeps_the_area_running(void **state)
{
	struct trial *t = malloc(sizeof(*t));
	uint64_t stalls = 0;

	(void)state;
	assert_non_null(t);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		start(t, seed);
		for (int i = 0; i < 2000; i++) {
			transact(t);
			stalls = t->stopped ? stalls + 1 : 0;
			assert_true(stalls < 2);
			if (t->rig.doorbell.pending) {
				t->rig.doorbell.pending = 0;
				consume(t, UINT64_MAX);
			}
		}
		rig_free(&t->rig);
	}
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_is_reported_skipped_or_known_to_be_lost),
		cmocka_unit_test(a_reader_that_sleeps_until_woken_keeps_the_area_running),
	};

	return cmocka_run_group_tests_name("ring AUX properties", tests, NULL, NULL);
}
