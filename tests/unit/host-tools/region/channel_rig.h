/* SPDX-License-Identifier: MIT */
/* The channel by which a test reads a fixture's region. */
#ifndef TESTS_UNIT_CHANNEL_RIG_H
#define TESTS_UNIT_CHANNEL_RIG_H

#include "tests/unit/host-tools/region/copying_channel.h"

/* Which channel: shared memory, or one over it that copies. */
extern bool channel_rig_copies;
extern struct copying_options channel_rig_copying; /* the options of the copying one */

/* Open a live channel to so many bytes of fd; server: NULL, or the server that gets the doorbells.
 * */
void channel_rig_open(struct channel *channel, int fd, size_t size, struct ivshmem_server *server);

/* Fetch everything that the machine has written. */
void channel_rig_bring(struct channel *channel);

/* Deliver everything that was published to the machine. */
void channel_rig_deliver(void);

#endif
