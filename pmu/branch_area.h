/* SPDX-License-Identifier: MIT */
/*
 * An AUX area that is filled with branch records, a segment after the other: what is full is
 * announced by an AUX record, and writing goes on in the next free segment. Nothing is copied,
 * and every step takes the same time whatever the area's size.
 *
 *	aux_tail               base      index    threshold  end
 *	---+----------------------+---------+----------+------+-----------
 *	   unread, announced      '----- this segment, open ---'  free
 *
 * A segment is a quarter of a small area and an eighth of a large one, shorter where the reader
 * leaves less room. The one before the area's end goes to its end; what is left there and holds no
 * half a segment is skipped: records do not wrap.
 */
#ifndef PMU_BRANCH_AREA_H
#define PMU_BRANCH_AREA_H

#include "ringbuf/aux.h"

/* A branch as the debug store writes it, SDM volume 3B, 17.4.9, and as perf reads it. */
struct branch_record {
	uint64_t from;
	uint64_t to;
	uint64_t flags;
};
_Static_assert(sizeof(struct branch_record) == 24, "figure 17-10");

#define BRANCH_PREDICTED (1ULL << 4) /* flags */

/* A segment that is being filled, as the debug store takes it: figure 17-9. */
struct branch_segment {
	struct branch_record *base;
	struct branch_record *index;     /* where the next record goes */
	struct branch_record *end;       /* and none does any more */
	struct branch_record *threshold; /* where the handler should look at it */
	uint64_t pebs[4 + 12];           /* the debug store's other buffer, not used */
};

struct branch_area {
	struct ring_aux *aux;
	struct ring_aux_output out;
	struct branch_record *first, *limit; /* the area's begin and end */
	uint64_t segment;                    /* bytes of a usual one */
	uint64_t usual, margin; /* bytes of its records; of those behind the threshold */
	/* where a usual one and half of one are left to the area's end; where half of one is left;
	 * the end of the area's last record */
	struct branch_record *last, *turn, *bound;
	bool is_open;
	struct branch_segment open; /* if it is */
};

/* Use size bytes at memory, which belong to aux. 0; -EINVAL: less than four pages; -EOPNOTSUPP:
 * it is to be overwritten. default_wakeups: wake the owner once a segment. Thread. */
int branch_area_init(struct branch_area *area, struct ring_aux *aux, void *memory, uint64_t size,
                     bool default_wakeups);

/* Open the next segment. False if the reader has not left room for one, and then the owner has
 * been woken. On the ring's CPU, any context. */
bool branch_area_open(struct branch_area *area);

/* Announce the records [base, end) of the open segment, and close it. With
 * PERF_AUX_FLAG_TRUNCATED the owner is woken in any case. On the ring's CPU, any context. */
void branch_area_close(struct branch_area *area, const struct branch_record *end, uint64_t flags);

/* Bytes that the open segment, if it ended at end, and the least one behind it want of the area. */
uint64_t branch_area_needed(const struct branch_area *area, struct branch_record *end);

/* Would there be room to open a segment behind the open one, if that ended at end? */
bool branch_area_has_next(struct branch_area *area, struct branch_record *end);

/* Where a segment may begin and end, and bytes to be skipped before it. */
struct branch_space {
	struct branch_record *base, *end;
	uint64_t skip;
};

static inline uint64_t branch_bytes(const struct branch_record *from,
                                    const struct branch_record *to)
{
	return (uint64_t)((const uint8_t *)to - (const uint8_t *)from);
}

/* That of the segment behind one that ends at end, whatever the reader has left of it. */
RING_FAST struct branch_space branch_area_behind(const struct branch_area *area,
                                                 struct branch_record *end)
{
	struct branch_space space = { .base = end };

	if (RING_RARE(end > area->last)) {
		if (end <= area->turn) {
			space.end = area->bound;
			return space;
		}
		space.base = area->first;
		space.skip = branch_bytes(end, area->limit);
	}
	space.end = (struct branch_record *)(void *)((uint8_t *)space.base + area->usual);
	return space;
}

static inline void branch_segment_begin(struct branch_segment *open, struct branch_record *base,
                                        struct branch_record *end, uint64_t margin)
{
	open->base = base;
	open->index = base;
	open->end = end;
	open->threshold = (struct branch_record *)(void *)((uint8_t *)end - margin);
}

/* The usual way from a full segment, which ended at end, to the next: close and open in one.
 * Returns what ring_aux_try() does, which ring_aux_go_on() follows. NULL, with nothing done: it is
 * unusual, or the reader has left no room for all of the next, and it takes the two. On the ring's
 * CPU, where nothing can interrupt. */
RING_FAST uint64_t *branch_area_try(struct branch_area *area, struct branch_record *end)
{
	struct branch_space next;
	uint64_t *trailer;

	if (RING_RARE(!ring_aux_is_usual(&area->out)))
		return NULL;
	next = branch_area_behind(area, end);
	trailer = ring_aux_try(&area->out, branch_bytes(area->open.base, end), next.skip,
	                       branch_bytes(next.base, next.end));
	if (trailer)
		branch_segment_begin(&area->open, next.base, next.end, area->margin);
	return trailer;
}

#endif
