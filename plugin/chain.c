/* SPDX-License-Identifier: MIT */
#include "plugin/chain.h"

#include <string.h>

/* Without the signature that pointer authentication (FEAT_PAuth) puts into the upper bits: of
 * addresses of 48 bits, as bit 55 says (Arm ARM, D8.9). */
static uint64_t chain_strip(enum chain_isa isa, uint64_t address)
{
	const uint64_t upper = 0xffffULL << 48;

	if (isa != CHAIN_AARCH64)
		return address;
	return address & 1ULL << 55 ? address | upper : address & ~upper;
}

bool chain_makes_frame(enum chain_isa isa, const uint8_t *bytes, size_t size)
{
	uint32_t word;

	if (isa == CHAIN_X86_64)
		return size >= 1 && bytes[0] == 0x55; /* push %rbp */
	if (size < sizeof(word))
		return false;
	memcpy(&word, bytes, sizeof(word));
	/* stp x29, x30, [sp, #n]! and stp x29, x30, [sp, #n] */
	return (word & 0xffc07fff) == 0xa9807bfd || (word & 0xffc07fff) == 0xa9007bfd;
}

unsigned chain_follow(enum chain_isa isa, uint64_t pc, bool is_entry,
                      const struct chain_registers *registers, chain_read *read, void *context,
                      uint64_t chain[CHAIN_MOST])
{
	uint64_t frame = registers->frame, least = registers->stack, at[2];
	unsigned count = 0;

	chain[count++] = pc;
	if (is_entry && isa == CHAIN_AARCH64)
		chain[count++] = chain_strip(isa, registers->link);
	else if (is_entry && read(context, registers->stack, at, sizeof(*at)))
		chain[count++] = at[0];
	/* Stacks grow down: a caller's frame lies above its function's. */
	while (count < CHAIN_MOST && frame >= least && frame % 8 == 0 &&
	       read(context, frame, at, sizeof(at)) && at[1]) {
		chain[count++] = chain_strip(isa, at[1]);
		least = frame + 1;
		frame = at[0];
	}
	return count;
}
