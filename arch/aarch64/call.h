/* SPDX-License-Identifier: MIT */
/* Finds out from instructions who called a function: Arm ARM (DDI 0487), C6.2, BL, BLR, RET, ADD.
 * Pure. Any context. */
#ifndef ARCH_AARCH64_CALL_H
#define ARCH_AARCH64_CALL_H

#include <stdbool.h>
#include <stdint.h>

#define CALL_LEAF 1024U /* bytes of a function that are searched */

/* Whether the word is a call: BL; BLR, and BLRAA, BLRAAZ, BLRAB, BLRABZ (FEAT_PAuth), with any
 * register. */
static inline bool call_is(uint32_t word)
{
	bool is_signed = (word & 0xfffff800) == 0xd73f0800 || (word & 0xfffff81f) == 0xd63f081f;

	return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000 || is_signed;
}

/* Whether a call ends right before ret, in code from start on. */
static inline bool call_returns_to(uint64_t ret, uint64_t start)
{
	return ret % 4 == 0 && ret >= start && ret - start >= 4 &&
	       call_is(*(const uint32_t *)(uintptr_t)(ret - 4));
}

/* Whether the word is ADD x29, sp, #n; MOV x29, sp is the same with n = 0. */
static inline bool call_sets_frame(uint32_t word)
{
	return (word & 0xffc003ff) == 0x910003fd;
}

/* Whether the BL that ends right before ret calls the function that pc is in, and either pc is at
 * the function's RET or no instruction from the function's begin to pc sets x29; code in [start,
 * end). Then ret, which is x30's value, is the function's return address. */
static inline bool call_is_leaf_of(uint64_t pc, uint64_t ret, uint64_t start, uint64_t end)
{
	uint64_t target;
	uint32_t word;

	if (pc % 4 != 0 || pc < start || pc >= end || ret > end || !call_returns_to(ret, start))
		return false;
	if (*(const uint32_t *)(uintptr_t)pc == 0xd65f03c0) /* RET */
		return true;
	word = *(const uint32_t *)(uintptr_t)(ret - 4);
	if (word >> 26 != 0x25) /* BL */
		return false;
	target = ret - 4 + (uint64_t)((int64_t)((uint64_t)word << 38) >> 36);
	if (target < start || target > pc || pc - target > CALL_LEAF)
		return false;
	for (; target < pc; target += 4)
		if (call_sets_frame(*(const uint32_t *)(uintptr_t)target))
			return false;
	return true;
}

#endif
