/* SPDX-License-Identifier: MIT */
/* Verdicts on clocks, timers, gaps, the ring's ledgers, and RAM after a reset. */
#include "agent/selftest/selftest_judge.h"

#include "lib/print.h"

#define NS 1000000000LL

static int64_t judge_time_ns(int64_t cycles, uint64_t frequency)
{
	return frequency ? (int64_t)((__int128)cycles * NS / (int64_t)frequency) : 0;
}

void judge_clock(const struct selftest_clock *f, struct selftest_line *line)
{
	int64_t moved = f->later_offset - f->offset;
	int64_t bound = (int64_t)(f->error + f->later_error);
	int64_t drift = f->cycles ? (int64_t)((__int128)moved * NS / (int64_t)f->cycles) : 0;
	int64_t offset_ns = judge_time_ns(f->offset, f->frequency);
	int64_t error_ns = judge_time_ns((int64_t)f->error, f->frequency);

	selftest_figure(line, "offset_ns", offset_ns);
	selftest_figure(line, "error_ns", error_ns);
	selftest_figure(line, "drift_ppb", drift);
	if (moved > bound || moved < -bound)
		selftest_say(line, SELFTEST_FAIL,
		             "drifts by %ld ppb: %ld ns off, within %ld ns, at the beginning",
		             drift, offset_ns, error_ns);
	else if (offset_ns)
		selftest_say(line, SELFTEST_PASS,
		             "%ld ns off, within %ld ns; allowed for; no drift", offset_ns,
		             error_ns);
	else
		selftest_say(line, SELFTEST_PASS, "the same within %ld ns, no drift", error_ns);
}

void judge_timer(const struct selftest_timer *f, struct selftest_line *line)
{
	selftest_figure(line, "due", f->due);
	selftest_figure(line, "came", f->late.count);
	selftest_figure(line, "late_min_ns", f->late.min);
	selftest_figure(line, "late_median_ns", f->late.median);
	selftest_figure(line, "late_max_ns", f->late.max);
	if (f->late.count < f->due)
		selftest_say(line, SELFTEST_FAIL, "lost: %u of %u interrupts did not come",
		             f->due - f->late.count, f->due);
	else if (f->late.min < 0)
		selftest_say(line, SELFTEST_FAIL, "early: by %ld ns before the deadline",
		             -f->late.min);
	else if (f->late.median > SELFTEST_TIMER_MAX)
		selftest_say(line, SELFTEST_FAIL, "late: by %ld ns (median)", f->late.median);
	else
		selftest_say(line, SELFTEST_PASS, "%ld, %ld, %ld ns after the deadline",
		             f->late.min, f->late.median, f->late.max);
}

void judge_gaps(const struct selftest_gaps *f, struct selftest_line *line)
{
	char smi[48] = "";

	selftest_figure(line, "gaps", (int64_t)f->number);
	selftest_figure(line, "longest_ns", (int64_t)f->longest);
	selftest_figure(line, "sum_ns", (int64_t)f->sum);
	selftest_figure(line, "watched_ns", (int64_t)f->watched);
	selftest_figure(line, "smi", f->has_smi ? (int64_t)f->smi : -1);
	if (f->has_smi)
		print_text(smi, sizeof(smi), ", %lu SMIs", f->smi);
	if (f->longest > SELFTEST_GAP_MAX || f->sum * 100 > f->watched)
		selftest_say(line, SELFTEST_FAIL,
		             "the machine was away %lu times, the longest %lu ns, %lu of %lu us%s",
		             f->number, f->longest, f->sum / 1000, f->watched / 1000, smi);
	else
		selftest_say(line, SELFTEST_PASS,
		             "%lu of more than %u us in %lu ms, the longest %lu ns%s", f->number,
		             SELFTEST_GAP / 1000, f->watched / 1000000, f->longest, smi);
}

/* The rule that the ledgers break, as a phrase; NULL if they keep all. */
static const char *judge_ledgers(const struct selftest_ring *f)
{
	const struct {
		bool holds;
		const char *what;
	} rules[] = {
		{ !f->is_broken, "the reader refused the ring" },
		{ f->generated == f->written + f->lost, "generated is not written + lost" },
		{ f->written == f->delivered, "written is not delivered" },
		{ f->count == f->period + f->residue, "the count is not period + residue" },
		{ f->period == f->delivered_period + f->lost_period,
		  "the period is not what was delivered and what was lost" },
		{ f->ring_lost == f->lost, "the ring's lost is not its events'" },
		{ f->reported == f->delivered_lost, "the LOST records do not add up" },
		{ f->ring_lost == f->reported, "not all losses are reported" },
		{ f->sent == f->causes - f->coalesced, "wakeups sent are not causes - coalesced" },
	};

	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (!rules[i].holds)
			return rules[i].what;
	}
	return NULL;
}

void judge_ring(const struct selftest_ring *f, struct selftest_line *line)
{
	const char *wrong = judge_ledgers(f);

	selftest_figure(line, "generated", (int64_t)f->generated);
	selftest_figure(line, "written", (int64_t)f->written);
	selftest_figure(line, "delivered", (int64_t)f->delivered);
	selftest_figure(line, "lost", (int64_t)f->lost);
	selftest_figure(line, "reported", (int64_t)f->reported);
	if (wrong)
		selftest_say(line, SELFTEST_FAIL, "unaccounted for: %s (%lu = %lu + %lu, %lu read)",
		             wrong, f->generated, f->written, f->lost, f->delivered);
	else if (!f->lost || !f->written)
		selftest_say(line, SELFTEST_FAIL,
		             "too few samples to fill a page: %lu in two seconds", f->generated);
	else
		selftest_say(line, SELFTEST_PASS,
		             "conserved: %lu = %lu read + %lu lost and reported", f->generated,
		             f->delivered, f->lost);
}

void judge_marks(const struct selftest_marks *f, struct selftest_line *line)
{
	selftest_figure(line, "found", f->found);
	selftest_figure(line, "left", f->left);
	selftest_figure(line, "first_lost", (int64_t)f->first_lost);
	if (!f->found && f->was_reset)
		selftest_say(line, SELFTEST_FAIL, "the reset kept nothing of RAM");
	else if (!f->found)
		selftest_say(
		    line, SELFTEST_ABSENT,
		    "no marks of an earlier self-test (selftest --reset asks for a reset)");
	else if (f->same_boot)
		selftest_say(line, SELFTEST_ABSENT, "no reset since the last self-test");
	else if (f->found < f->left)
		selftest_say(
		    line, SELFTEST_PASS,
		    "%u of %u marks in RAM survived a reset; the first that did not: 0x%lx",
		    f->found, f->left, f->first_lost);
	else
		selftest_say(line, SELFTEST_PASS, "all %u marks in RAM survived a reset", f->found);
}
