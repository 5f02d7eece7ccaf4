/* SPDX-License-Identifier: MIT */
#include "host-tools/util/array.h"

#include <stdlib.h>

void *array_grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? 2 * count : 1, size);
}
