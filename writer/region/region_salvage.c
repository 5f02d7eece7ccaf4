/* SPDX-License-Identifier: MIT */
/*
 * Recovers a region in RAM after a reset. The machine has cleaned its records to memory, and then
 * stored how far (ringbuf/keep.h). Heads beyond that point are moved back to it, so any damaged
 * records behind it are dropped.
 */
#include "writer/region/region_salvage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/seal.h"
#include "writer/region/region_shared.h"

/* Whether the ledgers of a ring and its events are from one moment. */
static bool salvage_is_sealed(const struct region *region, uint32_t ring,
                              const struct tr_ring_ledger *ledger)
{
	struct tr_seal seal = { 0, 0 };

	for (uint32_t i = 0; i < region->header.events.count; i++) {
		struct tr_event_ledger of_event;

		if (region->events[i].ring != ring)
			continue;
		region_event_ledger(region, i, &of_event);
		tr_seal_add(&seal, &of_event, sizeof(of_event));
	}
	return ledger->kept_seal == tr_ledger_seal(&seal, ledger);
}

/* A record that announces trace bytes which have not reached memory. */
static bool salvage_is_ahead(const struct perf_event_header *record, uint64_t aux_head)
{
	/* word 0: aux_offset, word 1: aux_size */
	const uint64_t *words = (const void *)(record + 1);

	return record->type == PERF_RECORD_AUX && record->size >= sizeof(*record) + 16 &&
	       words[0] + words[1] > aux_head;
}

/* Whether everything from the tail to the kept head is still in memory. It may not be if a reader
 * has taken more than is known: the last tail that a reader stored need not have reached memory,
 * and the room that it freed may have been overwritten, though at most half of the ring, because a
 * tick writes less than that. */
static uint64_t salvage_find_cut(const struct region *region, uint32_t ring,
                                 struct ring_reader *reader, uint64_t aux_head)
{
	const struct perf_event_header *record;
	uint64_t cut;

	if (region_read_ring(region, ring, reader))
		return reader->began;
	do
		cut = reader->position;
	while (ring_reader_next(reader, &record) > 0 && !salvage_is_ahead(record, aux_head));
	return cut;
}

static void salvage_set_heads(const struct region *region, uint32_t ring, uint64_t data,
                              uint64_t aux)
{
	uint8_t *bytes = channel_bytes_to_salvage(region->channel);
	struct perf_event_mmap_page *control = (void *)(bytes + region->rings[ring].control);

	control->data_head = data;
	control->aux_head = aux;
	if (!data)
		control->data_tail = control->aux_tail = 0;
}

/*
 * Find the heads up to which the ring can be trusted.
 */
static bool salvage_is_whole(const struct region *region, uint32_t ring, uint64_t tail,
                             const struct tr_ring_ledger *ledger)
{
	uint64_t size = region->rings[ring].data_size;

	return ledger->kept_head - tail <= (ledger->kept_read ? size / 2 : size);
}

/* not even its tail belongs to this run */
static void salvage_ring(const struct region *region, uint32_t ring, struct ring_reader *reader,
                         const struct tr_ring_ledger *ledger)
{
	struct region_positions was;
	uint64_t head = ledger->kept_head;

	if (!ledger->kept_seal) { /* not even its tail is this run's */
		salvage_set_heads(region, ring, 0, 0);
		return;
	}
	region_positions(region, ring, &was);
	if (region->rings[ring].flags & TR_RING_BACKWARD) {
		salvage_set_heads(region, ring, head, ledger->kept_aux_head);
		return;
	}
	if (!salvage_is_whole(region, ring, was.data_tail, ledger))
		head = was.data_tail;
	salvage_set_heads(region, ring, head, ledger->kept_aux_head);
	salvage_set_heads(region, ring,
	                  salvage_find_cut(region, ring, reader, ledger->kept_aux_head),
	                  ledger->kept_aux_head);
}

static bool salvage_is_ended(const struct region *region)
{
	uint32_t state = region_state(region);

	return state == TR_IDLE || state == TR_COMPLETE || state == TR_FAILED;
}

int region_salvage(struct region *region, struct error *error)
{
	struct tr_header *header = channel_bytes_to_salvage(region->channel);
	struct ring_reader *reader;

	if (!header)
		return error_set(error, -EBUSY, "its machine is still running");
	if ((region->header.version & 0xffff) < REGION_MINOR_KEPT)
		return error_set(error, -ENOTSUP,
		                 "its machine did not say how much of it would outlive a reset");
	reader = malloc(sizeof(*reader));
	if (!reader)
		return error_set(error, -ENOMEM, "no memory for a reader");
	header->salvaged = salvage_is_ended(region) ? 0 : TR_SALVAGED_CUT;
	for (uint32_t i = 0; i < region->header.rings.count; i++) {
		struct tr_ring_ledger ledger;

		region_ring_ledger(region, i, &ledger);
		if ((ledger.kept_seal || header->salvaged) &&
		    !salvage_is_sealed(region, i, &ledger))
			header->salvaged |= TR_SALVAGED_TORN;
		if (header->salvaged & TR_SALVAGED_CUT)
			salvage_ring(region, i, reader, &ledger);
	}
	free(reader);
	return 0;
}

bool region_has_unread(const struct region *region)
{
	for (uint32_t i = 0; i < region->header.rings.count; i++) {
		struct region_positions at;

		region_positions(region, i, &at);
		if (at.data_head != at.data_tail)
			return true;
	}
	return false;
}

bool region_was_read(const struct region *region)
{
	for (uint32_t i = 0; i < region->header.rings.count; i++) {
		struct region_positions at;

		region_positions(region, i, &at);
		if (at.data_tail && !(region->rings[i].flags & TR_RING_BACKWARD))
			return true;
	}
	return false;
}

bool region_is_read_out(const struct region *region)
{
	return region_state(region) != TR_RECORDING && region_was_read(region) &&
	       !region_has_unread(region);
}
