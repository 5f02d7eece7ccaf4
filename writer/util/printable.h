/* SPDX-License-Identifier: MIT */
/*
 * Text of a recording for a terminal, or for a line of a file: a name may contain anything. A
 * terminal obeys control characters: ASCII's, DEL, and C1 (U+0080 to U+009F, also as single bytes).
 * They are printed as '?', and so are bytes that are not UTF-8. Source: ECMA-48, 5.2 and 5.3; The
 * Unicode Standard, table 3-7. All code that makes text safe uses these functions.
 */
#ifndef WRITER_UTIL_PRINTABLE_H
#define WRITER_UTIL_PRINTABLE_H

#include <stddef.h>

/* The length of the character at text, of which size > 0 bytes exist, if a terminal prints it. 0:
 * *bad bytes must be replaced by one character. */
size_t printable_length(const char *text, size_t size, size_t *bad);

/* One byte: printable ASCII stays, others become '?'. */
char printable_char(char c);

/* Copy text up to a NUL or size bytes, as far as to_size > 0 bytes have room; a character is copied
 * completely or not at all. Control characters, except those in kept, are replaced by `instead`.
 * Returns the length; the copy ends with a NUL. to may equal text. */
size_t printable_copy(char *to, size_t to_size, const char *text, size_t size, char instead,
                      const char *kept);

/* The number of bytes, in a piece of a longer text, that end with a complete character: the next
 * piece begins with the rest. */
size_t printable_whole(const char *text, size_t size);

/* Make a whole text safe in place, with '?'; it may become shorter. */
void printable_make(char *text);

#endif
