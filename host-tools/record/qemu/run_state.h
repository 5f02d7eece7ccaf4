/* SPDX-License-Identifier: MIT */
/* What the machine's own word for how far it is means for a run. */
#ifndef HOST_TOOLS_RECORD_QEMU_RUN_STATE_H
#define HOST_TOOLS_RECORD_QEMU_RUN_STATE_H

#include "host-tools/record/qemu/run_machine.h"

/* By the trace region's state: one that is none has been written over, and is a failure. */
enum turn run_state_look(struct machine *machine, struct error *error);

/* QEMU has ended, and the state before it was looked at: by itself after a command that records
 * nothing, or by an accident. */
enum turn run_state_after_death(struct machine *machine, struct error *error);

#endif
