/* SPDX-License-Identifier: MIT */
#include "agent/report/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 1024U
#define UNSIZED    4096U /* the most bytes of a function without a size */

static uint64_t functions_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static int functions_grow(struct functions *functions)
{
	size_t room = functions->room ? 2 * functions->room : FIRST_ROOM;
	struct function *list;

	if (functions->count == FUNCTIONS_MAX)
		return -ENOMEM;
	list = realloc(functions->list, room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	functions->list = list;
	functions->room = room;
	return 0;
}

int functions_add(struct functions *functions, uint64_t start, uint64_t size, const char *name)
{
	if (functions->count == functions->room && functions_grow(functions) != 0)
		return -ENOMEM;
	functions->list[functions->count++] = (struct function){
		.start = start,
		.end = functions_sum(start, size ? size : UNSIZED),
		.name = name,
	};
	return 0;
}

int functions_add_image(struct functions *functions, const struct image_symbols *symbols,
                        uint64_t base)
{
	const char *names = (const char *)&symbols->symbols[symbols->count];
	int code = 0;

	for (uint32_t i = 0; i < symbols->count && code == 0; i++) {
		const struct image_symbol *symbol = &symbols->symbols[i];

		code = functions_add(functions, base + symbol->start, symbol->size,
		                     names + symbol->name);
	}
	return code;
}

/* Order by address; of functions at the same address by perf's preference among names, then by the
 * order in which they were added, which weight holds until the list is sorted. */
static int functions_compare(const void *a, const void *b)
{
	const struct function *left = a, *right = b;
	size_t left_bars, right_bars;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	left_bars = strspn(left->name, "_");
	right_bars = strspn(right->name, "_");
	if (left_bars != right_bars)
		return left_bars < right_bars ? -1 : 1;
	if (strlen(left->name) != strlen(right->name))
		return strlen(left->name) > strlen(right->name) ? -1 : 1;
	return left->weight < right->weight ? -1 : 1;
}

void functions_sort(struct functions *functions)
{
	size_t kept = 0;

	for (size_t i = 0; i < functions->count; i++)
		functions->list[i].weight = i;
	if (functions->count)
		qsort(functions->list, functions->count, sizeof(*functions->list),
		      functions_compare);
	for (size_t i = 0; i < functions->count; i++) {
		struct function *before = kept ? &functions->list[kept - 1] : NULL;
		const struct function next = functions->list[i];

		if (before && before->start == next.start)
			continue;
		if (before && before->end > next.start)
			before->end = next.start;
		functions->list[kept++] = next;
	}
	functions->count = kept;
	functions_forget(functions);
}

/* The last function that begins at or below address, if it reaches to address. */
static struct function *functions_at(const struct functions *functions, uint64_t address)
{
	size_t low = 0, high = functions->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions->list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < functions->list[low - 1].end ? &functions->list[low - 1] : NULL;
}

bool functions_weigh(struct functions *functions, uint64_t address, uint64_t weight)
{
	struct function *function = functions_at(functions, address);

	if (function)
		function->weight = functions_sum(function->weight, weight);
	functions->weight = functions_sum(functions->weight, weight);
	functions->samples++;
	return function;
}

void functions_forget(struct functions *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		functions->list[i].weight = 0;
	functions->weight = functions->samples = 0;
}

unsigned functions_hottest(const struct functions *functions, const struct function **hottest,
                           unsigned most)
{
	unsigned found = 0;

	for (size_t i = 0; i < functions->count; i++) {
		const struct function *function = &functions->list[i];
		unsigned at = found;

		while (at > 0 && hottest[at - 1]->weight < function->weight)
			at--;
		if (at == most || function->weight == 0)
			continue;
		found += found < most;
		for (unsigned to = found - 1; to > at; to--)
			hottest[to] = hottest[to - 1];
		hottest[at] = function;
	}
	return found;
}

/* Both weights are halved until 10,000 times one of them fits 64 bits. */
unsigned functions_share(const struct functions *functions, uint64_t weight)
{
	uint64_t part = weight, all = functions->weight;

	for (; all >> 50; all >>= 1)
		part >>= 1;
	return all ? (unsigned)((part * 10000 + all / 2) / all) : 0;
}

void functions_free(struct functions *functions)
{
	free(functions->list);
	*functions = (struct functions){ 0 };
}
