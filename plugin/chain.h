/* SPDX-License-Identifier: MIT */
/*
 * The callers of a guest's function by its frame pointers. A frame is two words on both ISAs: the
 * caller's frame, then the return address (System V ABI for x86-64, 3.2.2; AAPCS64, 6.4.6).
 *
 * The registers are those at the start of the sampled instruction's block. A block that makes its
 * function's frame begins before the frame exists: the return address is then still where the call
 * put it.
 */
#ifndef PLUGIN_CHAIN_H
#define PLUGIN_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHAIN_MOST 127U /* entries, as perf's kernel.perf_event_max_stack */

enum chain_isa { CHAIN_X86_64, CHAIN_AARCH64 };

struct chain_registers {
	uint64_t frame; /* rbp, x29 */
	uint64_t stack; /* rsp, sp */
	uint64_t link;  /* x30 */
};

/* Reads size bytes of the guest's memory. False: there is none at this address. */
typedef bool chain_read(void *context, uint64_t address, void *to, size_t size);

/* Whether an instruction of a block makes the function's frame. bytes: its first size bytes. */
bool chain_makes_frame(enum chain_isa isa, const uint8_t *bytes, size_t size);

/* Writes pc, then the return addresses, innermost first. Returns their number, CHAIN_MOST at most.
 */
unsigned chain_follow(enum chain_isa isa, uint64_t pc, bool is_entry,
                      const struct chain_registers *registers, chain_read *read, void *context,
                      uint64_t chain[CHAIN_MOST]);

#endif
