/* SPDX-License-Identifier: MIT */
/*
 * An AUX area that is filled with branch records, one segment after the other. A full segment is
 * announced by an AUX record, and writing continues in the next free segment. Nothing is copied,
 * and each step takes the same time for any size of the area.
 *
 *	aux_tail               base      index    threshold  end
 *	---+----------------------+---------+----------+------+-----------
 *	   unread, announced      '----- this segment, open ---'  free
 *
 * A segment is a quarter of a small area and an eighth of a large one; it is shorter if the reader
 * leaves less room. The last segment before the area's end reaches to that end. Records do not
 * wrap: bytes at the end that are less than half a segment are skipped.
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
	struct branch_record *index;     /* place of the next record */
	struct branch_record *end;       /* the segment's end */
	struct branch_record *threshold; /* the CPU interrupts when index gets here */
	uint64_t pebs[4 + 12];           /* the debug store's other buffer, not used */
};

struct branch_area {
	struct ring_aux *aux;
	struct ring_aux_output out;
	struct branch_record *first, *limit; /* the area's begin and end */
	uint64_t segment;                    /* bytes of a full-size segment */
	uint64_t usual, margin;              /* bytes of its records; of those behind threshold */
	/* The last position where a full segment fits before the area's end; the last position
	 * where half a segment fits; the end of the area's last record. */
	struct branch_record *last, *turn, *bound;
	bool is_open;
	struct branch_segment open; /* the open segment, if there is one */
};

/* Use size bytes at memory, which is the area of aux. Returns 0; -EINVAL: less than four pages;
 * -EOPNOTSUPP: aux is an area to be overwritten (snapshot). default_wakeups: wake the owner once
 * per segment. Thread. */
int branch_area_init(struct branch_area *area, struct ring_aux *aux, void *memory, uint64_t size,
                     bool default_wakeups);

/* Open the next segment. Returns false if the reader has not left room for one; the owner has then
 * been woken. On the ring's CPU, any context. */
bool branch_area_open(struct branch_area *area);

/* Announce the records [base, end) of the open segment, and close it. With PERF_AUX_FLAG_TRUNCATED
 * in flags the owner is always woken. On the ring's CPU, any context. */
void branch_area_close(struct branch_area *area, const struct branch_record *end, uint64_t flags);

/* Bytes that the area needs for the open segment, if it ends at end, and for the smallest possible
 * next segment. */
uint64_t branch_area_needed(const struct branch_area *area, struct branch_record *end);

/* Whether a next segment could be opened if the open one ended at end. */
bool branch_area_has_next(struct branch_area *area, struct branch_record *end);

/* Where a segment may begin and end, and how many bytes are skipped before it. */
struct branch_space {
	struct branch_record *base, *end;
	uint64_t skip;
};

static inline uint64_t branch_bytes(const struct branch_record *from,
                                    const struct branch_record *to)
{
	return (uint64_t)((const uint8_t *)to - (const uint8_t *)from);
}

/* The space for the segment that follows one which ends at end. The reader's position is not
 * considered. */
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

/* The fast way from a full segment, which ended at end, to the next one: close and open in one
 * step. Returns the result of ring_aux_try(); call ring_aux_go_on() with it. Returns NULL, with
 * nothing changed, if this is not the usual case or if the reader has left no room for a whole
 * segment: then call branch_area_close() and branch_area_open(). On the ring's CPU, in a handler
 * that nothing can interrupt. */
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
