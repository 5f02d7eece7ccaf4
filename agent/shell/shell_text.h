/* SPDX-License-Identifier: MIT */
/* UCS-2 text of a shell's: names, paths and patterns. Pure. */
#ifndef AGENT_SHELL_SHELL_TEXT_H
#define AGENT_SHELL_SHELL_TEXT_H

#include <stdbool.h>

#include "lib/efi/efi.h"

/* Characters before the NUL. */
UINTN shell_text_length(const CHAR16 *text);

/* Append to *at, of room characters with the NUL. false: it does not fit, and to ends where it did.
 */
bool shell_text_append(CHAR16 *to, UINTN room, const CHAR16 *text);

/* Whether both are the same but for the case of ASCII's letters. */
bool shell_text_equals(const CHAR16 *a, const CHAR16 *b);

/* Whether name is one that pattern stands for: ? for a character, * for any number. As above. */
bool shell_text_matches(const CHAR16 *pattern, const CHAR16 *name);
bool shell_text_is_pattern(const CHAR16 *text);

/* The same in ASCII, of room characters with the NUL. false: it does not fit, or has others. */
bool shell_text_narrow(const CHAR16 *text, char *to, UINTN room);

/* path, which begins with a backslash, without its "." and "..", in place. */
void shell_text_simplify(CHAR16 *path);

#endif
