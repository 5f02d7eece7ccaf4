/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_CRASH_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_CRASH_H

#include <stdbool.h>
#include <stdio.h>

#include "writer/session/session.h"

/* Print the backtrace of a crash of the program or of the machine, with names and lines from the
 * ELF files that the session has found. Prints nothing if neither crashed. all: with bareperf's own
 * callers. */
void guest_crash(const struct session *session, bool all, FILE *out);

#endif
