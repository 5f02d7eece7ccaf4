/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_STAT_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_STAT_H

#include "host-tools/record/command/guest.h"
#include "writer/ledger/ledger.h"

/* Print the counts of a finished `stat`: as text on standard error, or as JSON on standard output.
 * Counts between marks are in the region's rings. Returns the exit status. */
int guest_stat(const struct ledger *ledger, const struct region *region, const struct guest *guest,
               bool json);

#endif
