/* SPDX-License-Identifier: MIT */
/* Refuses commands that are valid, but that this machine cannot carry out, or not now. */
#ifndef AGENT_UNSUPPORTED_H
#define AGENT_UNSUPPORTED_H

#include "arch/arch.h"
#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

struct unsupported_moment {
	bool at_boot;            /* it is the machine's own command line; boot services are there */
	bool line_to_come;       /* the tables or PCI name a UART */
	bool resident;           /* boot services are to stay */
	enum arch_tables tables; /* that were believed */
};

/* Why the command of this text is refused, and where in it; mistake->what is NULL: it is not.
 * Thread. */
void unsupported_find(const struct command *command, const char *text,
                      const struct trace_region *region, const struct channel *channel,
                      const struct unsupported_moment *moment, struct command_error *mistake);

/* Answer a wrong command line: the text, a mark under the place, the reason. -EINVAL. Thread. */
int unsupported_refuse(struct trace_region *region, const char *text,
                       const struct command_error *error);

#endif
