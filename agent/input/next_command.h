/* SPDX-License-Identifier: MIT */
#ifndef AGENT_INPUT_NEXT_COMMAND_H
#define AGENT_INPUT_NEXT_COMMAND_H

#include "agent/input/mailbox.h"
#include "channel/channel.h"

/* Wait for the next command, with the region in state TR_IDLE. Returns false for a command from the
 * mailbox. Returns true for one that was typed on a line or on the machine's keyboard, which needs
 * no reply. Exclusive mode. Thread. */
bool next_command(struct trace_region *region, struct channel *channel,
                  struct mailbox_request *request);

#endif
