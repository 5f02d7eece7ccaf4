/* SPDX-License-Identifier: MIT */
/* Words as a shell cuts them, for commands and for a program's @FILE. */
#ifndef LIB_PARSE_QUOTED_H
#define LIB_PARSE_QUOTED_H

/*
 * The next word of *text, without its quotes, where it is; *text moves on behind it. NULL: there is
 * none, or a quote is not closed, and *open is where that begins (else NULL).
 *
 * Words end at blanks, tabs and line ends. '...' is as it stands; within "..." a backslash stands
 * for the character behind it before " \ $ and `, elsewhere before quotes, backslashes and blanks;
 * a line end behind one is none. Any other backslash is itself, as in UEFI's paths.
 */
char *quoted_word(char **text, const char **open);

#endif
