/* SPDX-License-Identifier: MIT */
/*
 * Reads a firmware's list of hand-off blocks (PI 1.7, volume 3, chapter 5) as untrusted bytes.
 * Pure. Thread, or any handler.
 */
#ifndef LIB_PARSE_HOB_H
#define LIB_PARSE_HOB_H

#include <stdbool.h>
#include <stdint.h>

/* Find the boot CPU's stack, [*low, *high), by the memory allocation of that name (5.4.2). Reads
 * up to the list's end, at most size bytes. Returns false if there is none, or the list is not
 * valid. */
bool hob_stack(const void *list, uint64_t size, uint64_t *low, uint64_t *high);

#endif
