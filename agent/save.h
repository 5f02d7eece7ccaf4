/* SPDX-License-Identifier: MIT */
/* The command `save`: write recordings that stayed in RAM to files. */
#ifndef AGENT_SAVE_H
#define AGENT_SAVE_H

#include "command/command.h"

/* Write each kept trace region to a file, and free its memory. A region that cannot be written
 * stays. Prints the results. Returns 0; -ENOENT if none is kept; -EINVAL if -o names one file for
 * several; otherwise the last failure's errno. Boot services only. Thread. */
int save_kept(const struct command *command);

#endif
