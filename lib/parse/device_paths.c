/* SPDX-License-Identifier: MIT */
#include "lib/parse/device_paths.h"

#include <string.h>

#define NODE_HEADER     4U
#define NODE_END        0x7f
#define END_OF_INSTANCE 0x01

/* The offset of the next instance; size: there is none. */
static size_t device_paths_next_instance(const uint8_t *paths, size_t size, size_t at)
{
	while (size - at >= NODE_HEADER) {
		const uint8_t *node = paths + at;
		size_t length = node[2] | (size_t)node[3] << 8;

		if (length < NODE_HEADER || length > size - at)
			return size;
		at += length;
		if (node[0] == NODE_END)
			return node[1] == END_OF_INSTANCE ? at : size;
	}
	return size;
}

bool device_paths_lead_to(const uint8_t *paths, size_t size, const uint8_t *path, size_t length)
{
	for (size_t at = 0; at < size; at = device_paths_next_instance(paths, size, at)) {
		if (length <= size - at && memcmp(paths + at, path, length) == 0)
			return true;
	}
	return false;
}
