/* SPDX-License-Identifier: MIT */
/* The options that ask for branch stacks. */
#include <string.h>

#include "command/words.h"

/* perf's names, and their bits of branch_sample_type. */
static const struct {
	const char *name;
	uint64_t bit;
} filters[] = {
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX },
};

#define KINDS                                                                                   \
	(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN | \
	 PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_COND |  \
	 PERF_SAMPLE_BRANCH_CALL)

/* Returns 0 for an unknown name. */
static uint64_t branches_bit(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		if (strlen(filters[i].name) == length && !memcmp(filters[i].name, name, length))
			return filters[i].bit;
	}
	return 0;
}

/* A CPU has one set of records. */
static int branches_set(struct words *w, const char *at, uint64_t type)
{
	if (w->command->branch_sample_type)
		return command_fail(w, "-b, -j and --call-graph lbr exclude each other", at);
	w->command->branch_sample_type = type;
	return 0;
}

int command_set_branch_any(struct words *w, const char *text)
{
	(void)text;
	return branches_set(w, w->given[w->nr_given - 1].at, PERF_SAMPLE_BRANCH_ANY);
}

int command_set_branch_filter(struct words *w, const char *text)
{
	uint64_t type = 0;

	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");
		uint64_t bit = branches_bit(at, length);

		if (!bit)
			return command_fail(w,
			                    "want any, any_call, any_ret, ind_call, ind_jmp, "
			                    "cond, call, u, k, hv or hw_index",
			                    at);
		type |= bit;
		at += length;
		if (!*at)
			break;
	}
	return branches_set(w, text, type & KINDS ? type : type | PERF_SAMPLE_BRANCH_ANY);
}

/* perf asks for the same; its reports want the index, not flags and cycles. */
int command_set_call_stack(struct words *w, const char *text)
{
	w->command->callchain = true;
	return branches_set(w, text,
	                    PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_FLAGS |
	                        PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_HW_INDEX);
}
