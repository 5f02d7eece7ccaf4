/* SPDX-License-Identifier: MIT */
/* The options of `noise`; their names are those of rtla. */
#include "command/words.h"

#define DAY_S   86400U
#define HOUR_US 3600000000U
#define GAP_US  1000000U

static int noise_set_duration(struct words *w, const char *text)
{
	return command_number(w, text, 1, DAY_S, &w->command->duration);
}

static int noise_set_period(struct words *w, const char *text)
{
	return command_number(w, text, 100, HOUR_US, &w->command->noise_period);
}

static int noise_set_threshold(struct words *w, const char *text)
{
	return command_number(w, text, 1, GAP_US, &w->command->noise_threshold);
}

static int noise_set_json(struct words *w, const char *text)
{
	(void)text;
	w->command->json = true;
	return 0;
}

const struct command_option noise_options[] = {
	{ "-d", "--duration", "S", "seconds for each CPU (10)", noise_set_duration },
	{ "-p", "--period", "US", "length of a period (100000)", noise_set_period },
	{ "-T", "--threshold", "US", "longer gaps are noise (1)", noise_set_threshold },
	{ "-C", "--cpu", "LIST", "CPUs, as 0,2-3 (all)", command_set_cpus },
	{ "--json", NULL, NULL, "print one JSON object in one line instead", noise_set_json },
	{ NULL, NULL, NULL, NULL, NULL },
};
