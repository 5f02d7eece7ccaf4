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
 * leaves less room. What is left at the area's end and holds no segment is skipped: records do
 * not wrap.
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

struct branch_area {
	struct ring_aux *aux;
	struct ring_aux_output out;
	uint8_t *memory;
	uint64_t segment; /* bytes of a usual one */
	uint64_t plenty;  /* what it is to the area's end where a usual one and half of one fit */
	uint64_t usual, margin;           /* bytes of its records; of those behind the threshold */
	const struct branch_record *last; /* where plenty is left to the area's end */
	bool open;
	/* the open segment: records between these, and where the handler should look at it */
	struct branch_record *base, *threshold, *end;
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

/* Would there be room to open a segment behind the open one, if that ended at end? */
bool branch_area_has_next(struct branch_area *area, const struct branch_record *end);

/* Bytes of the records from position end to the area's end; 0: too few for a segment. */
uint64_t branch_area_left(const struct branch_area *area, const struct branch_record *end);

/* The usual way from a full segment, which ended at end, to the next: close and open in one. After
 * ring_aux_try() the trailer is to be put, branch_area_go_on() opens the next one, and
 * ring_aux_go_on() announces the full one. NULL, with nothing done: the next one lies at the area's
 * begin, or ring_aux_try() says so; next: bytes of its records. On the ring's CPU, where nothing
 * can interrupt. */
RING_FAST uint64_t *branch_area_try(struct branch_area *area, const struct branch_record *end,
                                    uint64_t *next)
{
	uint64_t bytes = (uint64_t)((const uint8_t *)end - (const uint8_t *)area->base);

	*next = area->usual;
	if (RING_RARE(end > area->last)) {
		*next = branch_area_left(area, end);
		if (!*next)
			return NULL;
	}
	return ring_aux_try(&area->out, bytes, area->plenty);
}

RING_FAST void branch_area_go_on(struct branch_area *area, struct branch_record *end, uint64_t next)
{
	uint8_t *next_end = (uint8_t *)end + next;

	area->base = end;
	area->end = (struct branch_record *)(void *)next_end;
	area->threshold = (struct branch_record *)(void *)(next_end - area->margin);
}

#endif
