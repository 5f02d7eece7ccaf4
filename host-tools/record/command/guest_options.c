/* SPDX-License-Identifier: MIT */
#include "host-tools/record/command/guest_options.h"

#include <stdbool.h>
#include <string.h>

int guest_option_words(const struct argp_option *ours, char **argv)
{
	const char *word = argv[0];

	if (!strcmp(word, "--help") || !strcmp(word, "--usage") || !strcmp(word, "-?"))
		return 1;
	for (const struct argp_option *option = ours; option->name; option++) {
		size_t length = strlen(option->name);
		bool is_short = word[0] == '-' && word[1] == option->key && !word[2];
		bool is_long = !strncmp(word, "--", 2) && !strncmp(word + 2, option->name, length);

		if (is_long && option->arg && word[2 + length] == '=')
			return 1;
		if (is_short || (is_long && !word[2 + length]))
			return option->arg && argv[1] ? 2 : 1;
	}
	return 0;
}
