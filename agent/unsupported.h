/* SPDX-License-Identifier: MIT */
/* Refuses commands that are well formed, but that this machine cannot do, or not at this moment. */
#ifndef AGENT_UNSUPPORTED_H
#define AGENT_UNSUPPORTED_H

#include "arch/arch.h"
#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

struct unsupported_moment {
	bool at_boot; /* the command is the machine's own command line; boot services are available
	               */
	bool line_to_come;       /* the tables or PCI name a UART */
	bool resident;           /* boot services stay */
	enum arch_tables tables; /* the tables that were read */
};

/* Check a command. mistake->what: the reason why it is refused, or NULL; mistake->column: its place
 * in text. Thread. */
void unsupported_find(const struct command *command, const char *text,
                      const struct trace_region *region, const struct channel *channel,
                      const struct unsupported_moment *moment, struct command_error *mistake);

/* Print a refused command line, a mark under the mistake, and the reason, also as the region's
 * message. Returns -EINVAL. Thread. */
int unsupported_refuse(struct trace_region *region, const char *text,
                       const struct command_error *error);

#endif
