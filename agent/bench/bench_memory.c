/* SPDX-License-Identifier: MIT */
#include "agent/bench/bench_memory.h"

#include "lib/memory/memory.h"

#define ALIGN   (2UL << 20) /* so that large pages map it */
#define DATA    (BENCH_AREAS * BENCH_AREA)
#define VALUES  (BENCH_VALUES * sizeof(int64_t))
#define PRIVATE (BENCH_REQUEST + BENCH_RESULT + VALUES)
#define TOTAL   (BENCH_CODE_ROOM + DATA + ARCH_PAGE + PRIVATE)

_Static_assert(TOTAL % ARCH_PAGE == 0, "whole pages");

static struct bench_memory memory;

void bench_memory_take(void)
{
	uint8_t *pages = memory_alloc_pages((TOTAL + ALIGN) / ARCH_PAGE), *at;

	if (!pages)
		return;
	at = (uint8_t *)(((uintptr_t)pages + ALIGN - 1) & ~(ALIGN - 1));
	if (memory_add_mapping((uint64_t)at, BENCH_CODE_ROOM, ARCH_MAP_SNIPPETS))
		return;
	if (memory_add_mapping((uint64_t)at + BENCH_CODE_ROOM, DATA + ARCH_PAGE,
	                       ARCH_MAP_USER_DATA))
		return;
	memory.code = at;
	at += BENCH_CODE_ROOM;
	for (unsigned i = 0; i < BENCH_AREAS; i++, at += BENCH_AREA)
		memory.areas[i] = at;
	memory.reading = (uint64_t *)(void *)at;
	memory.request = at + ARCH_PAGE;
	memory.result = memory.request + BENCH_REQUEST;
	memory.values = (int64_t *)(void *)(memory.result + BENCH_RESULT);
}

const struct bench_memory *bench_memory(void)
{
	return memory.code ? &memory : NULL;
}
