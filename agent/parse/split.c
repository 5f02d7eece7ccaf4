/* SPDX-License-Identifier: MIT */
#include "agent/parse/words.h"

static bool split_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Whether this backslash stands for the character behind it: not within '...', within "..." before
 * " and \, elsewhere before quotes, backslashes and blanks. Any other is one of UEFI's paths. */
static bool split_is_escape(const char *at, char quote)
{
	if (*at != '\\' || quote == '\'')
		return false;
	return at[1] == '"' || at[1] == '\\' ||
	       (!quote && (at[1] == '\'' || split_is_blank(at[1])));
}

/* A word as a shell has it, where it begins, without its quotes; *next is what follows. */
static int split_word(struct words *w, char *at, char **next)
{
	const char *opened = at;
	char *to = at, quote = 0;

	for (; *at && (quote || !split_is_blank(*at)); at++) {
		if (!quote && (*at == '\'' || *at == '"')) {
			opened = at;
			quote = *at;
		} else if (quote && *at == quote) {
			quote = 0;
		} else {
			at += split_is_escape(at, quote);
			*to++ = *at;
		}
	}
	if (quote)
		return command_fail(w, "this quote is not closed", opened);
	*next = at + (*at != 0);
	*to = '\0';
	return 0;
}

int command_split(struct words *w)
{
	char *at = w->command->words;
	int code = 0;

	while (!code) {
		while (split_is_blank(*at))
			at++;
		if (!*at)
			return w->count ? 0 : command_fail(w, "a command is missing", at);
		if (w->count == COMMAND_MAX_WORDS)
			return command_fail(w, "too many words", at);
		w->word[w->count++] = at;
		code = split_word(w, at, &at);
	}
	return code;
}
