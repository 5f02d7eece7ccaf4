/* SPDX-License-Identifier: MIT */
#ifndef AGENT_LIST_H
#define AGENT_LIST_H

#include "channel/channel.h"

/* Print what this machine is and can record, and how the data leaves it: `list`. Thread. */
void list_print(const struct channel *channel);

#endif
