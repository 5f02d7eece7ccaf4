/* SPDX-License-Identifier: MIT */
/* Prints names of a recording to a stream (writer/util/printable.h). */
#ifndef HOST_TOOLS_UTIL_PUT_TEXT_H
#define HOST_TOOLS_UTIL_PUT_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Write text up to its NUL or size bytes; control characters, and the characters in also, are
 * replaced by `as`. */
void put_text(FILE *out, const char *text, size_t size, char instead, const char *also);

#endif
