/* SPDX-License-Identifier: MIT */
/*
 * A hash that an image shares with the ELF file that it was made of: 32 bits, never 0. It covers
 * the entry point and words of 8 bytes with their places: all words of a section's first 4 KiB, and
 * behind that one word of each 64 bytes. A word that may be an address, with its upper 16 bits 0,
 * is left out, because a loader may have changed it. On arm64 so are words with an instruction that
 * EDK2's GenFw rewrites (ADR, ADRP; ADD, LDR). Pure; for firmware and host.
 */
#ifndef LIB_PARSE_PE_PROBE_H
#define LIB_PARSE_PE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct pe_probe {
	uint64_t sum; /* 0 at first */
	bool arm64;
};

/* Add a section's code; sections must not overlap. */
void pe_probe_add(struct pe_probe *probe, uint32_t rva, const uint8_t *bytes, uint32_t size);

uint32_t pe_probe_word(const struct pe_probe *probe, uint32_t entry);

#endif
