/* SPDX-License-Identifier: MIT */
/* How the firmware's tables are looked at: as foreign bytes that may lie anywhere. */
#ifndef LIB_TABLE_VIEW_H
#define LIB_TABLE_VIEW_H

#include <stddef.h>
#include <stdint.h>

/* [address, address + size) of physical memory, or NULL if it is not all memory that may be
 * read. Any address and size may be asked for. Thread. */
typedef const void *(*table_view_fn)(uint64_t address, size_t size);

#endif
