/* SPDX-License-Identifier: MIT */
#include "lib/parse/shell_word.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool shell_word_is_blank(char c)
{
	return c && strchr(" \t\r\n", c);
}

/* The word's end; NULL: it ends inside a quote, which begins at *open. */
static const char *shell_word_end(const char *at, const char **open)
{
	bool quoted = false;

	for (; *at && (quoted || !shell_word_is_blank(*at)); at++) {
		if (*at == '"') {
			quoted = !quoted;
			*open = quoted ? at : NULL;
		} else if (*at == '^' && at[1]) {
			at++;
		}
	}
	return quoted ? NULL : at;
}

char *shell_word(char **text, const char **open)
{
	char *at = *text, *word, *to;
	const char *end;

	*open = NULL;
	while (shell_word_is_blank(*at))
		at++;
	*text = word = to = at;
	end = shell_word_end(at, open);
	if (!*at || !end)
		return NULL;
	*text += end - at + (*end != 0);
	for (; at < end; at++) {
		if (*at == '"')
			continue;
		at += *at == '^';
		if (at < end)
			*to++ = *at;
	}
	*to = 0;
	return word;
}
