/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/pmu/step_walk.h"

#include "arch/aarch64/pmu/step_code.h"
#include "arch/step.h"

/* A store exclusive that is stepped alone fails. After so many failures of the same one, the
 * program is assumed to repeat it, with its load at a place where step_sequence_find() does not
 * search. */
#define FAILURES 16U
/* Ticks until a sequence that has come to no exit has left by another way. Between two of them a
 * virtual CPU may execute nothing. */
#define LOOKS    64U

void step_walk_forget(struct step_walk *walk)
{
	walk->last = 0;
	walk->way = STEP_ONE;
}

static void step_report_sequence(const struct step_walk *walk, uint64_t pc,
                                 const struct step_walk_ops *ops)
{
	const struct step_exit *exit = step_sequence_exit(&walk->over, pc);

	if (!exit || walk->over.is_incomplete)
		ops->missed(ARCH_MISSED_UNKNOWN);
	else if (exit->is_ambiguous)
		ops->missed(exit->count);
	else
		for (unsigned i = 0; i < exit->count; i++)
			ops->branch(exit->path[i].from, exit->path[i].to);
}

void step_walk_report(struct step_walk *walk, uint64_t pc, const struct step_walk_ops *ops)
{
	uint64_t last = walk->last;

	walk->last = pc;
	if (walk->way == STEP_OVER) {
		walk->way = STEP_ONE;
		step_report_sequence(walk, pc, ops);
	} else if (last && step_branches(walk->word, last, pc)) {
		ops->branch(last, pc);
	}
}

/* Whether the program repeats a store exclusive that cannot succeed. */
static bool step_is_stuck(struct step_walk *walk, uint64_t pc)
{
	walk->stores = walk->store == pc ? walk->stores + 1 : 1;
	walk->store = pc;
	return walk->stores > FAILURES;
}

void step_walk_go(struct step_walk *walk, uint64_t pc, unsigned limit,
                  const struct step_walk_ops *ops)
{
	walk->last = pc;
	walk->way = STEP_ONE;
	if (!ops->fetch(pc, &walk->word))
		walk->word = 0;
	if (!step_is_exclusive(walk->word))
		return;
	if (step_is_load_exclusive(walk->word)) {
		if (step_sequence_find(&walk->over, pc, limit, ops->fetch))
			walk->way = STEP_OVER;
	} else if (step_is_stuck(walk, pc)) {
		walk->over.count = walk->stores = 0;
		walk->over.is_incomplete = true;
		walk->way = STEP_OVER;
	}
	walk->looks = 0;
}

bool step_walk_look(struct step_walk *walk)
{
	return walk->way == STEP_OVER && walk->looks++ >= (walk->over.count ? LOOKS : 1);
}
