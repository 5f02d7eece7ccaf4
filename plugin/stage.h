/* SPDX-License-Identifier: MIT */
/*
 * Which instructions of a vCPU are sampled: the P-th, the 2P-th and so on that it begins, for a
 * period of P.
 *
 * QEMU calls at the start of a block of instructions, when it is not known whether the block will
 * be executed to its end: an exception or an access to a device may end it early. So the block's
 * sampled instructions are staged, with the counter's value at the block's start. Each is taken at
 * the vCPU's next call if the counter says that it was begun; the others are dropped.
 */
#ifndef PLUGIN_STAGE_H
#define PLUGIN_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#define STAGE_BLOCK 512U /* instructions of a block at most (QEMU's TCG_MAX_INSNS) */

/* A translated block. */
struct stage_block {
	uint64_t address;    /* of its first instruction */
	uint32_t count;      /* instructions, at most STAGE_BLOCK */
	bool is_entry;       /* it makes its function's frame: chain.h */
	uint16_t offsets[0]; /* of each instruction, from address */
};

struct stage {
	uint32_t count; /* staged samples */
	uint32_t next;  /* the first that was not taken */
	uint64_t pc[STAGE_BLOCK];
	uint32_t index[STAGE_BLOCK]; /* of each in its block, from 0 */
};

/* The value of a counter from which on stage_fill() finds an instruction in a block of count
 * instructions, or stage_take() one of an earlier block. */
static inline uint64_t stage_due(uint64_t period, uint32_t count)
{
	return count < period ? period - count : 0;
}

/* Stages the block's sampled instructions, instead of all that is staged. done: instructions since
 * the last taken sample, less than period. */
void stage_fill(struct stage *stage, const struct stage_block *block, uint64_t done,
                uint64_t period);

/* Takes the next staged sample, if its instruction was begun: reduces *done by period and returns
 * its number in the stage. -1: none. */
int stage_take(struct stage *stage, uint64_t *done, uint64_t period);

#endif
