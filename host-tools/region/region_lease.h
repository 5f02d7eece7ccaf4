/* SPDX-License-Identifier: MIT */
/*
 * The words that tell a machine that a reader exists (docs/trace-region.md, "The reader"): the
 * reader's id, and a lease that shows that it is alive. A separate thread renews the lease, because
 * other work of the tool can take long: copying a large file, searching a directory for symbols.
 */
#ifndef HOST_TOOLS_REGION_REGION_LEASE_H
#define HOST_TOOLS_REGION_REGION_LEASE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/region/region.h"

struct region_lease {
	struct channel *channel; /* NULL: no lease is held */
	uint32_t count;          /* the lease's last published value */
	pthread_t thread;
	int end; /* eventfd: ends the thread */
};

/* Announces this process as the region's reader. The region may appear later, provided that the
 * channel's first byte is where the region's header will be. 0, or a negative errno and the reason.
 */
int region_lease_take(struct region_lease *lease, struct channel *channel, struct error *error);

/* Returns this reader's id: 22 bits of the process id, 10 bits of a hash of the host or container.
 */
uint32_t region_lease_own_id(void);

/* Describes the process that an id belongs to: "process 12 of this host". */
void region_lease_describe(uint32_t id, char *text, size_t size);

/*
 * Like region_lease_take(), for a region that may have another reader. This function replaces a
 * reader that no longer renews its lease, or that was a process of this host and has ended. -EBUSY:
 * the other reader is alive; the error names it. Takes at most TR_LEASE_LOST_MS. The channel must
 * be up to date; the function refreshes it.
 */
int region_lease_acquire(struct region_lease *lease, const struct region *region,
                         struct error *error);

/* Reports whether the region still has this reader's id. If not, another reader has taken over the
 * rings. */
bool region_lease_is_ours(const struct region *region);

/* Withdraws the reader: it reads nothing after this call. Does nothing for an all-zero lease. */
void region_lease_give_back(struct region_lease *lease);

/* For a machine that counts its time in instructions: makes its wait for the reader take the same
 * number of instructions in each run (docs/trace-region.md, "The reader"). Call before the machine
 * starts. */
int region_lease_steady(struct region_lease *lease, struct error *error);

#endif
