/* SPDX-License-Identifier: MIT */
/* The words of the region that the host writes: each one atomic store or exchange. */
#include "host-tools/region/region_shared.h"

uint64_t region_data_tail(const struct region *region, uint32_t ring)
{
	return region->rings[ring].control + offsetof(struct perf_event_mmap_page, data_tail);
}

uint64_t region_store_aux_tail(const struct region *region, uint32_t ring, uint64_t tail)
{
	/* C: the bytes were copied before they may be written over; pairs with B. */
	__atomic_store_n(&region_control(region, ring)->aux_tail, tail, __ATOMIC_RELEASE);
	return region->rings[ring].control + offsetof(struct perf_event_mmap_page, aux_tail);
}

static uint64_t doorbell(const struct region *region, uint32_t ring)
{
	return region_entry(&region->header.doorbells, ring);
}

uint64_t region_clear_pending(const struct region *region, uint32_t ring, bool *pending)
{
	uint64_t offset = doorbell(region, ring) + offsetof(struct tr_doorbell, pending);
	uint32_t *word = region_at(region, offset);

	*pending = __atomic_exchange_n(word, 0, __ATOMIC_SEQ_CST) != 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* F, pairs with E in ringbuf/owner.c */
	return offset;
}

/* Older machines have something else there, which nobody reads. */
uint64_t region_say_ready(const struct region *region)
{
	uint64_t offset = offsetof(struct tr_header, reader) + offsetof(struct tr_reader, ready);
	uint64_t *word = region_at(region, offset);

	__atomic_store_n(word, region->header.run, __ATOMIC_RELEASE);
	return offset;
}

uint64_t region_ask_for_snapshot(const struct region *region, uint32_t ring)
{
	uint64_t offset = doorbell(region, ring) + offsetof(struct tr_doorbell, snapshot);
	uint32_t *word = region_at(region, offset);

	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
	return offset;
}
