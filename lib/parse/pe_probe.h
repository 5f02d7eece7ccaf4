/* SPDX-License-Identifier: MIT */
/*
 * A hash that an image shares with the ELF file that it was made of, 32 bits that are never 0. It
 * covers the entry and, each at its place, the eights of bytes of a section's first 4
 * KiB, and behind that one of each 64 bytes. Left out are those that may be an address, whose upper
 * 16 bits are 0, as a loader may have changed it; and on arm64 those with an instruction that
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

/* A section's code; none overlaps another. */
void pe_probe_add(struct pe_probe *probe, uint32_t rva, const uint8_t *bytes, uint32_t size);

uint32_t pe_probe_word(const struct pe_probe *probe, uint32_t entry);

#endif
