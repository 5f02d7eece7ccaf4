/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_CRASH_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_CRASH_H

#include <stdbool.h>
#include <stdio.h>

#include "writer/session/session.h"

/* Where the program crashed, or the machine did, in names and lines of the ELF files that the
 * session has found; nothing if neither did. all: bareperf's own callers, too. */
void guest_crash(const struct session *session, bool all, FILE *out);

#endif
