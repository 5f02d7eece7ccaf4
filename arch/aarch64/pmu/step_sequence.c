/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/pmu/step_sequence.h"

#include <stddef.h>

#include "arch/aarch64/pmu/step_code.h"

#define WAYS   4U  /* ways to a store that are followed */
#define LENGTH 32U /* instructions from a place to the store */

/* A search: the paths whose first instruction is known; each has the branches that lead there. */
struct step_search {
	struct step_sequence *sequence;
	uint64_t start;
	unsigned limit, count;
	step_fetch_fn fetch;
	struct step_exit ways[WAYS];
};

/* Whether a store exclusive follows in a straight line, jumps included. */
static bool step_leads_to_store(const struct step_search *s, uint64_t pc)
{
	uint32_t word;

	for (unsigned i = 0; i < LENGTH && s->fetch(pc, &word); i++) {
		if (step_is_store_exclusive(word))
			return true;
		if (step_is_call_or_indirect(word) || step_is_exception(word) ||
		    (step_is_load_exclusive(word) && pc != s->start))
			return false;
		pc = step_is_jump(word) ? step_target(word, pc) : pc + 4;
		if (pc == s->start)
			return false;
	}
	return false;
}

/* Extend a way by a taken branch. */
static bool step_take(struct step_exit *way, uint64_t from, uint64_t to)
{
	if (way->count == STEP_PATH)
		return false;
	way->path[way->count++] = (struct step_branch){ from, to };
	way->address = to;
	return true;
}

/* A breakpoint at the load would come before the load, again and again. */
static void step_add_exit(struct step_search *s, const struct step_exit *exit)
{
	struct step_sequence *sequence = s->sequence;

	for (unsigned i = 0; i < sequence->count; i++) {
		struct step_exit *same = &sequence->exits[i];

		if (same->address != exit->address)
			continue;
		same->is_ambiguous = true;
		sequence->is_incomplete |= same->count != exit->count;
		return;
	}
	if (exit->address != s->start && sequence->count < s->limit && sequence->count < STEP_EXITS)
		sequence->exits[sequence->count++] = *exit;
	else
		sequence->is_incomplete = true;
}

/* The taken side of a conditional branch at pc is an exit, or another way to a store. A branch back
 * to the load begins the sequence again, any number of times. */
static void step_fork(struct step_search *s, const struct step_exit *way, uint64_t pc, uint64_t to)
{
	struct step_exit fork = *way;

	if (to == s->start || !step_take(&fork, pc, to))
		s->sequence->is_incomplete = true;
	else if (!step_leads_to_store(s, to))
		step_add_exit(s, &fork);
	else if (s->count < WAYS)
		s->ways[s->count++] = fork;
	else
		s->sequence->is_incomplete = true;
}

/* Follow a path. If the straight line from its address leads to a store exclusive, the exit is
 * behind that; otherwise the path continues at a conditional branch whose other side has no store
 * exclusive. */
static void step_follow(struct step_search *s, struct step_exit way)
{
	uint32_t word;

	while (s->fetch(way.address, &word)) {
		uint64_t pc = way.address;

		way.address = pc + 4;
		if (step_is_store_exclusive(word))
			break;
		if (step_is_conditional(word)) {
			step_fork(s, &way, pc, step_target(word, pc));
		} else if (step_is_jump(word) && !step_take(&way, pc, step_target(word, pc))) {
			s->sequence->is_incomplete = true;
			return;
		}
	}
	step_add_exit(s, &way);
}

bool step_sequence_find(struct step_sequence *sequence, uint64_t pc, unsigned limit,
                        step_fetch_fn fetch)
{
	struct step_search s = {
		.sequence = sequence,
		.start = pc,
		.limit = limit,
		.count = 1,
		.fetch = fetch,
	};

	sequence->count = 0;
	sequence->is_incomplete = false;
	if (!step_leads_to_store(&s, pc))
		return false;
	s.ways[0] = (struct step_exit){ .address = pc };
	for (unsigned i = 0; i < s.count; i++)
		step_follow(&s, s.ways[i]);
	return true;
}

const struct step_exit *step_sequence_exit(const struct step_sequence *sequence, uint64_t address)
{
	for (unsigned i = 0; i < sequence->count; i++) {
		if (sequence->exits[i].address == address)
			return &sequence->exits[i];
	}
	return NULL;
}
