/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_RUN_RUN_STAT_H
#define HOST_TOOLS_RUN_RUN_STAT_H

#include "host-tools/run/run_machine.h"
#include "host-tools/run/run_options.h"

/* Print what a finished `stat` counted: as text on standard error, or as JSON on standard output.
 * The exit status. */
int run_stat(const struct machine *machine, const struct run_options *options);

#endif
