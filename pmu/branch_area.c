/* SPDX-License-Identifier: MIT */
#include "pmu/branch_area.h"

#include <errno.h>

#define LEAST_SEGMENT ((uint64_t)TR_PAGE)
#define MARGIN_MOST   128U /* records that may come while an interrupt is under way */

/* Of a segment of so many records. */
static uint64_t margin(uint64_t records)
{
	return records / 4 < MARGIN_MOST ? records / 4 : MARGIN_MOST;
}

int branch_area_init(struct branch_area *area, struct ring_aux *aux, void *memory, uint64_t size,
                     bool default_wakeups)
{
	uint64_t records;

	if (size < 4 * LEAST_SEGMENT)
		return -EINVAL;
	if (aux->overwrite)
		return -EOPNOTSUPP;
	*area = (struct branch_area){
		.aux = aux,
		.out.aux = aux,
		.memory = memory,
		.segment = size / 8 < LEAST_SEGMENT ? size / 4 : size / 8,
	};
	area->plenty = area->segment + area->segment / 2;
	records = area->segment / sizeof(struct branch_record);
	area->usual = records * sizeof(struct branch_record);
	area->margin = margin(records) * sizeof(struct branch_record);
	area->last =
	    (const struct branch_record *)(const void *)(area->memory + size - area->plenty);
	if (default_wakeups)
		aux->watermark = area->segment;
	return 0;
}

/* Bytes to be skipped at position because they are too few for a segment. */
static uint64_t rest(const struct branch_area *area, uint64_t position)
{
	uint64_t left = area->aux->size - (position & (area->aux->size - 1));

	return left < area->segment / 2 ? left : 0;
}

/* What opening a segment at position wants free, at the least. */
static uint64_t wanted(const struct branch_area *area, uint64_t position)
{
	return rest(area, position) + area->segment / 2;
}

bool branch_area_has_next(struct branch_area *area, const struct branch_record *end)
{
	uint64_t filled = (uint64_t)((const uint8_t *)end - (const uint8_t *)area->base);

	uint64_t needed = filled + wanted(area, area->out.head + filled);

	/* what was free when it was opened still is */
	return area->out.size >= needed || ring_aux_room(area->aux) >= needed;
}

/* The segment's length: the last one before the area's end takes what is left. */
static uint64_t length(const struct branch_area *area)
{
	uint64_t left = area->aux->size - (area->out.head & (area->aux->size - 1));
	uint64_t usual = left < area->plenty ? left : area->segment;

	return usual < area->out.size ? usual : area->out.size;
}

bool branch_area_open(struct branch_area *area)
{
	uint64_t position = area->aux->head, skip = rest(area, position), records;

	if (ring_aux_begin(&area->out, area->aux, wanted(area, position)))
		return false;
	if (skip && ring_aux_skip(&area->out, skip)) {
		ring_aux_end(&area->out, 0);
		return false;
	}
	records = length(area) / sizeof(struct branch_record);
	area->base = (struct branch_record *)(void *)(area->memory +
	                                              (area->out.head & (area->aux->size - 1)));
	area->end = area->base + records;
	area->threshold = area->end - margin(records);
	area->open = true;
	return true;
}

uint64_t branch_area_left(const struct branch_area *area, const struct branch_record *end)
{
	uint64_t left = (uint64_t)(area->memory + area->aux->size - (const uint8_t *)end);

	return left < area->segment / 2 ? 0 : left - left % sizeof(struct branch_record);
}

void branch_area_close(struct branch_area *area, const struct branch_record *end, uint64_t flags)
{
	area->open = false;
	ring_aux_flag(&area->out, flags);
	ring_aux_end(&area->out, (uint64_t)((const uint8_t *)end - (const uint8_t *)area->base));
}
