/* SPDX-License-Identifier: MIT */
/* Parses when the recording of a boot ends. */
#include <string.h>

#include "command/words.h"

/* Units of time, in ms, for command_amount(). */
static const struct workload_usage until_time = {
	.least = 1,
	.most = 86400 * 1000,
	.unit = 1000,
};

/* Parses one item of the list, which is cut after the item. */
static int until_one(struct words *w, char *text)
{
	struct command_until *until = &w->command->until;
	size_t length = strlen(text);

	if (!strcmp(text, "ready-to-boot")) {
		until->ready_to_boot = true;
	} else if (!strcmp(text, "key")) {
		until->key = true;
	} else if (*text >= '0' && *text <= '9') {
		if (text[length - 1] == 's')
			text[length - 1] = '\0';
		return command_amount(w, text, &until_time, &until->ms);
	} else {
		return command_fail(w, "want ready-to-boot, key or a time (30s)", text);
	}
	return 0;
}

int command_set_until(struct words *w, const char *text)
{
	char *at = w->command->words + (text - w->command->words);

	for (;;) {
		char *comma = strchr(at, ',');
		int code;

		if (comma)
			*comma = '\0';
		code = until_one(w, at);
		if (code || !comma)
			return code;
		at = comma + 1;
	}
}
