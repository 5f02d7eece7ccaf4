/* SPDX-License-Identifier: MIT */
#include "host-tools/util/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256U

void *array_grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? 2 * count : 1, size);
}

void *array_reach(void *array, uint32_t *room, uint32_t number, size_t size)
{
	uint64_t more = *room ? *room : FIRST_ROOM;
	char *bigger;

	if (number < *room)
		return array;
	while (more <= number)
		more *= 2;
	if (more > UINT32_MAX)
		return NULL;
	bigger = reallocarray(array, more, size);
	if (!bigger)
		return NULL;
	memset(bigger + *room * size, 0, (more - *room) * size);
	*room = (uint32_t)more;
	return bigger;
}

static bool array_set(void *array, void *moved)
{
	if (moved)
		memcpy(array, &moved, sizeof(moved));
	return moved;
}

static void *array_get(const void *array)
{
	void *entries;

	memcpy(&entries, array, sizeof(entries));
	return entries;
}

bool array_room(void *array, size_t count, size_t size)
{
	return array_set(array, array_grow(array_get(array), count, size));
}

bool array_room_at(void *array, uint32_t *room, uint32_t number, size_t size)
{
	return array_set(array, array_reach(array_get(array), room, number, size));
}

void *array_of_cpu(void *array, uint32_t *count, size_t size, uint32_t cpu, uint32_t *number)
{
	char *entries = array;
	uint32_t i;

	for (i = 0; i < *count; i++) {
		if (!memcmp(entries + i * size, &cpu, sizeof(cpu)))
			break;
	}
	*number = i;
	if (i < *count)
		return array;
	entries = array_grow(array, *count, size);
	if (!entries)
		return NULL;
	memset(entries + i * size, 0, size);
	memcpy(entries + i * size, &cpu, sizeof(cpu));
	++*count;
	return entries;
}
