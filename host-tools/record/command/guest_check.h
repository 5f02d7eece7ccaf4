/* SPDX-License-Identifier: MIT */
/* The machine's command, read on the host before a machine boots. */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_CHECK_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_CHECK_H

#include <stdbool.h>

#include "host-tools/record/command/guest.h"

/* Have the firmware's own parser read the command, against guest->tables if they are known. False:
 * the parser refused it; the reason was printed, with a mark under the column. The machine itself
 * checks everything that depends on its hardware. *answered: the command was help, and its text was
 * printed from the tables: no boot is needed. */
bool guest_check(const struct guest *guest, bool *answered);

#endif
