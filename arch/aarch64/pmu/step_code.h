/* SPDX-License-Identifier: MIT */
/* The facts about an instruction that single-step needs: Arm ARM (DDI 0487), C4.1 "A64 instruction
 * set encoding". Pure. Any context. */
#ifndef ARCH_AARCH64_PMU_STEP_CODE_H
#define ARCH_AARCH64_PMU_STEP_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* B.cond, and BC.cond of FEAT_HBC. */
static inline bool step_is_bcond(uint32_t word)
{
	return (word & 0xff000000) == 0x54000000;
}

static inline bool step_is_compare_branch(uint32_t word) /* CBZ, CBNZ */
{
	return (word & 0x7e000000) == 0x34000000;
}

static inline bool step_is_test_branch(uint32_t word) /* TBZ, TBNZ */
{
	return (word & 0x7e000000) == 0x36000000;
}

static inline bool step_is_conditional(uint32_t word)
{
	return step_is_bcond(word) || step_is_compare_branch(word) || step_is_test_branch(word);
}

static inline bool step_is_jump(uint32_t word) /* B */
{
	return (word & 0xfc000000) == 0x14000000;
}

/* BL; and the branches through a register: BR, BLR, RET, ERET, DRPS, with FEAT_PAuth's variants. */
static inline bool step_is_call_or_indirect(uint32_t word)
{
	return (word & 0xfc000000) == 0x94000000 || (word & 0xfe000000) == 0xd6000000;
}

/* SVC, HVC, SMC, BRK, HLT, DCPSn. */
static inline bool step_is_exception(uint32_t word)
{
	return (word & 0xff000000) == 0xd4000000;
}

/* Load and store exclusive, of a register or a pair, with and without acquire or release. With o1
 * (bit 21) set and bit 31 clear it is CASP. */
static inline bool step_is_exclusive(uint32_t word)
{
	return (word & 0x3f800000) == 0x08000000 && (!(word & 1U << 21) || word & 1U << 31);
}

static inline bool step_is_load_exclusive(uint32_t word)
{
	return step_is_exclusive(word) && word & 1U << 22;
}

static inline bool step_is_store_exclusive(uint32_t word)
{
	return step_is_exclusive(word) && !(word & 1U << 22);
}

/* The field of this many bits from bit `low` on, as a signed number of instructions, in bytes. */
static inline uint64_t step_offset(uint32_t word, unsigned low, unsigned bits)
{
	uint64_t field = (uint64_t)word << (64 - low - bits);

	return (uint64_t)((int64_t)field >> (64 - bits)) * 4;
}

/* The target of B, BL or a conditional branch at pc. */
static inline uint64_t step_target(uint32_t word, uint64_t pc)
{
	if (step_is_test_branch(word))
		return pc + step_offset(word, 5, 14);
	if (step_is_conditional(word))
		return pc + step_offset(word, 5, 19);
	return pc + step_offset(word, 0, 26);
}

/*
 * Whether the instruction at from, after which execution continues at `to`, has transferred
 * control. A conditional branch to the next instruction counts as not taken. Any other instruction
 * that leads elsewhere took an exception to a level that is traced: SVC, or a fault.
 */
static inline bool step_branches(uint32_t word, uint64_t from, uint64_t to)
{
	if (step_is_jump(word) || step_is_call_or_indirect(word))
		return true;
	if (to == from)
		return step_is_conditional(word) && step_target(word, from) == to;
	return to != from + 4;
}

/* YIELD, WFE, WFI: an emulator that steps one does not let other CPUs run. */
static inline bool step_is_wait(uint32_t word)
{
	return (word & 0xffffff9f) == 0xd503201f && word != 0xd503201f;
}

/* MSR DAIFSet, #imm and MSR DAIF, Xt (C6.2, C5.2.2): they can set PSTATE.D, which ends stepping at
 * the exception level that debug exceptions are taken to. */
static inline bool step_is_daifset(uint32_t word)
{
	return (word & 0xfffff0ff) == 0xd50340df;
}

static inline bool step_is_daif(uint32_t word)
{
	return (word & 0xffffffe0) == 0xd51b4220;
}

#endif
