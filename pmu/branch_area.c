/* SPDX-License-Identifier: MIT */
#include "pmu/branch_area.h"

#include <errno.h>

#define LEAST_SEGMENT ((uint64_t)TR_PAGE)
#define MARGIN_MOST   128U /* records that may come before the interrupt is taken */

/* The record at this offset, in bytes from the area's begin. */
static struct branch_record *branch_area_place(const struct branch_area *area, uint64_t bytes)
{
	return (struct branch_record *)(void *)((uint8_t *)area->first + bytes);
}

int branch_area_init(struct branch_area *area, struct ring_aux *aux, void *memory, uint64_t size,
                     bool default_wakeups)
{
	uint64_t records, margin;

	if (size < 4 * LEAST_SEGMENT)
		return -EINVAL;
	if (aux->overwrite)
		return -EOPNOTSUPP;
	*area = (struct branch_area){
		.aux = aux,
		.out.aux = aux,
		.first = memory,
		.segment = size / 8 < LEAST_SEGMENT ? size / 4 : size / 8,
	};
	records = area->segment / sizeof(struct branch_record);
	area->usual = records * sizeof(struct branch_record);
	margin = records / 4 < MARGIN_MOST ? records / 4 : MARGIN_MOST;
	area->margin = margin * sizeof(struct branch_record); /* half a segment at least */
	area->limit = branch_area_place(area, size);
	area->last = branch_area_place(area, size - area->segment - area->segment / 2);
	area->turn = branch_area_place(area, size - area->segment / 2);
	area->bound = branch_area_place(area, size - size % sizeof(struct branch_record));
	if (default_wakeups)
		aux->watermark = area->segment;
	return 0;
}

/* The least number of free bytes that opening a segment there needs. */
static uint64_t branch_area_wanted(const struct branch_area *area, const struct branch_space *next)
{
	return next->skip + area->segment / 2;
}

uint64_t branch_area_needed(const struct branch_area *area, struct branch_record *end)
{
	struct branch_space next = branch_area_behind(area, end);

	return branch_bytes(area->open.base, end) + branch_area_wanted(area, &next);
}

bool branch_area_has_next(struct branch_area *area, struct branch_record *end)
{
	uint64_t needed = branch_area_needed(area, end);

	/* the room of its opening is still free */
	return area->out.size >= needed || ring_aux_room(area->aux) >= needed;
}

bool branch_area_open(struct branch_area *area)
{
	struct ring_aux *aux = area->aux;
	struct branch_space next =
	    branch_area_behind(area, branch_area_place(area, aux->head & (aux->size - 1)));
	uint64_t bytes = branch_bytes(next.base, next.end), records;

	if (ring_aux_begin(&area->out, aux, branch_area_wanted(area, &next)))
		return false;
	if (next.skip && ring_aux_skip(&area->out, next.skip)) {
		ring_aux_end(&area->out, 0);
		return false;
	}
	if (bytes > area->out.size)
		bytes = area->out.size;
	records = bytes / sizeof(struct branch_record);
	branch_segment_begin(&area->open, next.base, next.base + records, area->margin);
	area->is_open = true;
	return true;
}

void branch_area_close(struct branch_area *area, const struct branch_record *end, uint64_t flags)
{
	area->is_open = false;
	ring_aux_flag(&area->out, flags);
	ring_aux_end(&area->out, branch_bytes(area->open.base, end));
}
