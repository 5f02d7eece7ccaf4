/* SPDX-License-Identifier: MIT */
#include "ringbuf/member.h"

#include <errno.h>

#define HAS_ID (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)

int ring_attach(struct ring_member *member, struct ring *ring)
{
	if (member->ring)
		return -EBUSY;
	if (member->backward != (ring->flip != 0))
		return -EINVAL;
	member->owns = true;
	member->next = NULL;
	ring_set_owner(ring, &member->owner);
	ring_barrier();
	member->ring = ring;
	return 0;
}

/* Records of two events can be told apart, and one reader understands both. */
static bool may_share(const struct ring_member *a, const struct ring_member *b)
{
	return a->cpu == b->cpu && a->clockid == b->clockid && a->backward == b->backward &&
	       (!a->aux_source || !b->aux_source || a->aux_source == b->aux_source) &&
	       (a->sample_type & HAS_ID) && (b->sample_type & HAS_ID) &&
	       (a->sample_type & PERF_SAMPLE_IDENTIFIER) ==
	           (b->sample_type & PERF_SAMPLE_IDENTIFIER);
}

static void unlink_member(struct ring_member *member)
{
	struct ring_member *at = member->first;

	while (at->next != member)
		at = at->next;
	at->next = member->next;
}

int ring_set_output(struct ring_member *member, struct ring_member *target)
{
	if (member->owns)
		return -EBUSY;
	if (target && (!target->owns || target == member || !may_share(member, target)))
		return -EINVAL;
	ring_detach(member);
	if (!target)
		return 0;
	member->first = target;
	member->next = target->next;
	target->next = member;
	ring_barrier();
	member->ring = target->ring;
	return 0;
}

static struct ring *close_ring(struct ring_member *owner)
{
	struct ring *ring = owner->ring;
	struct ring_member *at, *next;

	for (at = owner; at; at = next) {
		next = at->next;
		at->ring = NULL; /* a handler writes nowhere from here on */
		at->next = NULL;
	}
	owner->owns = false;
	ring_set_owner(ring, NULL);
	return ring;
}

struct ring *ring_detach(struct ring_member *member)
{
	if (member->owns)
		return close_ring(member);
	if (member->ring) {
		member->ring = NULL;
		ring_barrier();
		unlink_member(member);
		member->next = NULL;
		member->first = NULL;
	}
	return NULL;
}
