/* SPDX-License-Identifier: MIT */
/* The self-test's verdicts, on figures of good, faulty, and doubtful machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/perf_event.h"
#include "abi/trace_region.h"
#include "agent/selftest/selftest_judge.h"

static struct selftest_line line;

#define JUDGE(judge, ...)                           \
	do {                                        \
		line = (struct selftest_line){ 0 }; \
		judge(&(__VA_ARGS__), &line);       \
	} while (0)

static void assert_line(enum selftest_verdict verdict, const char *text)
{
	if (line.verdict != verdict || strcmp(line.text, text) != 0)
		fail_msg("verdict %d, \"%s\"; expected %d, \"%s\"", line.verdict, line.text,
		         verdict, text);
}

static void assert_figure(const char *name, int64_t value)
{
	for (unsigned i = 0; i < line.nr_figures; i++) {
		if (!strcmp(line.figures[i].name, name)) {
			assert_int_equal(line.figures[i].value, value);
			return;
		}
	}
	fail_msg("no figure %s", name);
}

static void a_spread_is_sorted_and_its_median_is_the_middle(void **state)
{
	int64_t values[] = { 5, -3, 9, 1, 7 };
	struct selftest_spread s = selftest_spread_of(values, 5);

	(void)state;
	assert_int_equal(s.count, 5);
	assert_int_equal(s.min, -3);
	assert_int_equal(s.median, 5);
	assert_int_equal(s.max, 9);
	s = selftest_spread_of(values, 4);
	assert_int_equal(s.median, 5);
	assert_int_equal(s.max, 7);
	s = selftest_spread_of(values, 1);
	assert_int_equal(s.max, -3);
	s = selftest_spread_of(values, 0);
	assert_int_equal(s.count + s.min + s.median + s.max, 0);
}

/* ---- Counters ---- */

static void counters_that_are_ours_are_good(void **state)
{
	(void)state;
	JUDGE(judge_census, (struct selftest_census){ 0x70000000fULL, 0, 0, 0 });
	assert_line(SELFTEST_PASS, "7, all ours, none left counting");
	assert_figure("present", 0x70000000fLL);
	JUDGE(judge_census, (struct selftest_census){ 0, 0, 0, 0 });
	assert_line(SELFTEST_ABSENT, "no counters");
	/* counters that do not exist are not foreign */
	JUDGE(judge_census, (struct selftest_census){ 0xf, 0x10, 0x20, 0 });
	assert_line(SELFTEST_PASS, "4, all ours, none left counting");
}

static void counters_that_firmware_owns_or_left_counting_are_named(void **state)
{
	(void)state;
	JUDGE(judge_census, (struct selftest_census){ 0xf, 0x1, 0x6, 0 });
	assert_line(SELFTEST_FAIL,
	            "firmware or a hypervisor owns 2 of 4 (mask 0x6): they do not keep what is "
	            "written to them");
	assert_figure("foreign", 6);
	JUDGE(judge_census, (struct selftest_census){ 0xf, 0, 0x6, 0x4 });
	assert_line(SELFTEST_FAIL,
	            "the hypervisor's: 1 of 4 (mask 0x4) keep what is written and count nothing");
	JUDGE(judge_census, (struct selftest_census){ 0xf, 0x3, 0, 0 });
	assert_line(SELFTEST_FAIL, "firmware left 2 of 4 counting (mask 0x3); they are stopped");
	assert_figure("leftovers", 3);
	JUDGE(judge_census, (struct selftest_census){ 0xf, TR_LEFTOVERS_TRACE, 0, 0 });
	assert_line(SELFTEST_FAIL,
	            "firmware left a trace on, or a setting that freezes counters; it is now off");
}

static void a_count_is_exact_if_it_always_equals_the_loops(void **state)
{
	struct selftest_count f = { SELFTEST_EXACT, 1000, 2, { 3, 2000, 2000, 2000 } };

	(void)state;
	JUDGE(judge_count, f);
	assert_line(SELFTEST_PASS, "exact: 2000 along 1000 turns of a loop, 3 times");
	assert_figure("expected", 2000);
	assert_figure("median", 2000);
	f.d.max = 2001;
	JUDGE(judge_count, f);
	assert_line(SELFTEST_FAIL, "2000 to 2001 where there are 2000");
	f.d = (struct selftest_spread){ 3, 1999, 2000, 2000 };
	JUDGE(judge_count, f);
	assert_line(SELFTEST_FAIL, "1999 to 2000 where there are 2000");
	f.d = (struct selftest_spread){ 3, 0, 0, 1 };
	JUDGE(judge_count, f);
	assert_line(SELFTEST_FAIL, "0 to 1 where there are 2000");
	f.d = (struct selftest_spread){ 3, 0, 0, 0 };
	JUDGE(judge_count, f);
	assert_line(SELFTEST_FAIL, "counts nothing");
	f.d.count = 0;
	JUDGE(judge_count, f);
	assert_line(SELFTEST_FAIL, "could not be counted");
}

static void events_of_time_must_count_and_rare_events_have_a_limit(void **state)
{
	struct selftest_count f = { SELFTEST_MOVES, 1000, 100, { 3, 1, 500000, 900000 } };

	(void)state;
	JUDGE(judge_count, f);
	assert_line(SELFTEST_PASS, "counts: 1 to 900000 along 2000 turns of a loop");
	f.d.min = 0;
	JUDGE(judge_count, f);
	assert_line(SELFTEST_FAIL, "counts nothing along a loop that takes time");
	f = (struct selftest_count){ SELFTEST_RARE, 1000, 1, { 3, 0, 0, 1000 } };
	JUDGE(judge_count, f);
	assert_line(SELFTEST_PASS, "counts: 0 to 1000 along 1000 turns of a loop");
	f.d.max = 1001;
	JUDGE(judge_count, f);
	assert_line(SELFTEST_FAIL, "0 to 1001 where there can be 1000 at the most");
	f.d = (struct selftest_spread){ 3, -1000, 0, 0 };
	JUDGE(judge_count, f);
	assert_line(SELFTEST_PASS, "counts: -1000 to 0 along 1000 turns of a loop");
	f.d.min = -1001;
	JUDGE(judge_count, f);
	assert_line(SELFTEST_FAIL, "-1001 to 0 where there can be 1000 at the most");
}

static void all_counters_at_once_are_exact_or_counted(void **state)
{
	(void)state;
	JUDGE(judge_together, (struct selftest_together){ 5, 0, 20, 20, 20 });
	assert_line(SELFTEST_PASS, "5 at once, all exact");
	JUDGE(judge_together, (struct selftest_together){ 5, 1, 7, 20, 20 });
	assert_line(SELFTEST_FAIL, "1 of 5 counters are wrong: 7 to 20 for 20");
	assert_figure("counters", 5);
	assert_figure("wrong", 1);
	assert_figure("expected", 20);
	JUDGE(judge_together, (struct selftest_together){ 0, 0, 0, 0, 20 });
	assert_line(SELFTEST_FAIL, "no counter takes it");
}

/* ---- Interrupts ---- */

/* Medians, and the ps that an event takes. */
static void judge_latency(int64_t fast, uint64_t fast_ps, int64_t slow, uint64_t slow_ps)
{
	JUDGE(judge_pmi, (struct selftest_pmi){ "instructions",
	                                        30,
	                                        30,
	                                        { 24, fast - 3, fast, fast + 5 },
	                                        { 6, slow - 3, slow, slow + 5 },
	                                        fast_ps,
	                                        slow_ps });
}

static void an_interrupt_that_comes_at_once_is_good(void **state)
{
	(void)state;
	judge_latency(13, 500, 14, 50000);
	assert_line(SELFTEST_PASS, "10, 13, 18 instructions late, some 6 ns");
	assert_figure("due", 30);
	assert_figure("came", 30);
	assert_figure("skid_min", 10);
	assert_figure("skid_median", 13);
	assert_figure("skid_max", 18);
	assert_figure("latency_ns", 6);
	assert_figure("slow_skid_median", 14);
	assert_figure("slow_latency_ns", 700);
	judge_latency(0, 0, 0, 0);
	assert_int_equal(line.verdict, SELFTEST_PASS);
}

static void so_many_events_late_whatever_they_take_is_skid(void **state)
{
	(void)state;
	judge_latency(1001, 500, 1001, 50000);
	assert_line(SELFTEST_FAIL, "skid: 1001 instructions (median), whatever they take");
	judge_latency(1000, 500, 1001, 50000);
	assert_int_equal(line.verdict, SELFTEST_PASS);
	judge_latency(1001, 500, 1000, 50000);
	assert_int_equal(line.verdict, SELFTEST_PASS);
	/* late by more than the limit, although the speed differs */
	judge_latency(5013, 2000, 5020, 60000);
	assert_line(SELFTEST_FAIL, "skid: 5013 instructions (median), whatever they take");
	judge_latency(1500, 500, 1500, 900); /* at the same speed, and early enough */
	assert_line(SELFTEST_FAIL, "skid: 1500 instructions (median), whatever they take");
}

static void so_many_ns_late_whatever_runs_is_late(void **state)
{
	(void)state;
	judge_latency(40000, 500, 400, 50000);
	assert_line(SELFTEST_FAIL, "late: 20000 ns (median), whatever runs");
	judge_latency(20002, 500, 300, 50000);
	assert_line(SELFTEST_FAIL, "late: 10001 ns (median), whatever runs");
	judge_latency(20000, 500, 300, 50000);
	assert_int_equal(line.verdict, SELFTEST_PASS);
	judge_latency(20002, 500, 200, 50000);
	assert_int_equal(line.verdict, SELFTEST_PASS);
	judge_latency(400000, 500, 4200, 50000);
	assert_line(SELFTEST_FAIL, "late: 200000 ns (median), whatever runs");
	judge_latency(4200, 50000, 400000, 500); /* if the slow loop is as fast as the fast one */
	assert_line(SELFTEST_FAIL, "late: 210000 ns (median), whatever runs");
}

static void loops_that_take_equally_long_cannot_be_distinguished(void **state)
{
	(void)state;
	judge_latency(5013, 16000, 5013, 16000);
	assert_line(SELFTEST_FAIL, "skid, or late: 5013 instructions, 80208 ns (median)");
	judge_latency(5013, 16000, 5013, 31900);
	assert_line(SELFTEST_FAIL, "skid, or late: 5013 instructions, 80208 ns (median)");
	judge_latency(5013, 16000, 5013, 32000);
	assert_line(SELFTEST_FAIL, "skid: 5013 instructions (median), whatever they take");
}

static void interrupts_that_do_not_come_are_lost(void **state)
{
	struct selftest_pmi f = { .event = "cycles", .due = 30, .came = 29 };

	(void)state;
	JUDGE(judge_pmi, f);
	assert_line(SELFTEST_FAIL, "lost: 1 of 30 interrupts did not come in time");
	f.came = 0;
	JUDGE(judge_pmi, f);
	assert_line(SELFTEST_FAIL, "no interrupt came, and 30 were due");
	f.due = 0;
	JUDGE(judge_pmi, f);
	assert_line(SELFTEST_FAIL, "it counts nothing");
	f.due = f.came = 1;
	JUDGE(judge_pmi, f);
	assert_int_equal(line.verdict, SELFTEST_PASS);
	f.came = 2; /* one interrupt was pending when the last one was counted */
	JUDGE(judge_pmi, f);
	assert_int_equal(line.verdict, SELFTEST_PASS);
}

static void interrupts_without_a_cause_are_reported_above_one_percent(void **state)
{
	(void)state;
	JUDGE(judge_spurious, (struct selftest_spurious){ 2, 200 });
	assert_line(SELFTEST_PASS, "2 that nobody caused, beside 200");
	JUDGE(judge_spurious, (struct selftest_spurious){ 3, 200 });
	assert_line(SELFTEST_FAIL, "spurious: 3 that nobody caused, beside 200");
	assert_figure("spurious", 3);
	assert_figure("came", 200);
	JUDGE(judge_spurious, (struct selftest_spurious){ 0, 0 });
	assert_line(SELFTEST_ABSENT, "no interrupt of a counter came");
}

/* ---- The content of an AUX area ---- */

static void two_traces_of_the_same_code_are_the_same(void **state)
{
	struct selftest_branches f = { true, true, 95, 95, 95, true, 0, "because" };

	(void)state;
	JUDGE(judge_branches, f);
	assert_line(SELFTEST_PASS, "the same 95 branches");
	assert_figure("store", 95);
	assert_figure("step", 95);
	assert_figure("lost", 0);
	f.differ = 94;
	JUDGE(judge_branches, f);
	assert_line(SELFTEST_FAIL,
	            "they differ from branch 94 on: 95 by the store, 95 by single-step");
	f.differ = 95;
	f.step_n = 96;
	JUDGE(judge_branches, f);
	assert_line(SELFTEST_FAIL,
	            "they differ from branch 95 on: 95 by the store, 96 by single-step");
	f.lost = 3;
	JUDGE(judge_branches, f);
	assert_line(SELFTEST_FAIL, "3 branches were lost by the store");
	f.is_known = false;
	f.step_n = 95;
	JUDGE(judge_branches, f);
	assert_line(SELFTEST_PASS, "the same 95 branches");
	assert_figure("lost", -1);
	f.store_n = 0;
	JUDGE(judge_branches, f);
	assert_line(SELFTEST_FAIL, "the branch trace store shows no branch");
}

static void a_trace_that_is_not_there_is_absent(void **state)
{
	(void)state;
	JUDGE(judge_branches, (struct selftest_branches){ .why = "none here" });
	assert_line(SELFTEST_ABSENT, "none here");
	JUDGE(judge_branches,
	      (struct selftest_branches){ .stepped = true, .step_n = 9, .why = "none here" });
	assert_line(SELFTEST_ABSENT, "none here; single-step: 9 branches");
	JUDGE(judge_branches, (struct selftest_branches){ .stepped = true, .why = "none here" });
	assert_line(SELFTEST_FAIL, "single-step shows no branch");
	JUDGE(judge_branches, (struct selftest_branches){
	                          .stored = true, .store_n = 9, .is_known = true, .why = "none" });
	assert_line(SELFTEST_PASS, "9 by the store; none");
}

static void spe_has_as_many_records_as_the_counters_demand(void **state)
{
	struct selftest_spe f = { 976, 4000000, 4096, 0, true, false };

	(void)state;
	JUDGE(judge_spe, f);
	assert_line(SELFTEST_PASS, "976 records, 976 by the counters");
	assert_figure("expected", 976);
	f.records = 976 + 99;
	JUDGE(judge_spe, f);
	assert_int_equal(line.verdict, SELFTEST_PASS);
	f.records++;
	JUDGE(judge_spe, f);
	assert_line(SELFTEST_FAIL, "1076 records where counters demand 976");
	f.records = 976 - 99;
	JUDGE(judge_spe, f);
	assert_int_equal(line.verdict, SELFTEST_PASS);
	f.records--;
	f.is_counted = false;
	JUDGE(judge_spe, f);
	assert_line(SELFTEST_FAIL, "876 records where the loop demands 976");
	f.records = 976;
	JUDGE(judge_spe, f);
	assert_line(SELFTEST_PASS, "976 records, 976 by the loop");
	f.interval = 0;
	f.records = 3;
	JUDGE(judge_spe, f);
	assert_line(SELFTEST_FAIL, "3 records where the loop demands 0");
}

static void losses_that_spe_reports_are_named(void **state)
{
	struct selftest_spe f = { 976, 4000000, 4096, PERF_AUX_FLAG_COLLISION, true, false };

	(void)state;
	JUDGE(judge_spe, f);
	assert_line(SELFTEST_FAIL, "lost: samples collide, at an interval of 4096");
	assert_figure("flags", PERF_AUX_FLAG_COLLISION);
	f.flags |= PERF_AUX_FLAG_PARTIAL;
	JUDGE(judge_spe, f);
	assert_line(SELFTEST_FAIL, "lost: it says that data are lost");
	f.flags |= PERF_AUX_FLAG_TRUNCATED;
	JUDGE(judge_spe, f);
	assert_line(SELFTEST_FAIL, "lost: it stopped for want of room, or a fault");
	f.is_broken = true;
	JUDGE(judge_spe, f);
	assert_line(SELFTEST_FAIL, "not all that it wrote are packets");
}

/* ---- Time ---- */

static void clocks_that_keep_their_distance_do_not_drift(void **state)
{
	struct selftest_clock f = { 0, 0, 100, 120, 1000000000ULL, 2000000000ULL };

	(void)state;
	JUDGE(judge_clock, f);
	assert_line(SELFTEST_PASS, "the same within 50 ns, no drift");
	f.offset = -4000;
	f.later_offset = -4220;
	JUDGE(judge_clock, f);
	assert_line(SELFTEST_PASS, "-2000 ns off, within 50 ns; allowed for; no drift");
	assert_figure("offset_ns", -2000);
	assert_figure("error_ns", 50);
	assert_figure("drift_ppb", -220);
	f.later_offset = -4221;
	JUDGE(judge_clock, f);
	assert_line(SELFTEST_FAIL,
	            "drifts by -221 ppb: -2000 ns off, within 50 ns, at the beginning");
	f.later_offset = -3780;
	JUDGE(judge_clock, f);
	assert_int_equal(line.verdict, SELFTEST_PASS);
	f.later_offset = -3779;
	JUDGE(judge_clock, f);
	assert_line(SELFTEST_FAIL,
	            "drifts by 221 ppb: -2000 ns off, within 50 ns, at the beginning");
	f.cycles = f.frequency = 0;
	JUDGE(judge_clock, f);
	assert_figure("drift_ppb", 0);
	assert_figure("offset_ns", 0);
}

static void a_timer_comes_neither_early_nor_too_late(void **state)
{
	struct selftest_timer f = { 64, { 64, 0, 1000000, 5000000 } };

	(void)state;
	JUDGE(judge_timer, f);
	assert_line(SELFTEST_PASS, "0, 1000000, 5000000 ns after the deadline");
	assert_figure("late_max_ns", 5000000);
	f.late.median++;
	JUDGE(judge_timer, f);
	assert_line(SELFTEST_FAIL, "late: by 1000001 ns (median)");
	f.late.min = -1;
	JUDGE(judge_timer, f);
	assert_line(SELFTEST_FAIL, "early: by 1 ns before the deadline");
	f.late.count = 63;
	JUDGE(judge_timer, f);
	assert_line(SELFTEST_FAIL, "lost: 1 of 64 interrupts did not come");
	assert_figure("due", 64);
	assert_figure("came", 63);
}

static void gaps_are_counted_and_long_gaps_are_listed(void **state)
{
	struct selftest_gaps f = { 2, 1000000, 3000000, 300000000, true, 7 };

	(void)state;
	JUDGE(judge_gaps, f);
	assert_line(SELFTEST_PASS,
	            "2 of more than 10 us in 300 ms, the longest 1000000 ns, 7 SMIs");
	assert_figure("gaps", 2);
	assert_figure("smi", 7);
	assert_figure("sum_ns", 3000000);
	assert_figure("watched_ns", 300000000);
	f.sum++;
	JUDGE(judge_gaps, f);
	assert_line(SELFTEST_FAIL,
	            "the machine was away 2 times, the longest 1000000 ns, 3000 of "
	            "300000 us, 7 SMIs");
	f.sum--;
	f.longest++;
	f.has_smi = false;
	JUDGE(judge_gaps, f);
	assert_line(SELFTEST_FAIL,
	            "the machine was away 2 times, the longest 1000001 ns, 3000 of 300000 us");
	assert_figure("smi", -1);
	assert_figure("longest_ns", 1000001);
}

/* ---- Books ---- */

static const struct selftest_ring balanced = {
	.generated = 800,
	.written = 500,
	.lost = 300,
	.delivered = 500,
	.count = 81000,
	.period = 80000,
	.residue = 1000,
	.delivered_period = 50000,
	.lost_period = 30000,
	.ring_lost = 300,
	.reported = 300,
	.delivered_lost = 300,
	.causes = 5,
	.sent = 4,
	.coalesced = 1,
};

static void a_balanced_ledger_is_good(void **state)
{
	struct selftest_ring f = balanced;

	(void)state;
	JUDGE(judge_ring, f);
	assert_line(SELFTEST_PASS, "conserved: 800 = 500 read + 300 lost and reported");
	assert_figure("generated", 800);
	assert_figure("written", 500);
	assert_figure("delivered", 500);
	assert_figure("lost", 300);
	assert_figure("reported", 300);
}

static void each_line_of_the_ledger_that_does_not_hold_is_named(void **state)
{
	static const struct {
		size_t field; /* one more of this figure */
		const char *what;
	} wrong[] = {
		{ offsetof(struct selftest_ring, generated), "generated is not written + lost" },
		{ offsetof(struct selftest_ring, delivered), "written is not delivered" },
		{ offsetof(struct selftest_ring, count), "the count is not period + residue" },
		{ offsetof(struct selftest_ring, lost_period), "the period is not what was" },
		{ offsetof(struct selftest_ring, delivered_period), "the period is not what was" },
		{ offsetof(struct selftest_ring, delivered_lost), "LOST records do not add up" },
		{ offsetof(struct selftest_ring, causes), "wakeups sent are not" },
		{ offsetof(struct selftest_ring, ring_lost), "the ring's lost is not its events'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct selftest_ring f = balanced;

		++*(uint64_t *)(void *)((char *)&f + wrong[i].field);
		JUDGE(judge_ring, f);
		assert_int_equal(line.verdict, SELFTEST_FAIL);
		assert_non_null(strstr(line.text, wrong[i].what));
	}
	struct selftest_ring f = balanced;

	f.reported = f.delivered_lost = 299;
	JUDGE(judge_ring, f);
	assert_line(SELFTEST_FAIL,
	            "unaccounted for: not all losses are reported (800 = 500 + "
	            "300, 500 read)");
	f = balanced;
	f.is_broken = true;
	JUDGE(judge_ring, f);
	assert_line(SELFTEST_FAIL,
	            "unaccounted for: the reader refused the ring (800 = 500 + 300, 500 read)");
}

static void a_ring_that_nothing_came_to_or_that_was_never_full_proves_nothing(void **state)
{
	struct selftest_ring f = { .generated = 0 };

	(void)state;
	JUDGE(judge_ring, f);
	assert_line(SELFTEST_FAIL, "too few samples to fill a page: 0 in two seconds");
	f = (struct selftest_ring){ .generated = 9, .written = 9, .delivered = 9 };
	JUDGE(judge_ring, f);
	assert_line(SELFTEST_FAIL, "too few samples to fill a page: 9 in two seconds");
}

static void marks_show_which_memory_a_reset_keeps(void **state)
{
	(void)state;
	JUDGE(judge_marks, (struct selftest_marks){ 22, 22, 0, true, false });
	assert_line(SELFTEST_PASS, "all 22 marks in RAM survived a reset");
	JUDGE(judge_marks, (struct selftest_marks){ 21, 22, 0x1000000, false, false });
	assert_line(SELFTEST_PASS,
	            "21 of 22 marks in RAM survived a reset; the first that did not: 0x1000000");
	assert_figure("found", 21);
	assert_figure("left", 22);
	assert_figure("first_lost", 0x1000000);
	JUDGE(judge_marks, (struct selftest_marks){ 22, 22, 0, false, true });
	assert_line(SELFTEST_ABSENT, "no reset since the last self-test");
	JUDGE(judge_marks, (struct selftest_marks){ 0 });
	assert_line(SELFTEST_ABSENT,
	            "no marks of an earlier self-test (selftest --reset asks for a reset)");
	JUDGE(judge_marks, (struct selftest_marks){ .was_reset = true });
	assert_line(SELFTEST_FAIL, "the reset kept nothing of RAM");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spread_is_sorted_and_its_median_is_the_middle),
		cmocka_unit_test(counters_that_are_ours_are_good),
		cmocka_unit_test(counters_that_firmware_owns_or_left_counting_are_named),
		cmocka_unit_test(a_count_is_exact_if_it_always_equals_the_loops),
		cmocka_unit_test(events_of_time_must_count_and_rare_events_have_a_limit),
		cmocka_unit_test(all_counters_at_once_are_exact_or_counted),
		cmocka_unit_test(an_interrupt_that_comes_at_once_is_good),
		cmocka_unit_test(so_many_events_late_whatever_they_take_is_skid),
		cmocka_unit_test(so_many_ns_late_whatever_runs_is_late),
		cmocka_unit_test(loops_that_take_equally_long_cannot_be_distinguished),
		cmocka_unit_test(interrupts_that_do_not_come_are_lost),
		cmocka_unit_test(interrupts_without_a_cause_are_reported_above_one_percent),
		cmocka_unit_test(two_traces_of_the_same_code_are_the_same),
		cmocka_unit_test(a_trace_that_is_not_there_is_absent),
		cmocka_unit_test(spe_has_as_many_records_as_the_counters_demand),
		cmocka_unit_test(losses_that_spe_reports_are_named),
		cmocka_unit_test(clocks_that_keep_their_distance_do_not_drift),
		cmocka_unit_test(a_timer_comes_neither_early_nor_too_late),
		cmocka_unit_test(gaps_are_counted_and_long_gaps_are_listed),
		cmocka_unit_test(a_balanced_ledger_is_good),
		cmocka_unit_test(each_line_of_the_ledger_that_does_not_hold_is_named),
		cmocka_unit_test(a_ring_that_nothing_came_to_or_that_was_never_full_proves_nothing),
		cmocka_unit_test(marks_show_which_memory_a_reset_keeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
