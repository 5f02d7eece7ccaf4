/* SPDX-License-Identifier: MIT */
/*
 * Text of a recording for a terminal, or for a line of a file: a name may have anything in it. A
 * terminal obeys control characters: ASCII's, DEL, and C1 (U+0080 to U+009F, also as lone bytes).
 * They are shown as '?', as is all that is no UTF-8. Source: ECMA-48, 5.2 and 5.3; The Unicode
 * Standard, table 3-7. All that makes text safe does it by these functions.
 */
#ifndef WRITER_UTIL_PRINTABLE_H
#define WRITER_UTIL_PRINTABLE_H

#include <stddef.h>

/* The bytes of the character at text, of size > 0 bytes that are there, if a terminal shows it; 0:
 * *bad bytes are to be replaced by one character. */
size_t printable_length(const char *text, size_t size, size_t *bad);

/* One byte by itself: printable ASCII, else '?'. */
char printable_char(char c);

/* Copy text up to its end, a NUL or size bytes, as far as there is room in to_size > 0 bytes; a
 * character is copied whole or not at all. Control characters, but those in kept, become instead.
 * Returns the length; the end is a NUL. to may be text. */
size_t printable_copy(char *to, size_t to_size, const char *text, size_t size, char instead,
                      const char *kept);

/* How many of so many bytes, a piece of a longer text, end with a whole character: the next piece
 * has the end of one that they leave out. */
size_t printable_whole(const char *text, size_t size);

/* A whole text, in place, with '?'; it may become shorter. */
void printable_make(char *text);

#endif
