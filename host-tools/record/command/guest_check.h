/* SPDX-License-Identifier: MIT */
/* The machine's command, read on the host before a machine boots. */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_CHECK_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_CHECK_H

#include <stdbool.h>

#include "host-tools/record/command/guest.h"

/* Have the firmware's own parser read the command, against guest->tables where they are known.
 * False: it is refused, and that was printed, with a mark under the place. What depends on the
 * machine is for the machine to say. *answered: the command was help, and the tables' answer was
 * printed: there is nothing to boot for. */
bool guest_check(const struct guest *guest, bool *answered);

#endif
