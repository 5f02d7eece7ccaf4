/* SPDX-License-Identifier: MIT */
/* How a channel stores into a region's bytes, which are the machine's memory or a mirror: whole
 * words, because another program may read them at the same time. */
#ifndef WRITER_REGION_CHANNEL_WORD_H
#define WRITER_REGION_CHANNEL_WORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* An aligned word of 8 or 4 bytes is stored after everything that was read or stored before. Other
 * sizes are stored as bytes. */
static inline void channel_store(void *to, const void *from, size_t size)
{
	uint64_t word = 0;

	if (size == sizeof(uint64_t)) {
		memcpy(&word, from, sizeof(uint64_t));
		/* C: what was read, before it may be written over, pairs with B in ringbuf/ring.h.
		 */
		__atomic_store_n((uint64_t *)to, word, __ATOMIC_RELEASE);
	} else if (size == sizeof(uint32_t)) {
		memcpy(&word, from, sizeof(uint32_t));
		/* A: a command's text, before its number; pairs with D in agent/input/mailbox.c. */
		__atomic_store_n((uint32_t *)to, (uint32_t)word, __ATOMIC_RELEASE);
	} else {
		memcpy(to, from, size);
	}
}

/* Whole words of 8 bytes, aligned, in no order. */
static inline void channel_store_words(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size / sizeof(uint64_t); i++)
		__atomic_store_n((uint64_t *)to + i, ((const uint64_t *)from)[i], __ATOMIC_RELAXED);
}

#endif
