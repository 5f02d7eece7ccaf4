/* SPDX-License-Identifier: MIT */
#ifndef AGENT_TABLES_H
#define AGENT_TABLES_H

#include "command/tables.h"

/* What this image's commands may name, for its own parser and for the host's. linker.ld says where
 * it is. */
extern const struct command_tables image_tables __attribute__((section(".data.rel.ro.tables")));

#endif
