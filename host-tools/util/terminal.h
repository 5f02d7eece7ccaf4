/* SPDX-License-Identifier: MIT */
/* Colours, for people. */
#ifndef HOST_TOOLS_UTIL_TERMINAL_H
#define HOST_TOOLS_UTIL_TERMINAL_H

#include <stdio.h>

/* What begins and ends text that nobody should miss: red where out is a terminal that has colours,
 * unless NO_COLOR is set to anything (https://no-color.org); else "". */
const char *terminal_alarm(FILE *out);
const char *terminal_plain(FILE *out);

#endif
