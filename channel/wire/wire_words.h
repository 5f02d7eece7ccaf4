/* SPDX-License-Identifier: MIT */
/*
 * The region's bytes with fewer of them on the line: records, tables and branch records are all
 * made of 64-bit words, most of which were there before, behind the same words. Seen words are
 * remembered for one frame only, so that each frame decodes alone. docs/wire-format.md describes
 * the code.
 *
 * No libc, general registers only; any context, each struct wire_words one caller's at a time.
 * Bounded: one pass over WIRE_RAW_MAX bytes at most.
 */
#ifndef CHANNEL_WIRE_WIRE_WORDS_H
#define CHANNEL_WIRE_WIRE_WORDS_H

#include "channel/wire/wire.h"

#define WIRE_SEEN_BITS 6U /* of a word's hash: its place among those seen */
#define WIRE_ONE_BITS  8U /* of the last word's: what came behind it */
#define WIRE_TWO_BITS  9U /* of the last two words' */

/* The memory of encoder and decoder for one frame: the caller's, with any content. */
struct wire_words {
	uint64_t seen[1U << WIRE_SEEN_BITS];
	uint64_t behind_one[1U << WIRE_ONE_BITS];
	uint64_t step[1U << WIRE_ONE_BITS]; /* of behind_one from its value before */
	uint64_t behind_two[1U << WIRE_TWO_BITS];
	uint64_t last, before; /* hashes of the last two words */
};

/*
 * Encode size bytes from `from` on, or as many of their beginning as have room: at most `room`
 * bytes to `to`. *raw is how many bytes these stand for, a multiple of 8, at most WIRE_RAW_MAX.
 * Returns the number of bytes at `to`; 0: as many raw ones are not more, or `from` is not aligned
 * to 8, or has no 8. Each word of `from` is read once: another CPU may write to it.
 */
size_t wire_encode(struct wire_words *words, uint8_t *to, size_t room, const uint8_t *from,
                   size_t size, size_t *raw);

/* Decode into exactly raw bytes at `to`. False: `from`, of size bytes, any bytes at all, does not
 * stand for as many; `to` then holds anything. */
bool wire_decode(struct wire_words *words, uint8_t *to, size_t raw, const uint8_t *from,
                 size_t size);

#endif
