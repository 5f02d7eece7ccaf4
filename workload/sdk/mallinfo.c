/* SPDX-License-Identifier: MIT */
/*
 * Reports how much of the heap is in use. newlib 3.3 counts in ints and returns a structure of
 * ints, while its <malloc.h> declares size_t members, so a program would read garbage. This file
 * replaces newlib's whole object that contains mallinfo().
 */
#include <malloc.h>
#include <reent.h>
#include <stdio.h>
#include <unistd.h>

#include "workload/sdk/sdk.h"

/* newlib's malloc(): a bin is a doubly linked list of free chunks; its head in __malloc_av_ looks
 * like a chunk. Bin 0 has only the chunk at the heap's end. */
#define BINS       128U
#define CHUNK_BITS 3UL /* flag bits of a size */

struct chunk {
	size_t before, size;
	struct chunk *next, *previous;
};

#pragma GCC visibility push(default)
extern struct chunk *__malloc_av_[2 * BINS + 2];
extern char *__malloc_sbrk_base; /* -1: malloc() has no heap yet */
#pragma GCC visibility pop

static size_t mallinfo_size(const struct chunk *chunk)
{
	return chunk->size & ~CHUNK_BITS;
}

static void mallinfo_add_bin(struct mallinfo *info, const struct chunk *bin)
{
	for (const struct chunk *chunk = bin->next; chunk != bin; chunk = chunk->next) {
		info->fordblks += mallinfo_size(chunk);
		info->ordblks++;
	}
}

struct mallinfo _mallinfo_r(struct _reent *reent)
{
	struct mallinfo info = { 0 };
	const struct chunk *top;

	__malloc_lock(reent);
	if (__malloc_sbrk_base != (char *)-1) {
		top = __malloc_av_[2];
		info.arena = (size_t)((char *)sbrk(0) - __malloc_sbrk_base);
		info.keepcost = info.fordblks = mallinfo_size(top);
		info.ordblks = info.keepcost >= sizeof(struct chunk);
		for (unsigned i = 1; i < BINS; i++)
			mallinfo_add_bin(&info, (const void *)&__malloc_av_[2 * i]);
		info.uordblks = info.arena - info.fordblks;
	}
	__malloc_unlock(reent);
	return info;
}

struct mallinfo mallinfo(void)
{
	return _mallinfo_r(_REENT);
}

void _malloc_stats_r(struct _reent *reent)
{
	struct mallinfo info = _mallinfo_r(reent);
	size_t most = info.arena ? (size_t)(sdk_heap_most() - __malloc_sbrk_base) : 0;

	fprintf(_stderr_r(reent),
	        "max system bytes = %10zu\nsystem bytes     = %10zu\nin use bytes     = %10zu\n",
	        most, info.arena, info.uordblks);
}

void malloc_stats(void)
{
	_malloc_stats_r(_REENT);
}

void _mstats_r(struct _reent *reent, char *title)
{
	fprintf(_stderr_r(reent), "Memory allocation statistics %s\n", title);
	_malloc_stats_r(reent);
}

void mstats(char *title)
{
	_mstats_r(_REENT, title);
}

int mallopt(int name, int value)
{
	return _mallopt_r(_REENT, name, value);
}
