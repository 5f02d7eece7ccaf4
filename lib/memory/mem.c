/* SPDX-License-Identifier: MIT */
/*
 * The four functions that gcc calls by itself even in freestanding code (GCC manual, "Standards").
 * They come before newlib's in the link, because handlers call them too: newlib's use vector
 * registers, which no handler saves. They copy word by word, for speed at the sizes of records.
 * Each word access is aligned, because some memory faults otherwise. The Makefile keeps gcc from
 * recognising the loops and calling these very functions.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A word of bytes of any type. Memory that the firmware has mapped as Device faults on each access
 * that is not aligned to its own size (DDI 0487, B2, "Device memory"); the trace region may lie
 * there. */
typedef uint64_t __attribute__((may_alias)) mem_word;

#define WORD      sizeof(mem_word)
/* words per turn of memset(): screens and rings are cleared often */
#define SET_WORDS 16

static bool mem_is_aligned(uintptr_t address)
{
	return address % WORD == 0;
}

/* Copy words to an aligned place, each merged from the two aligned words that contain it. Only
 * words that contain a wanted byte are loaded. Little-endian. Returns the number of bytes
 * copied. */
static size_t mem_copy_merged(unsigned char *to, const unsigned char *from, size_t size)
{
	unsigned shift = 8 * ((uintptr_t)from % WORD);
	const mem_word *source = (const mem_word *)(from - shift / 8);
	mem_word *word = (mem_word *)to;
	uint64_t low = *source++;

	for (size_t left = size; left >= WORD; left -= WORD) {
		uint64_t high = *source++;

		*word++ = low >> shift | high << (64 - shift);
		low = high;
	}
	return size - size % WORD;
}

static size_t mem_copy_words(unsigned char *to, const unsigned char *from, size_t size)
{
	const mem_word *source = (const mem_word *)from;
	mem_word *word = (mem_word *)to;

	for (size_t left = size; left >= WORD; left -= WORD)
		*word++ = *source++;
	return size - size % WORD;
}

static void mem_copy_up(unsigned char *to, const unsigned char *from, size_t size)
{
	size_t done = 0;

	while (done < size && !mem_is_aligned((uintptr_t)(to + done))) {
		to[done] = from[done];
		done++;
	}
	if (mem_is_aligned((uintptr_t)(from + done)))
		done += mem_copy_words(to + done, from + done, size - done);
	else if (size - done >= WORD)
		done += mem_copy_merged(to + done, from + done, size - done);
	for (; done < size; done++)
		to[done] = from[done];
}

static void mem_copy_down(unsigned char *to, const unsigned char *from, size_t size)
{
	if (mem_is_aligned((uintptr_t)to ^ (uintptr_t)from)) {
		for (; size && !mem_is_aligned((uintptr_t)(to + size)); size--)
			to[size - 1] = from[size - 1];
		for (; size >= WORD; size -= WORD)
			*(mem_word *)(to + size - WORD) = *(const mem_word *)(from + size - WORD);
	}
	for (; size; size--)
		to[size - 1] = from[size - 1];
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

	for (; size && !mem_is_aligned((uintptr_t)byte); size--)
		*byte++ = (unsigned char)value;
	for (; size >= SET_WORDS * WORD; size -= SET_WORDS * WORD) {
		mem_word *words = (mem_word *)byte;

#pragma GCC unroll 16
		for (unsigned i = 0; i < SET_WORDS; i++)
			words[i] = bits;
		byte += SET_WORDS * WORD;
	}
	for (; size >= WORD; size -= WORD) {
		*(mem_word *)byte = bits;
		byte += WORD;
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
