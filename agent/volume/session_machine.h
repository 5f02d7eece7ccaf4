/* SPDX-License-Identifier: MIT */
/* The writer's operations on a machine: files on its volume, no journal, no ELF files. Boot
 * services only. Thread. */
#ifndef AGENT_VOLUME_SESSION_MACHINE_H
#define AGENT_VOLUME_SESSION_MACHINE_H

#include "writer/host.h"

extern const struct writer_host session_machine;

#endif
