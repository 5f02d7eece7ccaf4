/* SPDX-License-Identifier: MIT */
/* The channel that a test reads a fixture's region through. */
#ifndef TESTS_UNIT_CHANNEL_RIG_H
#define TESTS_UNIT_CHANNEL_RIG_H

#include "tests/unit/host-tools/region/copying_channel.h"

/* Which one it is: shared memory, or one over it that copies. */
extern bool channel_rig_copies;
extern struct copying_options channel_rig_copying; /* how, if it does */

/* A live channel to so many bytes of fd; server: NULL, or whose doorbells are rung. */
void channel_rig_open(struct channel *channel, int fd, size_t size, struct ivshmem_server *server);

/* All that the machine has written is there. */
void channel_rig_bring(struct channel *channel);

/* All that was published is with the machine. */
void channel_rig_deliver(void);

#endif
