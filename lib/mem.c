/* SPDX-License-Identifier: MIT */
/*
 * The four functions that gcc calls by itself even in freestanding code (GCC manual, "Standards").
 * They stand before newlib's in the link because handlers call them too: newlib's use vector
 * registers, which no handler saves. Word by word, for speed at the sizes of records; the Makefile
 * keeps gcc from recognising the loops and calling these very functions.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A word at any address, of whatever the bytes are. */
struct word {
	uint64_t bits;
} __attribute__((packed, may_alias));

#define SET_WORDS 16 /* that memset() stores a turn: screens and rings are cleared often */

static void mem_copy_up(unsigned char *to, const unsigned char *from, size_t size)
{
	for (; size >= sizeof(struct word); size -= sizeof(struct word)) {
		*(struct word *)to = *(const struct word *)from;
		to += sizeof(struct word);
		from += sizeof(struct word);
	}
	while (size--)
		*to++ = *from++;
}

static void mem_copy_down(unsigned char *to, const unsigned char *from, size_t size)
{
	for (; size % sizeof(struct word); size--)
		to[size - 1] = from[size - 1];
	for (; size; size -= sizeof(struct word))
		*(struct word *)(to + size - sizeof(struct word)) =
		    *(const struct word *)(from + size - sizeof(struct word));
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	mem_copy_up(to, from, size);
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	if ((uintptr_t)to - (uintptr_t)from >= size)
		mem_copy_up(to, from, size);
	else
		mem_copy_down(to, from, size);
	return to;
}

void *memset(void *to, int value, size_t size)
{
	unsigned char *byte = to;
	uint64_t bits = 0x0101010101010101ull * (unsigned char)value;

	for (; size >= SET_WORDS * sizeof(struct word); size -= SET_WORDS * sizeof(struct word)) {
		struct word *words = (struct word *)byte;

#pragma GCC unroll 16
		for (unsigned i = 0; i < SET_WORDS; i++)
			words[i].bits = bits;
		byte += SET_WORDS * sizeof(struct word);
	}
	for (; size >= sizeof(struct word); size -= sizeof(struct word)) {
		((struct word *)byte)->bits = bits;
		byte += sizeof(struct word);
	}
	while (size--)
		*byte++ = (unsigned char)value;
	return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
	const unsigned char *a = left;
	const unsigned char *b = right;

	for (; size; size--, a++, b++)
		if (*a != *b)
			return *a - *b;
	return 0;
}
