/* SPDX-License-Identifier: MIT */
/*
 * Seals of a trace region. After a reset, a reader uses them to check that words in the surviving
 * memory belong together. Fletcher's checksum of 32-bit words (J. G. Fletcher, "An Arithmetic
 * Checksum for Serial Transmissions", 1982): it detects accidents, not attacks.
 */
#ifndef ABI_SEAL_H
#define ABI_SEAL_H

#include "abi/trace_region.h"

struct tr_seal {
	uint64_t first, second;
};

/* bytes: a multiple of 4; `from` is aligned to 4. At most 65536 words in all, so that the sums
 * cannot overflow. */
static inline void tr_seal_add(struct tr_seal *seal, const void *from, uint64_t bytes)
{
	const volatile uint32_t *word =
	    (const volatile uint32_t *)from; /* another CPU may write there */

	for (uint64_t i = 0; i < bytes / sizeof(*word); i++) {
		seal->first += word[i];
		seal->second += seal->first;
	}
}

/* Never 0. */
static inline uint64_t tr_seal_end(const struct tr_seal *seal)
{
	uint64_t sum = seal->second % UINT32_MAX << 32 | seal->first % UINT32_MAX;

	return sum ? sum : 1;
}

/* Seals the part of a header that is written before the magic and never changes: the boot's
 * identity and the places of the tables. */
static inline uint64_t tr_header_seal(const struct tr_header *header)
{
	const struct tr_table *tables = &header->cpus;
	struct tr_seal seal = { 0, 0 };

	tr_seal_add(&seal, &header->version,
	            offsetof(struct tr_header, state) - offsetof(struct tr_header, version));
	for (unsigned i = 0; i < 9; i++) {
		tr_seal_add(&seal, &tables[i].offset, sizeof(tables[i].offset));
		tr_seal_add(&seal, &tables[i].stride, sizeof(tables[i].stride));
	}
	return tr_seal_end(&seal);
}

/* Seals a ring's ledger up to its own seal. Add the ledgers of the ring's events before, in order.
 */
static inline uint64_t tr_ledger_seal(struct tr_seal *seal, const struct tr_ring_ledger *ledger)
{
	tr_seal_add(seal, ledger, offsetof(struct tr_ring_ledger, kept_seal));
	return tr_seal_end(seal);
}

#endif
