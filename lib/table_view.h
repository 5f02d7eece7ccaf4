/* SPDX-License-Identifier: MIT */
/* Access to the firmware's tables, untrusted bytes that may lie anywhere. */
#ifndef LIB_TABLE_VIEW_H
#define LIB_TABLE_VIEW_H

#include <stddef.h>
#include <stdint.h>

/* Returns [address, address + size) of physical memory, or NULL if not all of it is readable
 * memory. All values are allowed. Thread. */
typedef const void *(*table_view_fn)(uint64_t address, size_t size);

#endif
