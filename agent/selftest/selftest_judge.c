/* SPDX-License-Identifier: MIT */
/* Verdicts on counters, their interrupts, and events that fill an AUX area. For the others see
 * selftest_judge_time.c. */
#include "agent/selftest/selftest_judge.h"

#include "abi/perf_event.h"
#include "abi/trace_region.h"

static void judge_spread(const struct selftest_spread *s, const char *const names[3],
                         struct selftest_line *line)
{
	selftest_figure(line, names[0], s->min);
	selftest_figure(line, names[1], s->median);
	selftest_figure(line, names[2], s->max);
}

struct selftest_spread selftest_spread_of(int64_t *values, unsigned count)
{
	if (!count)
		return (struct selftest_spread){ 0 };
	for (unsigned i = 1; i < count; i++) {
		int64_t value = values[i];
		unsigned at = i;

		for (; at && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
	return (struct selftest_spread){ count, values[0], values[count / 2], values[count - 1] };
}

/* ---- Counters ---- */

void judge_census(const struct selftest_census *f, struct selftest_line *line)
{
	int present = __builtin_popcountll(f->present);
	int left = __builtin_popcountll(f->leftovers & f->present);
	int foreign = __builtin_popcountll(f->foreign & f->present);

	selftest_figure(line, "present", (int64_t)f->present);
	selftest_figure(line, "leftovers", (int64_t)f->leftovers);
	selftest_figure(line, "foreign", (int64_t)f->foreign);
	if (!present)
		selftest_say(line, SELFTEST_ABSENT, "no counters");
	else if (f->dead)
		selftest_say(line, SELFTEST_FAIL,
		             "the hypervisor's: %d of %d (mask 0x%lx) keep what is written and "
		             "count nothing",
		             __builtin_popcountll(f->dead), present, f->dead);
	else if (foreign)
		selftest_say(
		    line, SELFTEST_FAIL,
		    "firmware or a hypervisor owns %d of %d (mask 0x%lx): they do not keep "
		    "what is written to them",
		    foreign, present, f->foreign);
	else if (left)
		selftest_say(line, SELFTEST_FAIL,
		             "firmware left %d of %d counting (mask 0x%lx); they are stopped", left,
		             present, f->leftovers & f->present);
	else if (f->leftovers & TR_LEFTOVERS_TRACE)
		selftest_say(
		    line, SELFTEST_FAIL,
		    "firmware left a trace on, or a setting that freezes counters; it is now off");
	else
		selftest_say(line, SELFTEST_PASS, "%d, all ours, none left counting", present);
}

static void judge_exact(const struct selftest_count *f, struct selftest_line *line)
{
	int64_t expected = (int64_t)(f->turns * f->a_turn);

	selftest_figure(line, "expected", expected);
	if (f->d.min == expected && f->d.max == expected)
		selftest_say(line, SELFTEST_PASS, "exact: %ld along %lu turns of a loop, %u times",
		             expected, f->turns, f->d.count);
	else if (!f->d.min && !f->d.max)
		selftest_say(line, SELFTEST_FAIL, "counts nothing");
	else
		selftest_say(line, SELFTEST_FAIL, "%ld to %ld where there are %ld", f->d.min,
		             f->d.max, expected);
}

void judge_count(const struct selftest_count *f, struct selftest_line *line)
{
	static const char *const names[] = { "min", "median", "max" };
	int64_t most = (int64_t)(f->turns * f->a_turn);

	judge_spread(&f->d, names, line);
	if (!f->d.count)
		selftest_say(line, SELFTEST_FAIL, "could not be counted");
	else if (f->kind == SELFTEST_EXACT)
		judge_exact(f, line);
	else if (f->kind == SELFTEST_MOVES && f->d.min <= 0)
		selftest_say(line, SELFTEST_FAIL, "counts nothing along a loop that takes time");
	else if (f->kind == SELFTEST_RARE && (f->d.min < -most || f->d.max > most))
		selftest_say(line, SELFTEST_FAIL, "%ld to %ld where there can be %ld at the most",
		             f->d.min, f->d.max, most);
	else
		selftest_say(line, SELFTEST_PASS, "counts: %ld to %ld along %lu turns of a loop",
		             f->d.min, f->d.max,
		             f->kind == SELFTEST_MOVES ? 2 * f->turns : f->turns);
}

void judge_together(const struct selftest_together *f, struct selftest_line *line)
{
	selftest_figure(line, "counters", f->counters);
	selftest_figure(line, "wrong", f->wrong);
	selftest_figure(line, "expected", f->expected);
	if (!f->counters)
		selftest_say(line, SELFTEST_FAIL, "no counter takes it");
	else if (f->wrong)
		selftest_say(line, SELFTEST_FAIL, "%u of %u counters are wrong: %ld to %ld for %ld",
		             f->wrong, f->counters, f->low, f->high, f->expected);
	else
		selftest_say(line, SELFTEST_PASS, "%u at once, all exact", f->counters);
}

/* ---- Interrupts ---- */

static int64_t judge_ns(int64_t events, uint64_t ps)
{
	return events * (int64_t)ps / 1000;
}

/* The ratio of the greater to the lesser, in hundredths; values below 1 count as 1. */
static uint64_t judge_ratio(int64_t a, int64_t b)
{
	uint64_t x = a > 1 ? (uint64_t)a : 1, y = b > 1 ? (uint64_t)b : 1;
	uint64_t greater = x > y ? x : y, lesser = x > y ? y : x;

	return lesser > 0 ? greater * 100 / lesser : UINT64_MAX;
}

static void judge_skid(const struct selftest_pmi *f, struct selftest_line *line)
{
	int64_t fast_ns = judge_ns(f->fast.median, f->fast_ps);
	int64_t slow_ns = judge_ns(f->slow.median, f->slow_ps);
	uint64_t by_events = judge_ratio(f->fast.median, f->slow.median);
	uint64_t by_time = judge_ratio(fast_ns, slow_ns);
	bool is_far = f->fast.median > SELFTEST_SKID_MAX && f->slow.median > SELFTEST_SKID_MAX;
	bool is_late = fast_ns > SELFTEST_LATE_MAX && slow_ns > SELFTEST_LATE_MAX;
	bool same_speed = judge_ratio((int64_t)f->fast_ps, (int64_t)f->slow_ps) < 200;

	if (is_far && is_late && same_speed)
		selftest_say(line, SELFTEST_FAIL, "skid, or late: %ld %s, %ld ns (median)",
		             f->fast.median, f->event, fast_ns);
	else if (is_far && (by_events <= by_time || same_speed))
		selftest_say(line, SELFTEST_FAIL, "skid: %ld %s (median), whatever they take",
		             f->fast.median, f->event);
	else if (is_late && by_time < by_events)
		selftest_say(line, SELFTEST_FAIL, "late: %ld ns (median), whatever runs", fast_ns);
	else
		selftest_say(line, SELFTEST_PASS, "%ld, %ld, %ld %s late, some %ld ns", f->fast.min,
		             f->fast.median, f->fast.max, f->event, fast_ns);
}

void judge_pmi(const struct selftest_pmi *f, struct selftest_line *line)
{
	static const char *const fast[] = { "skid_min", "skid_median", "skid_max" };
	static const char *const slow[] = { "slow_skid_min", "slow_skid_median", "slow_skid_max" };

	selftest_figure(line, "due", f->due);
	selftest_figure(line, "came", f->came);
	judge_spread(&f->fast, fast, line);
	selftest_figure(line, "latency_ns", judge_ns(f->fast.median, f->fast_ps));
	judge_spread(&f->slow, slow, line);
	selftest_figure(line, "slow_latency_ns", judge_ns(f->slow.median, f->slow_ps));
	if (!f->due)
		selftest_say(line, SELFTEST_FAIL, "it counts nothing");
	else if (!f->came)
		selftest_say(line, SELFTEST_FAIL, "no interrupt came, and %u were due", f->due);
	else if (f->came < f->due)
		selftest_say(line, SELFTEST_FAIL, "lost: %u of %u interrupts did not come in time",
		             f->due - f->came, f->due);
	else
		judge_skid(f, line);
}

void judge_spurious(const struct selftest_spurious *f, struct selftest_line *line)
{
	selftest_figure(line, "spurious", (int64_t)f->spurious);
	selftest_figure(line, "came", (int64_t)f->came);
	if (!f->came)
		selftest_say(line, SELFTEST_ABSENT, "no interrupt of a counter came");
	else if (f->spurious * 100 > f->came) /* AMD's late interrupts are fewer */
		selftest_say(line, SELFTEST_FAIL, "spurious: %lu that nobody caused, beside %lu",
		             f->spurious, f->came);
	else
		selftest_say(line, SELFTEST_PASS, "%lu that nobody caused, beside %lu", f->spurious,
		             f->came);
}

/* ---- Events that fill an AUX area ---- */

void judge_branches(const struct selftest_branches *f, struct selftest_line *line)
{
	selftest_figure(line, "store", f->store_n);
	selftest_figure(line, "step", f->step_n);
	selftest_figure(line, "lost", f->is_known ? (int64_t)f->lost : -1);
	if (!f->stored && !f->stepped)
		selftest_say(line, SELFTEST_ABSENT, "%s", f->why);
	else if (!f->stored && f->step_n)
		selftest_say(line, SELFTEST_ABSENT, "%s; single-step: %u branches", f->why,
		             f->step_n);
	else if (!f->stored)
		selftest_say(line, SELFTEST_FAIL, "single-step shows no branch");
	else if (!f->store_n)
		selftest_say(line, SELFTEST_FAIL, "the branch trace store shows no branch");
	else if (f->is_known && f->lost)
		selftest_say(line, SELFTEST_FAIL, "%lu branches were lost by the store", f->lost);
	else if (f->stepped && (f->store_n != f->step_n || f->differ < f->store_n))
		selftest_say(line, SELFTEST_FAIL,
		             "they differ from branch %u on: %u by the store, %u by single-step",
		             f->differ, f->store_n, f->step_n);
	else if (!f->stepped)
		selftest_say(line, SELFTEST_PASS, "%u by the store; %s", f->store_n, f->why);
	else
		selftest_say(line, SELFTEST_PASS, "the same %u branches", f->store_n);
}

void judge_spe(const struct selftest_spe *f, struct selftest_line *line)
{
	uint64_t expected = f->interval ? f->operations / f->interval : 0;
	uint64_t off = f->records > expected ? f->records - expected : expected - f->records;

	selftest_figure(line, "records", (int64_t)f->records);
	selftest_figure(line, "expected", (int64_t)expected);
	selftest_figure(line, "flags", (int64_t)f->flags);
	if (f->is_broken)
		selftest_say(line, SELFTEST_FAIL, "not all that it wrote are packets");
	else if (f->flags & PERF_AUX_FLAG_TRUNCATED)
		selftest_say(line, SELFTEST_FAIL, "lost: it stopped for want of room, or a fault");
	else if (f->flags & PERF_AUX_FLAG_PARTIAL)
		selftest_say(line, SELFTEST_FAIL, "lost: it says that data are lost");
	else if (f->flags & PERF_AUX_FLAG_COLLISION)
		selftest_say(line, SELFTEST_FAIL, "lost: samples collide, at an interval of %lu",
		             f->interval);
	else if (off > 2 + expected / 10) /* an operation need not be an instruction */
		selftest_say(line, SELFTEST_FAIL, "%lu records where %s %lu", f->records,
		             f->is_counted ? "counters demand" : "the loop demands", expected);
	else
		selftest_say(line, SELFTEST_PASS, "%lu records, %lu by %s", f->records, expected,
		             f->is_counted ? "the counters" : "the loop");
}
