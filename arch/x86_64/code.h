/* SPDX-License-Identifier: MIT */
/*
 * Finds out from an instruction's bytes how the stack is used there, without decoding all code
 * before it: SDM volume 2, chapter 2 and PUSH, MOV, CALL, RET. Pure. Any context.
 */
#ifndef ARCH_X86_64_CODE_H
#define ARCH_X86_64_CODE_H

#include <stdbool.h>
#include <stdint.h>

#define CODE_NEAR 14U   /* bytes in which a compiler spreads a prologue */
#define CODE_LEAF 1024U /* bytes of a function that are searched */

static inline bool code_sets_rbp(const uint8_t *at, const uint8_t *end)
{
	return end - at >= 3 && at[0] == 0x48 &&
	       ((at[1] == 0x89 && at[2] == 0xe5) || (at[1] == 0x8b && at[2] == 0xec));
}

/* Whether pc is behind push %rbp, which was executed, and before or at mov %rsp, %rbp, which was
 * not. */
static inline bool code_is_in_prologue(const uint8_t *pc, const uint8_t *start, const uint8_t *end)
{
	for (unsigned back = 1; back <= CODE_NEAR && back <= (uint64_t)(pc - start); back++) {
		if (pc[-(int)back] != 0x55)
			continue;
		for (unsigned on = 0; on + back <= CODE_NEAR + 1 && pc + on < end; on++)
			if (code_sets_rbp(pc + on, end))
				return true;
	}
	return false;
}

/*
 * Whether %rbp at pc is the frame pointer of the current function, which sets it; code in [start,
 * end). It is not within the prologue, at RET, or at a JMP behind POP %rbp or LEAVE. If bytes only
 * look like one of these, the answer is no.
 */
static inline bool code_has_frame(const uint8_t *pc, const uint8_t *start, const uint8_t *end)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint64_t size = (uint64_t)(end - pc);
	bool popped = pc > start && (pc[-1] == 0x5d || pc[-1] == 0xc9);

	if (pc < start || pc >= end)
		return false;
	if (pc[0] == 0x55 || pc[0] == 0xc3 || pc[0] == 0xc2)
		return false;
	if (size >= 4 && pc[0] == endbr64[0] && pc[1] == endbr64[1] && pc[2] == endbr64[2] &&
	    pc[3] == endbr64[3])
		return false;
	if (popped && (pc[0] == 0xe9 || pc[0] == 0xeb || pc[0] == 0xff || pc[0] == 0xf3))
		return false;
	return !code_is_in_prologue(pc, start, end);
}

/* The length of an instruction with one opcode byte and this ModRM. */
static inline unsigned code_modrm_length(const uint8_t *modrm)
{
	unsigned mod = modrm[0] >> 6, rm = modrm[0] & 7;
	bool sib = mod != 3 && rm == 4;
	unsigned length = 2U + sib;

	if (mod == 1)
		return length + 1;
	if (mod == 2 || (mod == 0 && (rm == 5 || (sib && (modrm[1] & 7) == 5))))
		return length + 4;
	return length;
}

/* Whether a CALL may end right before ret, in code from start on: E8, or FF /2. */
static inline bool code_is_called_from(const uint8_t *ret, const uint8_t *start)
{
	uint64_t before = (uint64_t)(ret - start);

	if (ret < start || before < 2)
		return false;
	if (before >= 5 && ret[-5] == 0xe8)
		return true;
	for (int length = 2; length <= 7 && (uint64_t)length <= before; length++) {
		const uint8_t *modrm = ret - length + 1;

		if (modrm[-1] == 0xff && (modrm[0] >> 3 & 7) == 2 &&
		    code_modrm_length(modrm) == (unsigned)length)
			return true;
	}
	return false;
}

/* Whether the CALL (E8) that ends right before ret calls the function that pc is in, and no
 * instruction from that function's begin to pc sets %rbp; code in [start, end). Then ret is the
 * function's return address. */
static inline bool code_is_leaf_of(const uint8_t *pc, const uint8_t *ret, const uint8_t *start,
                                   const uint8_t *end)
{
	uint64_t target;
	int32_t to;

	if (pc < start || pc >= end || ret < start || ret > end || ret - start < 5 ||
	    ret[-5] != 0xe8)
		return false;
	__builtin_memcpy(&to, ret - 4, sizeof(to));
	target = (uint64_t)ret + (uint64_t)(int64_t)to;
	if (target < (uint64_t)start || target > (uint64_t)pc || (uint64_t)pc - target > CODE_LEAF)
		return false;
	for (const uint8_t *at = (const uint8_t *)target; at < pc; at++)
		if (code_sets_rbp(at, pc))
			return false;
	return true;
}

#endif
