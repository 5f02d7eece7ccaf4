/* SPDX-License-Identifier: MIT */
/* The meaning, for a run, of the state in the machine's trace region. */
#ifndef HOST_TOOLS_RECORD_QEMU_RUN_STATE_H
#define HOST_TOOLS_RECORD_QEMU_RUN_STATE_H

#include "host-tools/record/qemu/run_machine.h"

/* The run's status by the trace region's state. An unknown state is a failure: the machine has
 * written over it. */
enum turn run_state_look(struct machine *machine, struct error *error);

/* QEMU has ended, and the state was read after that. QEMU ends by itself after a command that
 * records nothing; any other end is an accident. */
enum turn run_state_after_death(struct machine *machine, struct error *error);

#endif
