/* SPDX-License-Identifier: MIT */
/*
 * Encodes the region's bytes so that the line carries fewer bytes. Records, tables and branch
 * records consist of 64-bit words, and most words occurred before, after the same words. The
 * encoder remembers words only within one frame, so each frame can be decoded alone.
 * docs/wire-format.md describes the code.
 *
 * No libc, general registers only. Any context; only one caller may use a struct wire_words at a
 * time. Bounded: one pass over at most WIRE_RAW_MAX bytes.
 */
#ifndef CHANNEL_WIRE_WIRE_WORDS_H
#define CHANNEL_WIRE_WIRE_WORDS_H

#include "channel/wire/wire.h"

/* Sizes of the hashes, in bits, that are indexes of the tables in struct wire_words: of the word
 * itself; of the word before it; of the two words before it. */
#define WIRE_SEEN_BITS 6U
#define WIRE_ONE_BITS  8U
#define WIRE_TWO_BITS  9U

/* The working memory of encoder and decoder for one frame. The caller provides it, with any
 * content. */
struct wire_words {
	uint64_t seen[1U << WIRE_SEEN_BITS];
	uint64_t behind_one[1U << WIRE_ONE_BITS];
	/* for each behind_one: its difference from its previous value */
	uint64_t step[1U << WIRE_ONE_BITS];
	uint64_t behind_two[1U << WIRE_TWO_BITS];
	uint64_t last, before; /* hashes of the last two words */
};

/*
 * Encodes size bytes at `from`, or as many from the start as fit into `room` bytes at `to`. *raw:
 * the number of encoded bytes, a multiple of 8, at most WIRE_RAW_MAX. Returns the number of bytes
 * at `to`. 0: the encoding is not shorter, `from` is not aligned to 8, or size is below 8. Reads
 * each word of `from` once, because another CPU may write to it.
 */
size_t wire_encode(struct wire_words *words, uint8_t *to, size_t room, const uint8_t *from,
                   size_t size, size_t *raw);

/* Decodes `from` into exactly raw bytes at `to`. `from` has size bytes of any content. False: they
 * do not decode to raw bytes; then `to` holds undefined bytes. */
bool wire_decode(struct wire_words *words, uint8_t *to, size_t raw, const uint8_t *from,
                 size_t size);

#endif
