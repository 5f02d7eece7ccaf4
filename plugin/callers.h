/* SPDX-License-Identifier: MIT */
/* The callers of a sample, by the method of the request (abi/outside.h). */
#ifndef PLUGIN_CALLERS_H
#define PLUGIN_CALLERS_H

#include "plugin/calls.h"
#include "plugin/qemu_api.h"
#include "plugin/stage.h"

/* Begins: method is OUTSIDE_CALLERS_*, vcpus the number of CPUs to tell apart. False: no memory.
 * QEMU's main thread. */
bool callers_begin(enum chain_isa isa, uint32_t method, unsigned vcpus);

/* QEMU translates an instruction of block: notes whether it makes a frame, and watches it if it is
 * a call or a return. In a vCPU's thread. */
void callers_translate(struct qemu_plugin_insn *insn, struct stage_block *block);

/* The QEMU_PLUGIN_CB_* of a callback that calls callers_follow(). */
int callers_flags(void);

/* Whether each block must call callers_arrive(). */
bool callers_see_blocks(void);

/* A vCPU is about to execute a block. */
void callers_arrive(unsigned vcpu, const struct stage_block *block);

/* Writes the chain of a sample in the block that the vCPU is about to execute, from its address.
 * Returns the number of entries; 0: the recording has no callers. */
unsigned callers_follow(unsigned vcpu, const struct stage_block *block, uint64_t chain[CHAIN_MOST]);

#endif
