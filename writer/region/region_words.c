/* SPDX-License-Identifier: MIT */
/* The words of the region that the host writes. */
#include "writer/region/region_shared.h"

static int region_publish_u64(const struct region *region, uint64_t offset, uint64_t word,
                              struct error *error)
{
	return channel_publish(region->channel, offset, &word, sizeof(word), error);
}

int region_release_data(const struct region *region, uint32_t ring,
                        const struct ring_reader *reader, struct error *error)
{
	uint64_t tail,
	    offset = region->rings[ring].control + offsetof(struct perf_event_mmap_page, data_tail);

	return ring_reader_tail(reader, &tail) ? region_publish_u64(region, offset, tail, error)
	                                       : 0;
}

int region_release_aux(const struct region *region, uint32_t ring, uint64_t tail,
                       struct error *error)
{
	return region_publish_u64(
	    region, region->rings[ring].control + offsetof(struct perf_event_mmap_page, aux_tail),
	    tail, error);
}

int region_rewind(const struct region *region, uint32_t ring, struct error *error)
{
	const struct tr_ring *r = &region->rings[ring];
	struct region_positions at;
	int code;

	region_positions(region, ring, &at);
	if (r->flags & TR_RING_BACKWARD || at.data_head > r->data_size || at.aux_head > r->aux_size)
		return 0;
	code = region_publish_u64(
	    region, r->control + offsetof(struct perf_event_mmap_page, data_tail), 0, error);
	if (!code && r->aux_size)
		code = region_release_aux(region, ring, 0, error);
	return code ? code : 1;
}

static uint64_t region_doorbell(const struct region *region, uint32_t ring)
{
	return region_entry(&region->header.doorbells, ring);
}

uint64_t region_pending(const struct region *region, uint32_t ring)
{
	return region_doorbell(region, ring) + offsetof(struct tr_doorbell, pending);
}

/* Older firmware has another word there, which is not read. */
int region_say_ready(const struct region *region, struct error *error)
{
	return region_publish_u64(
	    region, offsetof(struct tr_header, reader) + offsetof(struct tr_reader, ready),
	    region->header.run, error);
}

int region_ask_for_snapshot(const struct region *region, uint32_t ring, struct error *error)
{
	uint64_t offset = region_doorbell(region, ring) + offsetof(struct tr_doorbell, snapshot);
	const uint32_t *word = region_at(region, offset);
	uint32_t another = __atomic_load_n(word, __ATOMIC_RELAXED) + 1;

	return channel_publish(region->channel, offset, &another, sizeof(another), error);
}
