/* SPDX-License-Identifier: MIT */
/* `save`: recordings that stayed in RAM become files after all. */
#ifndef AGENT_SAVE_H
#define AGENT_SAVE_H

#include "command/command.h"

/* Write each trace region that was kept, and free it; one that cannot be written stays. The console
 * gets the results. 0; -ENOENT: none is kept; -EINVAL: -o names one file for several; else why the
 * last that failed did. Boot services only. Thread. */
int save_kept(const struct command *command);

#endif
