/* SPDX-License-Identifier: MIT */
#ifndef AGENT_INPUT_NEXT_COMMAND_H
#define AGENT_INPUT_NEXT_COMMAND_H

#include "agent/input/mailbox.h"
#include "channel/channel.h"

/* Wait for the next command, by whichever way it comes first: the mailbox, or true, it is typed, on
 * a line or the machine's keyboard, and nobody looks for its reply. The region says that it is
 * idle. Exclusive. Thread. */
bool next_command(struct trace_region *region, struct channel *channel,
                  struct mailbox_request *request);

#endif
