/* SPDX-License-Identifier: MIT */
/* Splits text into words like a shell, for commands and for a program's @FILE. */
#ifndef LIB_PARSE_QUOTED_H
#define LIB_PARSE_QUOTED_H

/*
 * Return the next word of *text, with its quotes removed in place; *text advances behind it. NULL:
 * there is no word, or a quote is not closed; *open is then that quote (else NULL).
 *
 * Words end at blanks, tabs and line ends. Text in '...' is kept as it is. In "..." a backslash
 * escapes " \ $ and `; outside of quotes it escapes quotes, backslashes and blanks. A backslash
 * before a line end removes the line end. Any other backslash is kept, as in UEFI's paths.
 */
char *quoted_word(char **text, const char **open);

#endif
