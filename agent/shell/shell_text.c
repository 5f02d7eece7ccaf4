/* SPDX-License-Identifier: MIT */
#include "agent/shell/shell_text.h"

UINTN shell_text_length(const CHAR16 *text)
{
	UINTN length = 0;

	while (text[length])
		length++;
	return length;
}

bool shell_text_append(CHAR16 *to, UINTN room, const CHAR16 *text)
{
	UINTN at = shell_text_length(to);

	if (shell_text_length(text) >= room - at)
		return false;
	while (*text)
		to[at++] = *text++;
	to[at] = 0;
	return true;
}

static CHAR16 shell_text_upper(CHAR16 c)
{
	return c >= 'a' && c <= 'z' ? (CHAR16)(c - 'a' + 'A') : c;
}

bool shell_text_equals(const CHAR16 *a, const CHAR16 *b)
{
	while (*a && shell_text_upper(*a) == shell_text_upper(*b)) {
		a++;
		b++;
	}
	return *a == *b;
}

/* The pattern behind the last * is tried at each further place of the name. */
bool shell_text_matches(const CHAR16 *pattern, const CHAR16 *name)
{
	const CHAR16 *star = NULL, *from = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = ++pattern;
			from = name;
		} else if (*pattern && (*pattern == '?' ||
		                        shell_text_upper(*pattern) == shell_text_upper(*name))) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star;
			name = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool shell_text_is_pattern(const CHAR16 *text)
{
	for (; *text; text++)
		if (*text == '*' || *text == '?')
			return true;
	return false;
}

bool shell_text_narrow(const CHAR16 *text, char *to, UINTN room)
{
	UINTN at = 0;

	for (; text[at]; at++) {
		if (at + 1 >= room || text[at] > '~')
			return false;
		to[at] = (char)text[at];
	}
	to[at] = 0;
	return true;
}

static bool shell_text_is_name(const CHAR16 *part, UINTN length, const CHAR16 *name)
{
	return length == shell_text_length(name) && part[0] == name[0] &&
	       part[length - 1] == name[0];
}

void shell_text_simplify(CHAR16 *path)
{
	CHAR16 *to = path;

	for (const CHAR16 *part = path; *part;) {
		UINTN length = 0;

		while (*part == '\\')
			part++;
		while (part[length] && part[length] != '\\')
			length++;
		if (length && shell_text_is_name(part, length, u"..")) {
			while (to > path && *--to != '\\')
				;
		} else if (length && !shell_text_is_name(part, length, u".")) {
			*to++ = '\\';
			for (UINTN i = 0; i < length; i++)
				*to++ = part[i];
		}
		part += length;
	}
	if (to == path)
		*to++ = '\\';
	*to = 0;
}
