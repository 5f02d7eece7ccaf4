/* SPDX-License-Identifier: MIT */
/* The losses of a recording: every kind is reported, with its share and the option that would help.
 * */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "abi/event_types.h"
#include "host-tools/ledger/missing.h"

#define RINGS  2U
#define EVENTS 4U /* cycles and bts// or arm_spe// on each of two CPUs */

static struct tr_cpu cpus[RINGS];
static struct ledger_event events[EVENTS];
static struct ledger_ring rings[RINGS];
static struct ledger ledger;
static char reported[2048]; /* the reported losses, one per line */
static char advice[128];

/* A complete recording: 100 samples of cycles and 10 AUX pieces on each CPU. */
static int setup(void **state)
{
	(void)state;
	memset(events, 0, sizeof(events));
	memset(rings, 0, sizeof(rings));
	ledger = (struct ledger){ .cpus = cpus, .events = events, .rings = rings };
	ledger.head.event_count = EVENTS;
	ledger.head.ring_count = RINGS;
	ledger.head.state = TR_COMPLETE;
	for (uint32_t i = 0; i < EVENTS; i++) {
		struct ledger_event *e = &events[i];
		uint64_t records = i % 2 ? 10 : 100;

		e->event.evsel = i % 2;
		e->event.cpu = e->event.ring = i / 2;
		e->event.id = i + 1;
		e->event.attr.sample_period = i % 2 ? 1 : 1000;
		e->event.attr.type = i % 2 ? PERF_TYPE_INTEL_BTS : PERF_TYPE_HARDWARE;
		snprintf(e->event.name, sizeof(e->event.name), i % 2 ? "bts//" : "cycles");
		e->ledger.generated = e->ledger.written = e->found.delivered = records;
		e->ledger.time_running = e->ledger.time_enabled = 1000000000;
		if (i % 2)
			e->ledger.branch_records = e->ledger.count = 1000;
	}
	for (uint32_t i = 0; i < RINGS; i++) {
		struct ledger_ring *r = &rings[i];

		r->ring.data_size = 4 * TR_PAGE;
		r->ring.aux_size = 16 * TR_PAGE;
		r->ring.aux_watermark = 4 * TR_PAGE;
		r->ledger.data_head = 110 * 64; /* every record has 64 bytes */
		r->ledger.aux_records = r->found.aux_records = 10;
		r->ledger.aux_written = r->found.aux_delivered = 24000;
	}
	return 0;
}

static void add_line(void *context, const struct missing *missing)
{
	char text[256];

	(void)context;
	missing_text(missing, text, sizeof(text));
	strncat(reported, text, sizeof(reported) - strlen(reported) - 2);
	strcat(reported, "\n");
}

static void tell(void)
{
	bool any, can_be_helped;

	*reported = 0;
	any = missing_list(&ledger, add_line, NULL);
	assert_int_equal(any, *reported != 0);
	assert_int_equal(missing_list(&ledger, NULL, NULL), any);
	can_be_helped = missing_advice(&ledger, advice, sizeof(advice));
	assert_int_equal(can_be_helped, *advice != 0);
}

static void a_whole_recording_lacks_nothing(void **state)
{
	uint64_t sums[MISSING_KINDS];

	(void)state;
	tell();
	assert_string_equal(reported, "");
	assert_string_equal(advice, "");
	missing_sum(&ledger, sums);
	for (int kind = 0; kind < MISSING_KINDS; kind++)
		assert_int_equal(sums[kind], 0);
}

/* So many records of cycles on CPU i were lost. */
static void lose(uint32_t cpu, uint64_t records)
{
	events[2 * cpu].ledger.generated += records;
	events[2 * cpu].ledger.lost += records;
	rings[cpu].ledger.lost += records;
}

static void
lost_records_are_reported_with_their_share_and_the_ring_that_would_hold_them(void **state)
{
	uint64_t sums[MISSING_KINDS];

	(void)state;
	lose(0, 300);
	tell();
	assert_string_equal(reported,
	                    "cycles: 300 of 500 records (60.0 %) found no room in the ring\n");
	/* 4 pages and 300 records of 64 bytes are 35,584 bytes, which fit in 16 pages. */
	assert_string_equal(advice, "-m 16");
	lose(1, 60);
	tell();
	assert_string_equal(
	    reported, "cycles: 360 of 560 records (64.3 %) found no room in the ring, on 2 CPUs\n");
	assert_string_equal(advice, "-m 16");
	missing_sum(&ledger, sums);
	assert_int_equal(sums[MISSING_RECORDS], 360);
	/* `run --outside` has no such option */
	ledger.head.cpu_count = 1;
	ledger.cpus[0].flags = TR_CPU_GUEST;
	tell();
	assert_string_equal(advice, "");
	ledger.cpus[0].flags = 0;
}

static void the_fuller_ring_sets_the_size(void **state)
{
	(void)state;
	lose(0, 60);
	tell();
	assert_string_equal(advice, "-m 8");
	lose(1, 600);
	tell();
	assert_string_equal(advice, "-m 16");
	lose(1, 600); /* 93,184 bytes */
	tell();
	assert_string_equal(advice, "-m 32");
}

static void lose_branches(uint32_t cpu, uint64_t branches)
{
	events[2 * cpu + 1].ledger.branch_lost = branches;
	rings[cpu].ledger.aux_truncated = rings[cpu].found.aux_truncated = 2;
}

static void lost_branches_are_reported_with_the_area_that_would_hold_them(void **state)
{
	(void)state;
	lose_branches(1, 3000);
	tell();
	assert_string_equal(reported,
	                    "bts//: 3000 of 5000 branches (60.0 %) are not in the trace\n");
	/* 16 pages and 3,000 records of 24 bytes are 137,536 bytes. */
	assert_string_equal(advice, "-m ,64");
	lose(0, 300);
	tell();
	assert_string_equal(advice, "-m 16,64");
}

static void uncounted_branches_are_unknown_and_not_zero(void **state)
{
	uint64_t sums[MISSING_KINDS];

	(void)state;
	events[1].ledger.branch_lost = TR_UNKNOWN;
	tell();
	assert_string_equal(
	    reported, "bts//: how many branches are missing is unknown: nothing counted them\n");
	rings[0].ledger.aux_truncated = 4;
	events[3].ledger.branch_lost = 7; /* known here, but the sum is not */
	tell();
	assert_non_null(strstr(reported, "unknown: nothing counted them, on 2 CPUs\n"));
	assert_non_null(strstr(reported, "bts//: 4 of 10 pieces (40.0 %) were cut"));
	assert_string_equal(advice, "-m ,32"); /* twice the present size is enough */
	missing_sum(&ledger, sums);
	assert_true(sums[MISSING_BRANCHES] == TR_UNKNOWN);
}

static void make_spe(void)
{
	for (uint32_t i = 1; i < EVENTS; i += 2) {
		events[i].event.attr.type = PERF_TYPE_ARM_SPE;
		events[i].event.attr.sample_period = 4096;
		events[i].ledger.branch_records = 0;
		snprintf(events[i].event.name, sizeof(events[i].event.name), "arm_spe//");
	}
}

static void pieces_of_samples_that_were_cut_are_reported(void **state)
{
	(void)state;
	make_spe();
	rings[0].ledger.aux_truncated = 3;
	rings[0].ledger.aux_written = rings[0].found.aux_delivered = 10U << 20;
	rings[1].found.aux_partial = 2;
	rings[1].found.aux_collisions = 1;
	rings[1].ledger.aux_lost = 64;
	tell();
	assert_string_equal(
	    reported,
	    "arm_spe//: 3 of 20 pieces (15.0 %) were cut for want of room in the AUX area; what "
	    "passed until there was some is unknown\n"
	    "arm_spe//: 2 of 20 pieces (10.0 %) have gaps; what is missing in them is unknown\n"
	    "arm_spe//: 1 of 20 pieces (5.0 %) had collisions: operations that came before the last "
	    "one's record was done\n"
	    "arm_spe//: 64 bytes of trace were given up behind a fault\n");
	assert_string_equal(advice, "-m ,64"); /* four times the present size is enough */
}

static void an_area_in_snapshot_mode_overwrites_and_loses_nothing(void **state)
{
	(void)state;
	make_spe();
	for (uint32_t i = 0; i < RINGS; i++) {
		rings[i].ring.aux_watermark = 0;
		rings[i].ledger.aux_overwritten = 20000;
		rings[i].found.aux_delivered = 1000;
		rings[i].found.aux_unread = 3000;
	}
	tell();
	assert_string_equal(reported, "");
	rings[0].ledger.aux_truncated = 1;
	tell();
	assert_string_equal(advice, "");
}

static void the_hint_for_a_throttled_event_is_to_sample_less(void **state)
{
	(void)state;
	events[0].ledger.throttled = 5;
	tell();
	assert_string_equal(reported, "cycles: 5 times throttled, for up to 1 ms each\n");
	assert_string_equal(advice, "-c 2000");
	events[0].ledger.time_running = 100000; /* 100 samples in 0.1 ms: 20 times too many */
	tell();
	assert_string_equal(advice, "-c 21000");
	events[0].event.attr.flags |= PERF_ATTR_FREQ;
	events[0].event.attr.sample_freq = 1000000;
	tell();
	assert_string_equal(advice, "-F 47619");
	/* the event that needs the smallest change counts */
	events[2].event.attr = events[0].event.attr;
	events[2].ledger.throttled = 1;
	events[2].event.attr.sample_freq = 10000;
	tell();
	assert_string_equal(advice, "-F 5000");
	events[2].event.attr.sample_freq = 1000000;
	tell();
	assert_string_equal(advice, "-F 47619");
}

static void missing_records_are_reported(void **state)
{
	(void)state;
	events[0].found.delivered = 57;
	rings[1].found.aux_delivered -= 240;
	tell();
	assert_string_equal(
	    reported,
	    "cycles: 43 of 200 records (21.5 %) that the machine wrote are not here\n"
	    "bts//: 240 of 48000 bytes of trace (0.5 %) that the machine wrote are not "
	    "here\n");
	assert_string_equal(advice, "");
	rings[1].found.aux_unread = 240;
	tell();
	assert_non_null(strstr(reported, "bytes of trace"));
	ledger.of_region = true; /* there it is */
	tell();
	assert_null(strstr(reported, "bytes of trace"));
}

static void newer_overwritten_and_otherwise_read_records_are_not_missing(void **state)
{
	(void)state;
	events[0].found.delivered = 60;
	events[0].found.elsewhere = 40;
	tell();
	assert_string_equal(reported, "");
	events[0].found.elsewhere = 0;
	rings[0].ring.flags = TR_RING_BACKWARD;
	tell();
	assert_string_equal(reported, "");
	events[2].found.newer = 7; /* written after the last ledger, and missing here */
	tell();
	assert_string_equal(
	    reported, "cycles: 7 of 207 records (3.4 %) that the machine wrote are not here\n");
}

static void a_larger_ring_than_the_region_holds_needs_a_larger_region(void **state)
{
	(void)state;
	lose_branches(0, 2000000); /* 48 MB: 64 MiB on each of two CPUs */
	tell();
	assert_string_equal(advice, "-m ,16384 (bareperf run --region-size=256)");
	lose_branches(0, 600000); /* 14 MB: 16 MiB on each of two CPUs just fit in the default */
	tell();
	assert_string_equal(advice, "-m ,4096");
	lose_branches(0, 1200000);
	tell();
	assert_string_equal(advice, "-m ,8192 (bareperf run --region-size=128)");
}

/* The ring holds 65 bytes per record, rounded up: 4 pages and 252 records fit in 8 pages, 253 do
 * not. */
static void a_records_size_is_rounded_up(void **state)
{
	(void)state;
	rings[0].ledger.data_head = 110 * 64 + 1;
	lose(0, 252);
	tell();
	assert_string_equal(advice, "-m 8");
	lose(0, 1);
	tell();
	assert_string_equal(advice, "-m 16");
}

static void a_rate_that_no_region_can_hold_gives_the_advice_to_sample_less(void **state)
{
	(void)state;
	lose(0, 100000000); /* 6.4 GB */
	tell();
	assert_string_equal(advice, "-c 1000001000");
	events[0].event.attr.flags |= PERF_ATTR_FREQ;
	events[0].event.attr.sample_freq = 4000;
	tell();
	assert_string_equal(advice, "-F 1");
}

static void a_share_is_neither_none_nor_all_by_rounding(void **state)
{
	(void)state;
	events[0].ledger.generated = 999800 + 100;
	events[0].ledger.lost = 100;
	tell();
	assert_non_null(strstr(reported, "100 of 1000000 records (under 0.1 %)"));
	events[0].ledger.lost = events[0].ledger.generated - 1;
	tell();
	assert_non_null(strstr(reported, "(over 99.9 %)"));
	events[0].ledger.lost = events[0].ledger.generated;
	events[2].ledger.generated = 0;
	tell();
	assert_non_null(strstr(reported, "(100.0 %)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, setup)
		TEST(a_whole_recording_lacks_nothing),
		TEST(lost_records_are_reported_with_their_share_and_the_ring_that_would_hold_them),
		TEST(the_fuller_ring_sets_the_size),
		TEST(lost_branches_are_reported_with_the_area_that_would_hold_them),
		TEST(uncounted_branches_are_unknown_and_not_zero),
		TEST(pieces_of_samples_that_were_cut_are_reported),
		TEST(an_area_in_snapshot_mode_overwrites_and_loses_nothing),
		TEST(the_hint_for_a_throttled_event_is_to_sample_less),
		TEST(missing_records_are_reported),
		TEST(newer_overwritten_and_otherwise_read_records_are_not_missing),
		TEST(a_larger_ring_than_the_region_holds_needs_a_larger_region),
		TEST(a_records_size_is_rounded_up),
		TEST(a_rate_that_no_region_can_hold_gives_the_advice_to_sample_less),
		TEST(a_share_is_neither_none_nor_all_by_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
