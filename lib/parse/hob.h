/* SPDX-License-Identifier: MIT */
/*
 * A firmware's list of hand-off blocks (PI 1.7, volume 3, chapter 5), out of bytes of which nothing
 * is believed. Pure. Thread, or any handler.
 */
#ifndef LIB_PARSE_HOB_H
#define LIB_PARSE_HOB_H

#include <stdbool.h>
#include <stdint.h>

/* The boot CPU's stack, [*low, *high), by the memory allocation of that name (5.4.2); false: the
 * list, which is looked at up to its end or so many bytes, has none, or is none. */
bool hob_stack(const void *list, uint64_t size, uint64_t *low, uint64_t *high);

#endif
