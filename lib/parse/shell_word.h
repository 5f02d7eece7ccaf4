/* SPDX-License-Identifier: MIT */
/* Words as UEFI's shell cuts them, for the arguments of a UEFI application (UEFI Shell
 * Specification 2.2, 3.3 and 3.6.2). Pure. */
#ifndef LIB_PARSE_SHELL_WORD_H
#define LIB_PARSE_SHELL_WORD_H

/*
 * The next word of *text, without its quotes, where it is; *text moves on behind it. NULL: there is
 * none, or a quote is not closed, and *open is where that begins (else NULL).
 *
 * Words end at blanks, tabs and line ends. "..." keeps these; ^ stands for the character behind it,
 * within quotes as well. A backslash is itself, and so is an apostrophe.
 */
char *shell_word(char **text, const char **open);

/* A word that has one of these, or nothing, is written within "..."; ^ stands before each of the
 * others. */
#define SHELL_WORD_QUOTED  " \t\r\n"
#define SHELL_WORD_ESCAPED "\"^"

#endif
