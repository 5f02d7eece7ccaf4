/* SPDX-License-Identifier: MIT */
/* Times that the firmware has measured itself, and how its tables' readers report them. */
#ifndef LIB_FIRMWARE_TIME_H
#define LIB_FIRMWARE_TIME_H

#include <stddef.h>
#include <stdint.h>

#define FIRMWARE_TIME_NAME 96U   /* bytes of a name, its NUL included */
#define FIRMWARE_TIMES_MAX 4096U /* the most times that a source reports */

/* Reports one time: ns since the processor's reset, by the firmware's own clock; name is the event,
 * in printable ASCII. */
typedef void (*firmware_time_fn)(void *context, uint64_t ns, const char *name);

/* Copy text up to its NUL or length bytes into name of size bytes; bytes that are not printable
 * ASCII become "?". Returns the name's length. */
static inline size_t firmware_time_name(const uint8_t *text, size_t length, char *name, size_t size)
{
	size_t used = 0;

	for (; used < length && used < size - 1 && text[used]; used++)
		name[used] = text[used] >= ' ' && text[used] < 0x7f ? (char)text[used] : '?';
	name[used] = 0;
	return used;
}

#endif
