/* SPDX-License-Identifier: MIT */
#include "command/words.h"
#include "lib/parse/quoted.h"

int command_split(struct words *w)
{
	char *at = w->command->words, *word;
	const char *open;

	while ((word = quoted_word(&at, &open))) {
		if (w->count == COMMAND_MAX_WORDS)
			return command_fail(w, "too many words", word);
		w->word[w->count++] = word;
	}
	if (open)
		return command_fail(w, "this quote is not closed", open);
	return w->count ? 0 : command_fail(w, "a command is missing", at);
}
