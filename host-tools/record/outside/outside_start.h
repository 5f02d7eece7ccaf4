/* SPDX-License-Identifier: MIT */
/* The start of a QEMU with the plugin. Main thread. */
#ifndef HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_START_H
#define HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_START_H

#include "host-tools/record/outside/outside_machine.h"

/* Open the output, make the region and the plugin's configuration, start QEMU. 0, or a negative
 * errno and the reason. */
int outside_start(struct outside_machine *machine, struct error *error);

#endif
