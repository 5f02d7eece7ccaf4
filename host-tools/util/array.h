/* SPDX-License-Identifier: MIT */
/* Arrays that grow. Thread: the thread that owns the array. */
#ifndef HOST_TOOLS_UTIL_ARRAY_H
#define HOST_TOOLS_UTIL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Make room for one more entry behind the count of an array (NULL: empty), whose entries have size
 * bytes. The array doubles when a power of two of entries is full, so it must grow by this function
 * or array_room() alone. Returns the array, which may have moved; NULL: no memory, and array is as
 * it was. */
void *array_grow(void *array, size_t count, size_t size);

/* Make an array (NULL: empty) of *room entries of size bytes have entry number; new entries are all
 * 0, and *room is updated. Returns the array, which may have moved; NULL: no memory, and array and
 * *room are as they were. */
void *array_reach(void *array, uint32_t *room, uint32_t number, size_t size);

/* The same two for the array that the pointer at `array` points to: the pointer is set. False: no
 * memory, and the array is as it was. */
bool array_room(void *array, size_t count, size_t size);
bool array_room_at(void *array, uint32_t *room, uint32_t number, size_t size);
#define ARRAY_ROOM(array, count) array_room(&(array), (count), sizeof(*(array)))
#define ARRAY_REACH(array, room, number) \
	array_room_at(&(array), &(room), (number), sizeof(*(array)))

/* Find a CPU's entry in an array (NULL: empty) of *count entries of size bytes, whose first member
 * is the CPU's number as a uint32_t. If no entry has this number, one is added, all 0 but for the
 * number; the array must grow by this function alone. *number is set to the entry's index. Returns
 * the array, which may have moved; NULL: no memory, and array and *count are as they were. */
void *array_of_cpu(void *array, uint32_t *count, size_t size, uint32_t cpu, uint32_t *number);

#endif
