/* SPDX-License-Identifier: MIT */
/* Names of a recording on a stream (writer/util/printable.h). */
#ifndef HOST_TOOLS_UTIL_PUT_TEXT_H
#define HOST_TOOLS_UTIL_PUT_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Write text up to its end or size bytes; control characters, and those in also, as instead. */
void put_text(FILE *out, const char *text, size_t size, char instead, const char *also);

#endif
