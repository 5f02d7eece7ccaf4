/* SPDX-License-Identifier: MIT */
/*
 * The words by which a machine knows that it has a reader (docs/trace-region.md, "Who reads"): who
 * it is, and that it lives. A thread of its own changes the lease, since what else the tool does
 * can last: renaming a large file, searching a directory for symbols.
 */
#ifndef HOST_TOOLS_REGION_REGION_LEASE_H
#define HOST_TOOLS_REGION_REGION_LEASE_H

#include <pthread.h>
#include <stdint.h>

#include "host-tools/region/channel.h"

struct region_lease {
	struct channel *channel; /* NULL: not taken */
	uint32_t count;          /* the lease, as it was published last */
	pthread_t thread;
	int end; /* eventfd: the thread is to end */
};

/* Announce this process as the region's reader, which may be before the region is there, if the
 * channel's bytes begin where its header will. 0, or a negative errno and the reason. */
int region_lease_take(struct region_lease *lease, struct channel *channel, struct error *error);

/* Nothing is read from here on. Nothing to do for one that was not taken, all zero. */
void region_lease_give_back(struct region_lease *lease);

#endif
