/* SPDX-License-Identifier: MIT */
/* Bounded reads of a file in memory. */
#ifndef LIB_PARSE_BYTES_H
#define LIB_PARSE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at;
	uint64_t size;
};

/* Whether so many bytes at an offset lie within the first size bytes. */
static inline bool bytes_inside(uint64_t offset, uint64_t bytes, uint64_t size)
{
	return offset <= size && bytes <= size - offset;
}

/* Copies a structure out, at any alignment. False: the bytes end before the structure does. */
static inline bool bytes_get(const struct bytes *from, uint64_t offset, void *to, uint64_t size)
{
	if (!bytes_inside(offset, size, from->size))
		return false;
	memcpy(to, from->at + offset, size);
	return true;
}

#endif
