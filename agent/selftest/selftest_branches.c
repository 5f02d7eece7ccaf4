/* SPDX-License-Identifier: MIT */
/* The same code, traced by the branch trace store and by single-step: the same branches. */
#include "agent/selftest/selftest_checks.h"
#include "agent/selftest/selftest_judge.h"
#include "agent/selftest/selftest_rig.h"
#include "pmu/branch_area.h"

#define AUX_PAGES \
	64U /* room for all branches, also of our own start and stop, in the first segments */
#define TURNS 40U

/* The traced code's part of the area: from the branch to its begin to the branch to its end. */
struct branch_trace {
	bool is_there;
	const char *why;
	struct selftest_rig *rig;
	const struct branch_record *from, *to;
};

#define LANDMARK static __attribute__((noinline, noclone))

LANDMARK void branches_begin(void)
{
	__asm__ volatile("");
}

LANDMARK void branches_end(void)
{
	__asm__ volatile("");
}

LANDMARK unsigned branches_leaf(unsigned n)
{
	__asm__ volatile("" : "+r"(n));
	return n & 1 ? n / 2 : n + 3;
}

/* Calls, returns, and branches that are taken or not taken. */
LANDMARK int branches_walk(void *arg)
{
	unsigned n = *(const unsigned *)arg, sum = 0;

	branches_begin();
	for (unsigned i = 0; i < n; i++) {
		__asm__ volatile("" : "+r"(sum));
		if (sum % 3)
			sum += branches_leaf(sum + i);
		else
			sum++;
	}
	branches_end();
	return (int)(sum & 1);
}

/* Find the walk's part of records [from, to). */
static void branches_cut(struct branch_trace *t, const struct branch_record *from,
                         const struct branch_record *to)
{
	const struct branch_record *r = from;

	while (r < to && r->to != (uintptr_t)branches_begin)
		r++;
	t->from = t->to = r;
	while (r < to && r->to != (uintptr_t)branches_end)
		r++;
	if (r < to)
		t->to = r + 1;
}

static void branches_record(struct branch_trace *t, uint32_t type)
{
	const struct pmu_source *source = pmu_of_type(type);
	static const unsigned turns = TURNS;

	t->why = "this machine has no branch trace store";
	if (!source || pmu_of(source)->probe(&t->why))
		return;
	t->rig = selftest_rig_open(1, AUX_PAGES);
	if (!t->rig || !selftest_rig_add(t->rig, type, 0, 0)) {
		t->why = "it could not be started";
		return;
	}
	t->is_there = true;
	if (!selftest_rig_run(t->rig, branches_walk, (void *)(uintptr_t)&turns, false))
		branches_cut(t, (const void *)t->rig->aux_area,
		             (const void *)(t->rig->aux_area + t->rig->aux.head));
}

static unsigned branches_same(const struct branch_trace *a, const struct branch_trace *b)
{
	unsigned i = 0;

	while (a->from + i < a->to && b->from + i < b->to && a->from[i].from == b->from[i].from &&
	       a->from[i].to == b->from[i].to)
		i++;
	return i;
}

void selftest_branches(struct selftest_report *report)
{
	struct branch_trace store = { 0 }, step = { 0 };
	struct selftest_branches f = { 0 };
	struct selftest_line line = { 0 };

	branches_record(&store, PERF_TYPE_INTEL_BTS);
	branches_record(&step, PERF_TYPE_BRANCH_STEP);
	f.stored = store.is_there;
	f.stepped = step.is_there;
	f.why = f.stored ? step.why : store.why;
	f.store_n = (unsigned)(store.to - store.from);
	f.step_n = (unsigned)(step.to - step.from);
	f.differ = branches_same(&store, &step);
	if (f.stored) {
		f.is_known = !store.rig->events[0].branches.unknown;
		f.lost = store.rig->events[0].branches.lost;
	}
	judge_branches(&f, &line);
	selftest_add(report, &line, "branch store, single-step");
	selftest_rig_close(store.rig);
	selftest_rig_close(step.rig);
}
