/* SPDX-License-Identifier: MIT */
/* Colours for people. */
#ifndef HOST_TOOLS_UTIL_TERMINAL_H
#define HOST_TOOLS_UTIL_TERMINAL_H

#include <stdio.h>

/* The sequence before and after an alarming text: red if out is a terminal with colours and
 * NO_COLOR is not set (https://no-color.org); else "". */
const char *terminal_alarm(FILE *out);
const char *terminal_plain(FILE *out);

#endif
