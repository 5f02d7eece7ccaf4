/* SPDX-License-Identifier: MIT */
/* Splits text into words like UEFI's shell, for the arguments of a UEFI application (UEFI Shell
 * Specification 2.2, 3.3 and 3.6.2). Pure. */
#ifndef LIB_PARSE_SHELL_WORD_H
#define LIB_PARSE_SHELL_WORD_H

/*
 * Return the next word of *text, with its quotes removed in place; *text advances behind it. NULL:
 * there is no word, or a quote is not closed; *open is then that quote (else NULL).
 *
 * Words end at blanks, tabs and line ends; "..." keeps these. ^ escapes the next character, in
 * quotes as well. Backslashes and apostrophes are ordinary characters.
 */
char *shell_word(char **text, const char **open);

/* A word that is empty or has one of the first set is written within "..."; ^ is put before each
 * character of the second set. */
#define SHELL_WORD_QUOTED  " \t\r\n"
#define SHELL_WORD_ESCAPED "\"^"

#endif
