/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "command/words.h"
#include "lib/parse/quoted.h"
#include "lib/parse/shell_word.h"

/* Reports whether the last word is a UEFI application's file, used as a workload. The words after
 * it are the application's arguments, which UEFI's shell would have split by its own rules. */
static bool command_begins_application(const struct words *w)
{
	unsigned own = command_own_words((const char *const *)w->word, w->count);

	own += own < w->count && !strcmp(w->word[own], "--");
	if (own + 1 != w->count)
		return false;
	for (const struct workload_usage *const *i = w->tables->workloads; *i; i++)
		if (*(*i)->name == '*' && command_names_workload(*i, w->word[own]))
			return true;
	return false;
}

int command_split(struct words *w)
{
	char *(*next)(char **text, const char **open) = quoted_word;
	char *at = w->command->words, *word;
	const char *open;

	while ((word = next(&at, &open))) {
		if (w->count == COMMAND_MAX_WORDS)
			return command_fail(w, "too many words", word);
		w->word[w->count++] = word;
		if (next != shell_word && command_begins_application(w))
			next = shell_word;
	}
	if (open)
		return command_fail(w, "this quote is not closed", open);
	return w->count ? 0 : command_fail(w, "a command is missing", at);
}
