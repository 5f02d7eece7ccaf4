/* SPDX-License-Identifier: MIT */
#include "host-tools/report/sort_keys.h"

#include <string.h>

#include "host-tools/report/report_table.h"

static unsigned column_of(const char *text, size_t length)
{
	static const struct {
		const char *name;
		unsigned column;
	} keys[] = {
		{ "comm", REPORT_COMMAND }, { "dso", REPORT_FILE }, { "symbol", REPORT_SYMBOL },
		{ "sym", REPORT_SYMBOL },   { "cpu", REPORT_CPU },  { "srcline", REPORT_LINE },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strlen(keys[i].name) == length && !strncmp(keys[i].name, text, length))
			return keys[i].column;
	}
	return 0;
}

unsigned sort_keys_parse(const char *text, unsigned allowed, const char *names,
                         struct argp_state *state)
{
	unsigned columns = 0;
	size_t length;

	for (; *text; text += length + (text[length] == ',')) {
		length = strcspn(text, ",");
		if (!(column_of(text, length) & allowed))
			argp_error(state, "--sort: %.*s is none of %s", (int)length, text, names);
		columns |= column_of(text, length);
	}
	if (!columns)
		argp_error(state, "--sort: by what?");
	return columns;
}
