/* SPDX-License-Identifier: MIT */
/* UCS-2 text for a shell: names, paths and patterns. Pure. */
#ifndef AGENT_SHELL_SHELL_TEXT_H
#define AGENT_SHELL_SHELL_TEXT_H

#include <stdbool.h>

#include "lib/efi/efi.h"

/* Returns the characters before the NUL. */
UINTN shell_text_length(const CHAR16 *text);

/* Append text to `to`, which has room characters with the NUL. Returns false if text does not fit;
 * it is then cut. */
bool shell_text_append(CHAR16 *to, UINTN room, const CHAR16 *text);

/* Returns whether both are equal, ignoring the case of ASCII letters. */
bool shell_text_equals(const CHAR16 *a, const CHAR16 *b);

/* Returns whether pattern matches name, ignoring the case of ASCII letters: ? is one character, *
 * any number. */
bool shell_text_matches(const CHAR16 *pattern, const CHAR16 *name);
bool shell_text_is_pattern(const CHAR16 *text);

/* Convert text to ASCII, at most room characters with the NUL. Returns false if it does not fit, or
 * has other characters. */
bool shell_text_narrow(const CHAR16 *text, char *to, UINTN room);

/* Remove "." and ".." from path, which begins with a backslash, in place. */
void shell_text_simplify(CHAR16 *path);

#endif
