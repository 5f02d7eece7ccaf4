/* SPDX-License-Identifier: MIT */
#ifndef AGENT_LIST_H
#define AGENT_LIST_H

#include "channel/channel.h"

/* The command `list`: print the machine, its event sources, and the channel. Thread. */
void list_print(const struct channel *channel);

#endif
