/* SPDX-License-Identifier: MIT */
/* The conservation check: it compares every word of a ledger, so no wrong word goes unnoticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/unit/host-tools/ledger/check_rig.h"

static bool conserved(void)
{
	return check_conserved(&ledger, NULL, NULL);
}

static void a_balanced_ledger_is_conserved(void **state)
{
	(void)state;
	assert_true(conserved());
}

/* Change each of these words by plus and minus one: the check must fail each time. */
static void assert_watched(uint64_t *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		(*words[i])++;
		if (conserved())
			fail_msg("word %zu may be one too many", i);
		*words[i] -= 2;
		if (conserved())
			fail_msg("word %zu may be one too few", i);
		(*words[i])++;
	}
	assert_true(conserved());
}

static void every_count_of_an_event_is_watched(void **state)
{
	struct ledger_event *e = &ledger.events[1];
	uint64_t *const words[] = {
		&e->ledger.generated, &e->ledger.written,  &e->ledger.lost,
		&e->ledger.count,     &e->ledger.period,   &e->ledger.period_lost,
		&e->ledger.residue,   &e->found.delivered, &e->found.period,
	};

	(void)state;
	assert_watched(words, sizeof(words) / sizeof(words[0]));
}

static void every_count_of_a_ring_is_watched(void **state)
{
	struct ledger_ring *r = &ledger.rings[1];
	uint64_t *const words[] = {
		&r->ledger.lost,      &r->ledger.reported,    &r->ledger.lost_records,
		&r->ledger.causes[0], &r->ledger.causes[1],   &r->ledger.causes[2],
		&r->ledger.causes[3], &r->ledger.sent,        &r->ledger.coalesced,
		&r->found.lost,       &r->found.lost_records, &r->found.rung,
		&r->ledger.repeated,
	};

	(void)state;
	assert_watched(words, sizeof(words) / sizeof(words[0]));
}

static void every_byte_of_an_aux_area_is_watched(void **state)
{
	struct ledger_ring *r = &ledger.rings[0];
	uint64_t *const words[] = {
		&r->ledger.aux_written,  &r->ledger.aux_overwritten, &r->ledger.aux_skipped,
		&r->found.aux_delivered, &r->found.aux_unread,
	};

	(void)state;
	assert_watched(words, sizeof(words) / sizeof(words[0]));
}

static void every_count_of_a_branch_trace_is_watched(void **state)
{
	struct tr_event_ledger *l = &ledger.events[0].ledger;
	uint64_t *const words[] = { &l->branch_records, &l->branch_interrupts, &l->branch_lost };

	(void)state;
	assert_watched(words, sizeof(words) / sizeof(words[0]));
	/* One more branch counts as lost, but is not in the area. */
	l->branch_records++;
	l->branch_lost--;
	assert_false(conserved());
	l->branch_records--;
	/* If the loss is not known, no record can be missing. */
	l->branch_lost = TR_UNKNOWN;
	assert_true(conserved());
	l->branch_records++;
	assert_false(conserved());
}

static void a_branch_trace_has_whole_records_alone(void **state)
{
	struct ledger_ring *r = &ledger.rings[0];

	(void)state;
	r->ledger.aux_written += 8;
	r->found.aux_delivered += 8;
	assert_false(conserved());
	/* An event that has lost its whole trace is a branch trace, too. */
	check_rig_balance();
	r->ledger.aux_written = r->ledger.aux_skipped;
	r->ledger.aux_overwritten = r->found.aux_delivered = r->found.aux_unread = 0;
	ledger.events[0].ledger.branch_lost += 40;
	ledger.events[0].ledger.branch_records = 0;
	assert_true(conserved());
	ledger.events[0].ledger.branch_lost--;
	assert_false(conserved());
}

static void a_branch_trace_is_whole_at_its_end_alone(void **state)
{
	(void)state;
	ledger.events[0].ledger.branch_records--;
	assert_false(conserved());
	ledger.head.state = TR_RECORDING;
	ledger.rings[0].found.ledger_fits = ledger.rings[1].found.ledger_fits = 1;
	assert_true(conserved());
}

/* The eventfd's count belongs to the first ring. */
static void rings_that_share_a_bell_are_watched_together(void **state)
{
	uint64_t *const words[] = { &ledger.rings[0].found.rung, &ledger.rings[0].ledger.repeated,
		                    &ledger.rings[1].ledger.repeated };
	struct heard heard = { 0 };

	(void)state;
	ledger.rings[1].ring.vector = ledger.rings[0].ring.vector;
	ledger.rings[0].found.rung = 18;
	ledger.rings[1].found.rung = 0;
	assert_watched(words, sizeof(words) / sizeof(words[0]));
	/* One ring's surplus is no other ring's deficit: each ring has its own causes. */
	ledger.rings[0].ledger.sent++;
	ledger.rings[1].ledger.sent--;
	assert_false(conserved());
	check_rig_balance();
	ledger.rings[1].ring.vector = ledger.rings[0].ring.vector;
	assert_true(check_conserved(&ledger, check_rig_hear, &heard)); /* 9 and 9 */
	assert_int_equal(heard.lines, CHECK_LINES - 1);
}

/* While the machine runs, the doorbell's last ring and the ledger are from different moments;
 * without a doorbell none was received. */
static void bells_are_counted_where_there_are_any_and_at_the_end(void **state)
{
	(void)state;
	ledger.rings[0].found.rung = 0;
	assert_false(conserved());
	ledger.rings[0].found.has_bell = 0;
	assert_true(conserved());
	ledger.rings[0].found.has_bell = 1;
	ledger.head.state = TR_PANIC;
	ledger.rings[0].found.ledger_fits = ledger.rings[1].found.ledger_fits = 1;
	assert_true(conserved());
	ledger.head.state = TR_FAILED;
	assert_false(conserved());
}

/* A machine that died: the reader has records that are not in the last ledger. */
static void records_newer_than_the_ledger_are_checked(void **state)
{
	struct ledger_event *e = &ledger.events[2];
	struct ledger_ring *r = &ledger.rings[1];
	uint64_t *const words[] = {
		&e->found.newer,        &e->found.newer_period,       &e->found.delivered,
		&r->found.newer_lost,   &r->found.newer_lost_records, &r->found.lost,
		&r->found.lost_records,
	};

	(void)state;
	ledger.head.state = TR_PANIC;
	ledger.rings[0].found.ledger_fits = ledger.rings[1].found.ledger_fits = 1;
	e->found.newer = 5;
	e->found.newer_period = 5000;
	e->found.delivered += 5;
	e->found.period += 5000;
	r->found.newer_lost = 4;
	r->found.newer_lost_records = 2;
	r->found.lost += 4;
	r->found.lost_records += 2;
	assert_watched(words, sizeof(words) / sizeof(words[0]));
}

/* A dump of a region that another program has read from. */
static void records_read_elsewhere_are_checked(void **state)
{
	uint64_t *const words[] = { &ledger.events[0].found.elsewhere,
		                    &ledger.events[0].found.delivered };

	(void)state;
	ledger.events[0].found.elsewhere = 60;
	ledger.events[0].found.delivered = 40;
	/* The periods of these records, and the LOST records among them, are missing as well. */
	ledger.events[0].found.period = 40000;
	ledger.rings[0].found.lost = 1;
	assert_watched(words, sizeof(words) / sizeof(words[0]));
	/* but the LOST records may not report more than was lost */
	ledger.rings[0].ledger.reported = 21;
	assert_false(conserved());
	ledger.rings[0].ledger.reported = 20;
	assert_true(conserved());
}

static void a_count_without_samples_has_no_period_to_be_held_to(void **state)
{
	(void)state;
	ledger.events[3].ledger.count = 0;
	assert_true(conserved());
	ledger.events[3].event.attr.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	ledger.events[3].found.period = 0;
	assert_true(conserved());
}

/* The equation of AUX bytes is for the end: before, not all bytes have been reported. */
static void bytes_on_their_way_are_only_for_a_machine_that_did_not_end(void **state)
{
	(void)state;
	ledger.rings[1].ledger.aux_written += 24;
	assert_false(conserved());
	ledger.head.state = TR_RECORDING;
	ledger.rings[0].found.ledger_fits = ledger.rings[1].found.ledger_fits = 1;
	assert_true(conserved());
	ledger.head.state = TR_COMPLETE;
	ledger.rings[1].ring.aux_size = 0;
	assert_true(conserved());
}

static void a_rings_wakeups_are_summed_by_cause(void **state)
{
	struct check_wakeups sum;

	(void)state;
	ledger.rings[0].found.wakeups = 5;
	ledger.rings[1].found.wakeups = 6;
	sum = check_sum_wakeups(&ledger);
	assert_int_equal(sum.causes[TR_WAKEUP_THRESHOLD], 8);
	assert_int_equal(sum.causes[TR_WAKEUP_END], 2);
	assert_int_equal(sum.sent, 14);
	assert_int_equal(sum.coalesced, 6);
	assert_int_equal(sum.repeated, 4);
	assert_int_equal(sum.received, 11);
	assert_int_equal(sum.rung, 18);
}

static void records_in_flight_are_only_for_a_machine_that_did_not_end(void **state)
{
	(void)state;
	ledger.events[0].ledger.generated++;
	assert_false(conserved());
	ledger.head.state = TR_PANIC;
	ledger.rings[0].found.ledger_fits = ledger.rings[1].found.ledger_fits = 1;
	assert_true(conserved());
	ledger.rings[1].found.ledger_fits = 0;
	assert_false(conserved());
}

static void only_idle_complete_and_failed_are_ends(void **state)
{
	static const bool ends[] = {
		[TR_IDLE] = true, [TR_COMPLETE] = true, [TR_FAILED] = true, [TR_PANIC] = false
	};

	(void)state;
	ledger.events[0].ledger.generated++; /* in flight: not allowed at the end */
	ledger.rings[0].found.ledger_fits = ledger.rings[1].found.ledger_fits = 1;
	for (uint32_t i = 0; i < 100; i++) {
		bool is_end = i < sizeof(ends) / sizeof(ends[0]) && ends[i];

		ledger.head.state = i;
		assert_int_equal(ledger_ended(&ledger), is_end);
		assert_int_equal(conserved(), !is_end);
	}
}

static void a_record_of_a_stranger_is_unaccounted_for(void **state)
{
	(void)state;
	ledger.strangers = 1;
	assert_false(conserved());
}

static void overwritten_records_are_no_loss_in_an_overwritable_ring_alone(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		ledger.events[i].found.delivered = 40;
		ledger.events[i].found.period = 40000;
	}
	assert_false(conserved());
	ledger.rings[0].ring.flags = TR_RING_BACKWARD;
	assert_int_equal(check_overwritten(&ledger, &ledger.events[0]), 60);
	assert_true(conserved());
}

static void a_ledger_survives_the_file(void **state)
{
	struct ledger copy;
	struct blob blob = { 0 };

	(void)state;
	ledger_store(&ledger, &blob);
	assert_int_equal(ledger_parse(&copy, blob.bytes, blob.size, &error), 0);
	assert_int_equal(copy.head.event_count, 4);
	assert_memory_equal(copy.events, ledger.events, 4 * sizeof(*copy.events));
	assert_memory_equal(copy.rings, ledger.rings, 2 * sizeof(*copy.rings));
	assert_ptr_equal(ledger_find(&copy, FIXTURE_ID(1, 1)), &copy.events[3]);
	assert_null(ledger_find(&copy, 999));
	ledger_free(&copy);
	blob_free(&blob);
}

static void a_damaged_ledger_is_refused(void **state)
{
	struct ledger copy;
	struct blob blob = { 0 };
	struct ledger_head *head;
	struct ledger_event *event;

	(void)state;
	ledger_store(&ledger, &blob);
	head = (struct ledger_head *)(void *)blob.bytes;
	for (size_t size = 0; size < blob.size; size += 61)
		assert_int_equal(ledger_parse(&copy, blob.bytes, size, &error), -EPROTO);
	head->event_count = UINT32_MAX;
	assert_int_equal(ledger_parse(&copy, blob.bytes, blob.size, &error), -EPROTO);
	head->event_count = 4;
	head->magic++;
	assert_int_equal(ledger_parse(&copy, blob.bytes, blob.size, &error), -EPROTO);
	head->magic--;
	event = (struct ledger_event *)(void *)((uint8_t *)(head + 1) +
	                                        head->cpu_count * sizeof(struct tr_cpu));
	event->event.ring = 2;
	assert_int_equal(ledger_parse(&copy, blob.bytes, blob.size, &error), -EPROTO);
	event->event.ring = 0;
	event->event.id = FIXTURE_ID(0, 1);
	assert_int_equal(ledger_parse(&copy, blob.bytes, blob.size, &error), -EPROTO);
	blob_free(&blob);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, check_rig_setup, check_rig_teardown)
		TEST(a_balanced_ledger_is_conserved),
		TEST(every_count_of_an_event_is_watched),
		TEST(every_count_of_a_ring_is_watched),
		TEST(every_byte_of_an_aux_area_is_watched),
		TEST(every_count_of_a_branch_trace_is_watched),
		TEST(a_branch_trace_has_whole_records_alone),
		TEST(a_branch_trace_is_whole_at_its_end_alone),
		TEST(rings_that_share_a_bell_are_watched_together),
		TEST(bells_are_counted_where_there_are_any_and_at_the_end),
		TEST(records_newer_than_the_ledger_are_checked),
		TEST(records_read_elsewhere_are_checked),
		TEST(a_count_without_samples_has_no_period_to_be_held_to),
		TEST(bytes_on_their_way_are_only_for_a_machine_that_did_not_end),
		TEST(a_rings_wakeups_are_summed_by_cause),
		TEST(records_in_flight_are_only_for_a_machine_that_did_not_end),
		TEST(only_idle_complete_and_failed_are_ends),
		TEST(a_record_of_a_stranger_is_unaccounted_for),
		TEST(overwritten_records_are_no_loss_in_an_overwritable_ring_alone),
		TEST(a_ledger_survives_the_file),
		TEST(a_damaged_ledger_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
