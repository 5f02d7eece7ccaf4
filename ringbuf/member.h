/* SPDX-License-Identifier: MIT */
/*
 * Which event writes to which ring: perf's set_output. An event owns a ring, or writes to the
 * ring of another, or (detached) to none. All of this runs in thread context on the ring's CPU,
 * or while that CPU does not trace; handlers only read member->ring.
 */
#ifndef RINGBUF_MEMBER_H
#define RINGBUF_MEMBER_H

#include "ringbuf/ring.h"

struct ring_member {
	struct ring *ring;       /* where its records go; NULL: nowhere */
	struct ring_owner owner; /* where it owns a ring; id is the event's */
	bool owns;
	/* what two events must agree on to share a ring */
	uint32_t cpu;
	int32_t clockid;
	bool backward;
	uint64_t sample_type;
	const void *aux_source; /* the hardware that fills its AUX area; NULL: none */

	struct ring_member *next;  /* of those that write to the same ring, its owner before all */
	struct ring_member *first; /* the owner of the ring that ring is, where that is another */
};

/* member owns ring from now on and is its first writer. 0; -EBUSY if it writes to one already;
 * -EINVAL if their directions differ. */
int ring_attach(struct ring_member *member, struct ring *ring);

/* Redirect member to the ring that target owns; it leaves the one that it wrote to. target NULL
 * detaches. 0; -EINVAL if target owns no ring, is member itself, or differs in CPU, clock,
 * direction or AUX source, or if either one's records carry no id; -EBUSY if member owns a ring. */
int ring_set_output(struct ring_member *member, struct ring_member *target);

/* The event goes away. If it owns its ring, every other that writes there is detached as well and
 * nobody is woken any more: the ring is closed. Returns the ring if that was so, for its owner to
 * free, else NULL. */
struct ring *ring_detach(struct ring_member *member);

#endif
