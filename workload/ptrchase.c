/* SPDX-License-Identifier: MIT */
/* Dependent loads through a buffer of BYTES in an order that no prefetcher predicts. */
#include <errno.h>
#include <stdlib.h>

#include "workload/workload.h"

#define LINE  64U
#define LOADS (1U << 24)

struct line {
	struct line *next;
	char pad[LINE - sizeof(struct line *)];
};

/* xorshift64 (Marsaglia 2003): the same order on every run. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Sattolo's shuffle: one cycle through all lines. */
static void link_lines(struct line *lines, uint64_t count)
{
	uint64_t state = 88172645463325252ULL;

	for (uint64_t i = 0; i < count; i++)
		lines[i].next = &lines[i];
	for (uint64_t i = count - 1; i > 0; i--) {
		uint64_t j = next_random(&state) % i;
		struct line *next = lines[i].next;

		lines[i].next = lines[j].next;
		lines[j].next = next;
	}
}

static __attribute__((noinline, noclone)) void chase(const struct line *line, unsigned loads)
{
	KEEP_FRAME();
	while (loads--) {
		line = line->next;
		__asm__ volatile("" : "+r"(line));
	}
}

static int ptrchase(uint64_t bytes)
{
	struct line *lines = calloc(1, bytes);

	if (!lines)
		return -ENOMEM;
	link_lines(lines, bytes / LINE);
	chase(lines, LOADS);
	free(lines);
	return 0;
}

const struct workload workload_ptrchase = {
	.usage.name = "ptrchase",
	.usage.arguments = "[BYTES]",
	.usage.description = "16 M dependent loads through a buffer of BYTES",
	.usage.standard = 1U << 20,
	.usage.least = 2 * LINE,
	.usage.most = 1ULL << 40,
	.run = ptrchase,
};
