/* SPDX-License-Identifier: MIT */
#ifndef AGENT_TABLES_H
#define AGENT_TABLES_H

#include "command/tables.h"

/* The names that this image's commands may use: events, workloads and options. Its own parser and
 * the host's read them; linker.ld places them in a section of their own. */
extern const struct command_tables image_tables __attribute__((section(".data.rel.ro.tables")));

#endif
