/* SPDX-License-Identifier: MIT */
/*
 * The words by which a machine knows that it has a reader (docs/trace-region.md, "The reader"): who
 * it is, and that it lives. A thread of its own changes the lease, since what else the tool does
 * can last: renaming a large file, searching a directory for symbols.
 */
#ifndef HOST_TOOLS_REGION_REGION_LEASE_H
#define HOST_TOOLS_REGION_REGION_LEASE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/region/region.h"

struct region_lease {
	struct channel *channel; /* NULL: not taken */
	uint32_t count;          /* the lease, as it was published last */
	pthread_t thread;
	int end; /* eventfd: the thread is to end */
};

/* Announce this process as the region's reader, which may be before the region is there, if the
 * channel's bytes begin where its header will. 0, or a negative errno and the reason. */
int region_lease_take(struct region_lease *lease, struct channel *channel, struct error *error);

/* This reader's id: 22 bits of its process, and 10 bits of a hash of its host or container. */
uint32_t region_lease_own_id(void);

/* Describe an id's owner: "process 12 of this host". */
void region_lease_describe(uint32_t id, char *text, size_t size);

/*
 * As region_lease_take(), where another reader may be announced. One that has let its lease stand
 * still, or was a process of this host that is no more, has left its id behind, and is replaced.
 * -EBUSY: another lives, and the error says who; lasts TR_LEASE_LOST_MS at the most. The channel
 * must be up to date, and is refreshed.
 */
int region_lease_acquire(struct region_lease *lease, const struct region *region,
                         struct error *error);

/* Whether the machine still has our id: who does not has lost the rings to another. */
bool region_lease_is_ours(const struct region *region);

/* Nothing is read from here on. Nothing to do for one that was not taken, all zero. */
void region_lease_give_back(struct region_lease *lease);

/* The machine counts its time in instructions: have it wait for us for the same number of them each
 * time (docs/trace-region.md, "The reader"). Before it starts. */
int region_lease_steady(struct region_lease *lease, struct error *error);

#endif
