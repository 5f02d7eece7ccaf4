/* SPDX-License-Identifier: MIT */
#include "host-tools/util/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ECMA-48, 8.3.117: Select Graphic Rendition */
#define BOLD_RED "\033[1;31m"
#define NORMAL   "\033[0m"

static bool has_colours(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && !(no_color && *no_color) && !(term && !strcmp(term, "dumb"));
}

const char *terminal_alarm(FILE *out)
{
	return has_colours(out) ? BOLD_RED : "";
}

const char *terminal_plain(FILE *out)
{
	return has_colours(out) ? NORMAL : "";
}
