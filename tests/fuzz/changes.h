/* SPDX-License-Identifier: MIT */
/* Changes to a valid file, so that a short input reaches deep code. */
#ifndef TESTS_FUZZ_CHANGES_H
#define TESTS_FUZZ_CHANGES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Apply the list {u16 offset, 8 bytes} to the file, which has more than 8 bytes; offsets reach the
 * first 65,543 bytes. */
static inline void fuzz_change(void *file, size_t file_size, const uint8_t *changes, size_t size)
{
	for (; size >= 10; changes += 10, size -= 10) {
		size_t offset = (changes[0] | changes[1] << 8) % (file_size - 7);

		memcpy((uint8_t *)file + offset, changes + 2, 8);
	}
}

#endif
