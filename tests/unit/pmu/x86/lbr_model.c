/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/x86/lbr_model.h"

#include <string.h>

#include "arch/x86_64/pmu/lbr.h"
#include "arch/x86_64/pmu/perfmon.h"

static bool has_info(const struct lbr_model *m)
{
	return m->format == LBR_FMT_INFO || m->format == LBR_FMT_INFO2;
}

/* The word of a record's register; NULL: no such register. */
static uint64_t *record(struct lbr_model *m, uint32_t reg)
{
	static const uint32_t model[] = { MSR_LASTBRANCH_0_FROM_IP, MSR_LASTBRANCH_0_TO_IP,
		                          MSR_LBR_INFO_0 };
	static const uint32_t arch[] = { IA32_LBR_0_FROM_IP, IA32_LBR_0_TO_IP, IA32_LBR_0_INFO };
	const uint32_t *first = m->architectural ? arch : model;
	uint64_t *words[] = { m->from, m->to, m->info };

	for (unsigned i = 0; i < 3; i++) {
		unsigned n = reg - first[i];

		if (i == 2 && !m->architectural && !has_info(m))
			break;
		if (n < (m->architectural ? m->used : m->depth))
			return &words[i][n];
	}
	return NULL;
}

bool lbr_model_read(const struct lbr_model *m, uint32_t reg, uint64_t *value)
{
	const uint64_t *word = record((struct lbr_model *)(uintptr_t)m, reg);

	if (word)
		*value = *word;
	else if (m->architectural && (reg == IA32_LBR_CTL || reg == IA32_LBR_DEPTH))
		*value = reg == IA32_LBR_CTL ? m->control : m->used;
	else if (m->format && (reg == MSR_LBR_SELECT || reg == MSR_LASTBRANCH_TOS))
		*value = reg == MSR_LBR_SELECT ? m->select : m->top;
	else
		return false;
	return true;
}

static bool set(uint64_t *word, uint64_t value, uint64_t allowed)
{
	if (value & ~allowed)
		return false;
	*word = value;
	return true;
}

bool lbr_model_write(struct lbr_model *m, uint32_t reg, uint64_t value)
{
	uint64_t *word = record(m, reg);

	if (word)
		return set(word, value, UINT64_MAX);
	if (m->architectural && reg == IA32_LBR_CTL)
		return set(&m->control, value, 0x7f000f);
	if (m->architectural && reg == IA32_LBR_DEPTH) {
		m->used = value;
		memset(m->from, 0, sizeof(m->from));
		memset(m->to, 0, sizeof(m->to));
		memset(m->info, 0, sizeof(m->info));
		return value && value % 8 == 0 && m->depth >> (value / 8 - 1) & 1;
	}
	return m->format && reg == MSR_LBR_SELECT &&
	       set(&m->select, value, m->format >= LBR_FMT_EIP_FLAGS2 ? 0x3ff : 0x1ff);
}

uint32_t lbr_model_cpuid(const struct lbr_model *m, uint32_t word)
{
	const uint32_t words[] = { m->depth, m->can, m->has, 0 };

	return m->architectural ? words[word & 3] : 0;
}

/* ---- Branches ---- */

static bool is_let_in(const struct lbr_model *m, uint32_t kind)
{
	static const uint32_t kinds[][2] = {
		{ LBR_SELECT_JCC, LBR_CTL_JCC },
		{ LBR_SELECT_NEAR_REL_CALL, LBR_CTL_NEAR_REL_CALL },
		{ LBR_SELECT_NEAR_IND_CALL, LBR_CTL_NEAR_IND_CALL },
		{ LBR_SELECT_NEAR_RET, LBR_CTL_NEAR_RET },
		{ LBR_SELECT_NEAR_IND_JMP, LBR_CTL_NEAR_IND_JMP },
		{ LBR_SELECT_NEAR_REL_JMP, LBR_CTL_NEAR_REL_JMP },
		{ LBR_SELECT_FAR_BRANCH, LBR_CTL_OTHER_BRANCH },
	};

	if (!m->architectural)
		return !(m->select & (kind | LBR_SELECT_CPL_EQ_0));
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i][0] == kind)
			return m->control & LBR_CTL_EN && m->control & LBR_CTL_OS &&
			       m->control & kinds[i][1];
	return false;
}

static void put(struct lbr_model *m, unsigned n, uint64_t from, uint64_t to, uint64_t info)
{
	uint64_t address = m->format == LBR_FMT_EIP_FLAGS2 ? (1ULL << 61) - 1 : (1ULL << 63) - 1;

	m->from[n] = from;
	m->to[n] = to;
	m->info[n] = info;
	if (m->architectural || has_info(m))
		return;
	m->from[n] = (from & address) | (info & ~address);
	if (m->format == LBR_FMT_TIME)
		m->to[n] = (to << 16 >> 16) | info << 48;
}

/* Move the records up or down by one. */
static void shift(struct lbr_model *m, bool down)
{
	uint64_t *words[] = { m->from, m->to, m->info };
	size_t size = (m->used - 1) * sizeof(m->from[0]);

	for (unsigned i = 0; i < 3; i++) {
		memmove(words[i] + !down, words[i] + down, size);
		if (down)
			words[i][m->used - 1] = 0;
	}
}

static bool pops(const struct lbr_model *m, uint32_t kind)
{
	return kind == LBR_SELECT_NEAR_RET &&
	       (m->architectural ? m->control & LBR_CTL_CALL_STACK
	                         : m->select & LBR_SELECT_EN_CALLSTACK);
}

void lbr_model_branch(struct lbr_model *m, bool enabled, uint32_t kind, uint64_t from, uint64_t to,
                      uint64_t info)
{
	if (!enabled || !is_let_in(m, kind))
		return;
	if (m->architectural) {
		shift(m, pops(m, kind));
		if (!pops(m, kind))
			put(m, 0, from, to, info);
	} else if (pops(m, kind)) {
		put(m, (unsigned)m->top, 0, 0, 0);
		m->top = (m->top - 1) & (m->depth - 1);
	} else {
		m->top = (m->top + 1) & (m->depth - 1);
		put(m, (unsigned)m->top, from, to, info);
	}
}
