/* SPDX-License-Identifier: MIT */
/* A ring's initialisation, and its owner. */
#include <errno.h>

#include "ringbuf/bytes.h"
#include "ringbuf/ring.h"

static void ring_init_control(const struct ring_config *config)
{
	struct perf_event_mmap_page *control = config->control;

	ring_zero(control, sizeof(*control));
	control->size = offsetof(struct perf_event_mmap_page, reserved);
	control->data_offset = (uint64_t)((uint8_t *)config->data - (uint8_t *)control);
	control->data_size = config->size;
	if (!config->clock)
		return;
	control->capabilities = PERF_CAP_USER_TIME | PERF_CAP_USER_TIME_ZERO;
	control->time_mult = config->clock->time_mult;
	control->time_shift = config->clock->time_shift;
	control->time_zero = config->clock->time_zero;
}

int ring_init(struct ring *ring, const struct ring_config *config)
{
	if (config->size < TR_PAGE || config->size > TR_RING_SIZE_MAX ||
	    (config->size & (config->size - 1)) || config->max_record > UINT16_MAX ||
	    config->max_record > config->size || config->max_record % 8)
		return -EINVAL;
	ring_init_control(config);
	if (config->flags &
	    /* its reader stops at a 0; a forward ring's reader stops at data_head */
	    TR_RING_BACKWARD)
		ring_zero(config->data, config->size);
	*ring = (struct ring){
		.claim = UINT64_MAX, /* of no position: they are multiples of 8 */
		.flip = config->flags & TR_RING_BACKWARD ? UINT64_MAX : 0,
		.mask = config->size - 1,
		.near = config->size - 1,
		.size = config->size,
		.data = config->data,
		.control = config->control,
		.scratch = config->scratch,
		.max_record = config->max_record,
	};
	ring_set_owner(ring, config->owner);
	return 0;
}

/* Returns the bytes after which the owner is woken: the watermark, and in any case half of the
 * ring. An overwritable ring has no half that fills. */
static uint64_t ring_wakeup_step(const struct ring *ring)
{
	uint64_t mark, half = ring->size / 2;

	if (!ring->owner)
		return 0;
	mark = ring->owner->wakeup_watermark;
	if (ring->flip)
		return mark;
	return mark && mark < half ? mark : half;
}

void ring_set_owner(struct ring *ring, struct ring_owner *owner)
{
	ring->wakeup_step = 0; /* no wakeup during the change */
	ring->samples_at = 0;
	ring_close(ring);
	ring_barrier();
	ring->owner = owner;
	ring->wakeup_bytes = ring_load(&ring->published) + ring_wakeup_step(ring);
	ring->samples_at = owner && owner->wakeup_events ? ring->samples + owner->wakeup_events : 0;
	ring_barrier();
	ring->wakeup_step = ring_wakeup_step(ring);
	ring_barrier();
	ring_close(
	    ring); /* again, as a handler may have opened it in between, with the old thresholds */
}

void ring_set_reserve(struct ring *ring, uint64_t reserve, void (*low)(struct ring *ring))
{
	ring->low = low;
	ring_barrier();
	ring->reserve = reserve;
	ring_barrier();
	ring_close(ring);
}

void ring_tick(struct ring *ring)
{
	if (ring->owner)
		ring_owner_tick(ring->owner);
}
