/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_STAT_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_STAT_H

#include "host-tools/record/command/guest.h"
#include "writer/ledger/ledger.h"

/* Print what a finished `stat` counted: as text on standard error, or as JSON on standard output;
 * what it counted between marks is in the region's rings. The exit status. */
int guest_stat(const struct ledger *ledger, const struct region *region, const struct guest *guest,
               bool json);

#endif
