/* SPDX-License-Identifier: MIT */
/* Text of a recording for a terminal, or for a line of a file: a name may have anything in it, and
 * what a terminal would obey, or what would end the line, is shown as '?'. */
#ifndef WRITER_UTIL_PRINTABLE_H
#define WRITER_UTIL_PRINTABLE_H

#include <stdbool.h>

/* ASCII's control characters, a tab and a line's end among them. */
static inline bool printable_is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

static inline char printable_char(char c)
{
	return printable_is_control(c) ? '?' : c;
}

/* A whole text, in place. */
static inline void printable_make(char *text)
{
	for (; *text; text++)
		*text = printable_char(*text);
}

#endif
