/* SPDX-License-Identifier: MIT */
/* The machine's command, read on the host before a machine boots. */
#ifndef HOST_TOOLS_RUN_RUN_CHECK_H
#define HOST_TOOLS_RUN_RUN_CHECK_H

#include <stdbool.h>

#include "host-tools/run/run_options.h"

/* Have the firmware's own parser read the command, against options->tables where they are known.
 * False: it is refused, and that was printed, with a mark under the place. What depends on the
 * machine is for the machine to say. *answered: the command was help, and the tables' answer was
 * printed: there is nothing to boot for. */
bool run_check(const struct run_options *options, bool *answered);

#endif
