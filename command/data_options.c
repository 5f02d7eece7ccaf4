/* SPDX-License-Identifier: MIT */
/* The options that ask for a sample's access to memory, and for its registers. */
#include "command/words.h"

int command_set_data(struct words *w, const char *text)
{
	(void)text;
	w->command->sample_fields |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	return 0;
}

int command_set_weight(struct words *w, const char *text)
{
	(void)text;
	w->command->sample_fields |= PERF_SAMPLE_WEIGHT_STRUCT;
	return 0;
}

int command_set_raw(struct words *w, const char *text)
{
	(void)text;
	w->command->sample_fields |= PERF_SAMPLE_RAW;
	return 0;
}

int command_set_phys_data(struct words *w, const char *text)
{
	(void)text;
	w->command->sample_fields |= PERF_SAMPLE_PHYS_ADDR;
	return 0;
}
