/* SPDX-License-Identifier: MIT */
/* The ledger alone: which record counts for what, how events are found, and which stored ledgers
 * are valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/ledger/ledger.h"
#include "writer/perfdata/perf_file.h"

#define EVENTS 40U
#define RINGS  2U
#define CPUS   3U

/* ids that have the same slot in small tables, as many do */
#define ID(i) (0x10000U * ((i) + 1))

static struct ledger ledger;
static struct blob stored;
static struct error error;

static struct ledger_head *head(void)
{
	return (struct ledger_head *)(void *)stored.bytes;
}

static struct ledger_event *stored_event(unsigned i)
{
	return (struct ledger_event *)(void *)(stored.bytes + sizeof(struct ledger_head) +
	                                       CPUS * sizeof(struct tr_cpu)) +
	       i;
}

static struct ledger_ring *stored_ring(unsigned i)
{
	return (struct ledger_ring *)(void *)stored_event(EVENTS) + i;
}

/* A file's content, made by hand. */
static int set_up(void **state)
{
	struct ledger_head made = { .magic = LEDGER_MAGIC,
		                    .version = LEDGER_VERSION,
		                    .event_count = EVENTS,
		                    .ring_count = RINGS,
		                    .cpu_count = CPUS,
		                    .state = TR_COMPLETE };

	(void)state;
	memset(&stored, 0, sizeof(stored));
	blob_add(&stored, &made, sizeof(made));
	memset(blob_extend(&stored, CPUS * sizeof(struct tr_cpu)), 7, CPUS * sizeof(struct tr_cpu));
	blob_extend(&stored, EVENTS * sizeof(struct ledger_event));
	blob_extend(&stored, RINGS * sizeof(struct ledger_ring));
	for (unsigned i = 0; i < EVENTS; i++) {
		stored_event(i)->event = (struct tr_event){ .id = ID(i), .ring = i % RINGS };
		stored_event(i)->event.attr.sample_type = PERF_SAMPLE_IDENTIFIER |
		                                          PERF_SAMPLE_PERIOD;
		stored_event(i)->ledger.generated = i;
	}
	stored_ring(1)->ring.cpu = 9;
	return stored.failed ? -1 : ledger_parse(&ledger, stored.bytes, stored.size, &error);
}

static int tear_down(void **state)
{
	(void)state;
	ledger_free(&ledger);
	blob_free(&stored);
	return 0;
}

static void a_stored_ledger_is_found_again(void **state)
{
	struct blob again = { 0 };

	(void)state;
	assert_int_equal(ledger.head.event_count, EVENTS);
	assert_int_equal(ledger.events[5].ledger.generated, 5);
	assert_int_equal(ledger.rings[1].ring.cpu, 9);
	assert_int_equal(((const uint8_t *)&ledger.cpus[2])[1], 7);
	ledger_store(&ledger, &again);
	assert_int_equal(again.size, stored.size);
	assert_memory_equal(again.bytes, stored.bytes, stored.size);
	blob_free(&again);
}

static void every_event_is_found_by_its_id(void **state)
{
	(void)state;
	for (unsigned i = 0; i < EVENTS; i++)
		assert_ptr_equal(ledger_find(&ledger, ID(i)), &ledger.events[i]);
	for (uint64_t id = 0; id < 3000; id++)
		assert_null(ledger_find(&ledger, id));
	assert_true(ledger.slot_mask + 1 >= 2 * EVENTS);
	assert_int_equal(ledger.slot_mask & (ledger.slot_mask + 1), 0);
}

static void refuse(const char *text)
{
	struct ledger refused;

	assert_int_equal(ledger_parse(&refused, stored.bytes, stored.size, &error), -EPROTO);
	if (!strstr(error.text, text))
		fail_msg("\"%s\" is not in \"%s\"", text, error.text);
}

static void take(void)
{
	struct ledger taken;

	assert_int_equal(ledger_parse(&taken, stored.bytes, stored.size, &error), 0);
	ledger_free(&taken);
}

static void an_impossible_ledger_is_refused(void **state)
{
	(void)state;
	head()->magic++;
	refuse("unknown version");
	head()->magic--;
	head()->version += 2;
	refuse("unknown version");
	head()->version -= 2;
	head()->event_count = TR_MAX_EVENTS + 1;
	refuse("too many");
	head()->event_count = TR_MAX_EVENTS;
	refuse("does not fit");
	head()->event_count = EVENTS;
	head()->ring_count = TR_MAX_RINGS + 1;
	refuse("too many");
	head()->ring_count = TR_MAX_RINGS;
	refuse("does not fit");
	head()->ring_count = RINGS;
	head()->cpu_count = TR_MAX_CPUS + 1;
	refuse("too many");
	head()->cpu_count = TR_MAX_CPUS;
	refuse("does not fit");
	head()->cpu_count = CPUS;
	take();
	stored_event(3)->event.id = 0;
	refuse("event 3 has a wrong id or ring");
	stored_event(3)->event.id = ID(4);
	refuse("two events have the id 327680");
	stored_event(3)->event.id = ID(3);
	stored_event(EVENTS - 1)->event.ring = RINGS;
	refuse("event 39 has a wrong id or ring");
	stored_event(EVENTS - 1)->event.ring = TR_NONE;
	take();
	stored.size = sizeof(struct ledger_head) - 1;
	refuse("only");
	stored.size++;
	refuse("does not fit");
}

static void texts_end_whatever_the_file_says(void **state)
{
	struct ledger taken;

	(void)state;
	memset(head()->message, 'x', sizeof(head()->message));
	memset(stored_event(0)->event.name, 'x', sizeof(stored_event(0)->event.name));
	assert_int_equal(ledger_parse(&taken, stored.bytes, stored.size, &error), 0);
	assert_int_equal(strlen(taken.head.message), sizeof(taken.head.message) - 1);
	assert_int_equal(strlen(taken.events[0].event.name),
	                 sizeof(taken.events[0].event.name) - 1);
	ledger_free(&taken);
}

static void an_empty_ledger_is_valid(void **state)
{
	struct ledger taken;

	(void)state;
	head()->event_count = head()->ring_count = head()->cpu_count = 0;
	assert_int_equal(ledger_parse(&taken, stored.bytes, sizeof(struct ledger_head), &error), 0);
	assert_null(ledger_find(&taken, ID(0)));
	ledger_free(&taken);
}

/* ---- Kinds of records ---- */

/* A record of so many words, with its id at perf's place. */
static struct ledger_event *count(uint32_t type, uint64_t id, uint64_t a, uint64_t b, uint64_t c,
                                  enum ledger_side side)
{
	static uint64_t words[6];
	struct perf_event_header *record = (struct perf_event_header *)(void *)words;
	bool is_sample = type == PERF_RECORD_SAMPLE;

	memset(words, 0, sizeof(words));
	*record = (struct perf_event_header){ .type = type, .size = is_sample ? 24 : 40 };
	words[1] = is_sample ? id : a;
	words[2] = is_sample ? a : b;
	words[3] = c;
	words[4] = id;
	return ledger_count(&ledger, record, side);
}

static void samples_count_with_their_periods(void **state)
{
	struct ledger_found *found = &ledger.events[2].found;

	(void)state;
	assert_ptr_equal(count(PERF_RECORD_SAMPLE, ID(2), 100, 0, 0, LEDGER_DELIVERED),
	                 &ledger.events[2]);
	count(PERF_RECORD_SAMPLE, ID(2), 11, 0, 0, LEDGER_DELIVERED);
	count(PERF_RECORD_THROTTLE, ID(2), 5, 5, 5, LEDGER_DELIVERED);
	assert_int_equal(found->delivered, 3);
	assert_int_equal(found->samples, 2);
	assert_int_equal(found->period, 111);
	assert_int_equal(found->newer | found->newer_period, 0);
	count(PERF_RECORD_SAMPLE, ID(2), 40, 0, 0, LEDGER_NEWER);
	count(PERF_RECORD_SAMPLE, ID(2), 2, 0, 0, LEDGER_NEWER);
	assert_int_equal(found->newer, 2);
	assert_int_equal(found->newer_period, 42);
	assert_int_equal(found->delivered, 3);
	/* Without PERIOD in the sample its period is the event's, if that is fixed. */
	ledger.events[2].event.attr.sample_type = PERF_SAMPLE_IDENTIFIER;
	ledger.events[2].event.attr.sample_period = 1000;
	count(PERF_RECORD_SAMPLE, ID(2), 0, 0, 0, LEDGER_DELIVERED);
	assert_int_equal(found->period, 1111);
	ledger.events[2].event.attr.flags = PERF_ATTR_FREQ;
	count(PERF_RECORD_SAMPLE, ID(2), 0, 0, 0, LEDGER_DELIVERED);
	assert_int_equal(found->period, 1111);
	assert_int_equal(ledger.strangers, 0);
}

static void lost_records_count_for_their_ring(void **state)
{
	(void)state;
	count(PERF_RECORD_LOST, ID(1), ID(1), 30, 0, LEDGER_DELIVERED);
	count(PERF_RECORD_LOST, ID(3), ID(3), 3, 0, LEDGER_DELIVERED);
	count(PERF_RECORD_LOST, ID(3), ID(3), 500, 0, LEDGER_NEWER);
	assert_int_equal(ledger.rings[1].found.lost, 33);
	assert_int_equal(ledger.rings[1].found.lost_records, 2);
	assert_int_equal(ledger.rings[1].found.newer_lost, 500);
	assert_int_equal(ledger.rings[1].found.newer_lost_records, 1);
	assert_int_equal(ledger.rings[0].found.lost, 0);
	assert_int_equal(ledger.events[1].found.delivered | ledger.events[3].found.delivered, 0);
	/* An event without a ring cannot have records. */
	ledger.events[1].event.ring = TR_NONE;
	assert_ptr_equal(count(PERF_RECORD_LOST, ID(1), ID(1), 30, 0, LEDGER_DELIVERED),
	                 &ledger.events[1]);
	assert_int_equal(ledger.rings[1].found.lost, 33);
}

static void aux_records_count_by_their_flags(void **state)
{
	struct ledger_ring_found *found = &ledger.rings[0].found;

	(void)state;
	count(PERF_RECORD_AUX, ID(0), 0, 64, 0, LEDGER_DELIVERED);
	count(PERF_RECORD_AUX, ID(0), 0, 64, PERF_AUX_FLAG_TRUNCATED, LEDGER_DELIVERED);
	count(PERF_RECORD_AUX, ID(0), 0, 64, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL,
	      LEDGER_DELIVERED);
	count(PERF_RECORD_AUX, ID(0), 0, 64,
	      PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION,
	      LEDGER_DELIVERED);
	assert_int_equal(found->aux_records, 4);
	assert_int_equal(found->aux_truncated, 3);
	assert_int_equal(found->aux_partial, 2);
	assert_int_equal(found->aux_collisions, 1);
	assert_int_equal(ledger.events[0].found.delivered, 4);
	assert_int_equal(ledger.events[0].found.samples, 0);
	count(PERF_RECORD_AUX, ID(0), 0, 64, 0, LEDGER_NEWER);
	assert_int_equal(found->aux_records, 4);
	assert_int_equal(ledger.events[0].found.newer, 1);
}

static void a_record_with_an_unknown_id_is_foreign(void **state)
{
	struct perf_event_header small = { .type = PERF_RECORD_LOST, .size = 8 };

	(void)state;
	assert_null(count(PERF_RECORD_SAMPLE, 5, 0, 0, 0, LEDGER_DELIVERED));
	assert_null(count(PERF_RECORD_LOST, 6, 0, 0, 0, LEDGER_NEWER));
	assert_null(ledger_count(&ledger, &small, LEDGER_DELIVERED));
	assert_int_equal(ledger.strangers, 3);
}

static void a_record_too_short_for_its_type_counts_nothing_of_it(void **state)
{
	uint64_t words[3] = { PERF_RECORD_LOST | 16ULL << 48, ID(0), ID(0) };

	(void)state;
	assert_non_null(ledger_count(&ledger, (const void *)words, LEDGER_DELIVERED));
	assert_int_equal(ledger.rings[0].found.lost_records, 0);
	words[0] = PERF_RECORD_AUX | 24ULL << 48;
	assert_non_null(ledger_count(&ledger, (const void *)words, LEDGER_DELIVERED));
	assert_int_equal(ledger.rings[0].found.aux_records, 0);
	assert_int_equal(ledger.events[0].found.delivered, 1);
}

static void a_recount_resets_the_found_counts_and_keeps_the_ledger(void **state)
{
	struct ledger_ring_found *ring = &ledger.rings[0].found;
	struct ledger_found *event = &ledger.events[0].found;

	(void)state;
	memset(ring, 0xff, sizeof(*ring));
	memset(event, 0xff, sizeof(*event));
	ledger.strangers = 3;
	ledger_recount(&ledger);
	assert_int_equal(ledger.strangers, 0);
	assert_int_equal(event->delivered | event->samples | event->period, 0);
	assert_true(event->newer == UINT64_MAX && event->elsewhere == UINT64_MAX);
	assert_int_equal(ring->lost | ring->lost_records | ring->aux_records, 0);
	assert_int_equal(ring->aux_truncated | ring->aux_delivered | ring->aux_partial, 0);
	assert_int_equal(ring->aux_collisions, 0);
	assert_true(ring->head == UINT64_MAX && ring->tail == UINT64_MAX);
	assert_true(ring->aux_unread == UINT64_MAX && ring->wakeups == UINT64_MAX);
}

static void only_an_end_is_an_end(void **state)
{
	static const uint32_t ends[] = { TR_IDLE, TR_COMPLETE, TR_FAILED };
	static const uint32_t others[] = { TR_BOOTING, TR_RECORDING, TR_PANIC, 77 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		ledger.head.state = ends[i];
		assert_true(ledger_ended(&ledger));
	}
	for (unsigned i = 0; i < 4; i++) {
		ledger.head.state = others[i];
		assert_false(ledger_ended(&ledger));
	}
}

static void a_reader_that_was_not_there_is_reported(void **state)
{
	(void)state;
	ledger.head.reader_found = TR_READER_NONE;
	assert_null(ledger_late_reader(&ledger));
	ledger.head.reader_found = TR_READER_READY;
	assert_null(ledger_late_reader(&ledger));
	ledger.head.reader_found = TR_READER_GONE;
	assert_non_null(strstr(ledger_late_reader(&ledger), "lease"));
	ledger.head.reader_found = TR_READER_LATE;
	assert_non_null(strstr(ledger_late_reader(&ledger), "in time"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stored_ledger_is_found_again),
		TEST(every_event_is_found_by_its_id),
		TEST(an_impossible_ledger_is_refused),
		TEST(texts_end_whatever_the_file_says),
		TEST(an_empty_ledger_is_valid),
		TEST(samples_count_with_their_periods),
		TEST(lost_records_count_for_their_ring),
		TEST(aux_records_count_by_their_flags),
		TEST(a_record_with_an_unknown_id_is_foreign),
		TEST(a_record_too_short_for_its_type_counts_nothing_of_it),
		TEST(a_recount_resets_the_found_counts_and_keeps_the_ledger),
		TEST(only_an_end_is_an_end),
		TEST(a_reader_that_was_not_there_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
