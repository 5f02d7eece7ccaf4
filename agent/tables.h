/* SPDX-License-Identifier: MIT */
#ifndef AGENT_TABLES_H
#define AGENT_TABLES_H

#include "command/tables.h"

/* The names for this image's commands, for its own parser and for the host's. linker.ld has the
 * place. */
extern const struct command_tables image_tables __attribute__((section(".data.rel.ro.tables")));

#endif
