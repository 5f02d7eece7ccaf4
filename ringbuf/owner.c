/* SPDX-License-Identifier: MIT */
#include "ringbuf/owner.h"

void ring_owner_tick(struct ring_owner *owner)
{
	uint64_t sent = __atomic_load_n(&owner->sent, __ATOMIC_RELAXED);

	if (sent == owner->sent_by_tick &&
	    __atomic_load_n(&owner->doorbell->pending, __ATOMIC_RELAXED))
		ring_owner_repeat(owner);
	owner->sent_by_tick = sent;
}
