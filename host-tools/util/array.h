/* SPDX-License-Identifier: MIT */
/* Arrays that grow by one entry at a time. */
#ifndef HOST_TOOLS_UTIL_ARRAY_H
#define HOST_TOOLS_UTIL_ARRAY_H

#include <stddef.h>

/* Make room for one more entry behind the count of an array (NULL: empty), whose entries have size
 * bytes. The array doubles when a power of two of entries is full, so it must grow by this function
 * alone. Returns the array, which may have moved; NULL: no memory, and array is as it was. */
void *array_grow(void *array, size_t count, size_t size);

#endif
