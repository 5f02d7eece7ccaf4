/* SPDX-License-Identifier: MIT */
/* The side of the writer that a machine fills in: files on its volume, no journal, no ELF files.
 * Context: a thread, boot services only. */
#ifndef AGENT_VOLUME_SESSION_MACHINE_H
#define AGENT_VOLUME_SESSION_MACHINE_H

#include "writer/host.h"

extern const struct writer_host session_machine;

#endif
