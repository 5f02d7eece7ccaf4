/* SPDX-License-Identifier: MIT */
/*
 * The AUX area: a second ring beside the first, which hardware fills. A transaction
 * lends a piece of it to the hardware:
 *
 *	begin ──▶ [flag, skip, go on ...] ──▶ end
 *
 * One transaction at a time; all of it on the ring's CPU, in any context. Positions are
 * free-running counts of bytes, the place in the area is position modulo size.
 *
 *	aux_tail     wakeup (last)      head   next wakeup
 *	----+-------------+---------------+---------+------
 *	     unread       '-- aux_watermark --------'
 *
 * wakeup is the head at the last wakeup, rounded down to a multiple of the watermark, because
 * hardware overruns its mark; the next one is a watermark further, so always beyond head.
 */
#ifndef RINGBUF_AUX_H
#define RINGBUF_AUX_H

#include "ringbuf/ring_alone.h"

/* A range that its AUX record has not told yet, because the data ring had no room. */
struct ring_aux_carry {
	uint64_t offset;
	uint64_t size;
	uint64_t flags; /* PERF_AUX_FLAG_* */
	bool due;
};

/* One ring's AUX area: private memory of the firmware. */
struct ring_aux {
	struct ring *ring;
	struct ring_account *account; /* that AUX records are written for */
	uint64_t size;                /* bytes, a power of two; 0: no AUX area */
	uint64_t watermark;           /* bytes; 0 in overwrite mode */
	bool overwrite;               /* snapshot mode */
	bool busy;                    /* a transaction is under way */
	bool stalled;                 /* no room; the owner knows */
	uint64_t head;                /* in a transaction: where the hardware may begin */
	uint64_t tail;                /* the last good aux_tail */
	uint64_t bad_tail;
	uint64_t wakeup; /* the last one */
	struct ring_aux_carry carry;

	uint64_t lost, skipped, records, truncated;
	uint64_t overwritten; /* bytes that no AUX record told, nor will */
};

struct ring_aux_config {
	void *area;
	uint64_t size;      /* bytes, a power of two, at least TR_PAGE */
	uint64_t watermark; /* bytes; 0: half of the area */
	bool overwrite;
};

/* A transaction. */
struct ring_aux_output {
	struct ring_aux *aux;
	uint64_t size;   /* bytes that the hardware may fill, from aux->head on */
	uint64_t wakeup; /* position at which it should interrupt; UINT64_MAX: not before the end */
	uint64_t flags;  /* PERF_AUX_FLAG_*, gathered until the AUX record is written */
	uint64_t from;   /* overwrite mode: position at which the told range will begin */
	uint64_t padded; /* bytes skipped, and nothing told of it yet */
	uint64_t header; /* of the AUX record */
	uint64_t record; /* bytes of one that tells nothing but a range from head on; more than any
	                  * ring has, if there is more to tell */
};

#define RING_AUX_UNUSUAL (UINT64_MAX / 2) /* of record */

/* Give ring an AUX area, whose records are account's. 0; -EINVAL if the size is none. Thread. */
int ring_aux_init(struct ring_aux *aux, struct ring *ring, struct ring_account *account,
                  const struct ring_aux_config *config);

/*
 * Begin a transaction if at least need bytes (> 0) are free. 0; -EBUSY if one is under way;
 * -ENOSPC if there is no room, and then the owner is woken once, and the caller stays stopped and
 * tries again at the next tick. In overwrite mode there is always room.
 */
int ring_aux_begin(struct ring_aux_output *out, struct ring_aux *aux, uint64_t need);

/* Let so many bytes be padding that no AUX record tells. 0; -ENOSPC if the transaction has not
 * as many, or if a range before it is still carried: then nothing has changed. */
int ring_aux_skip(struct ring_aux_output *out, uint64_t bytes);

/* Flags for this transaction's AUX record: TRUNCATED, PARTIAL, COLLISION. */
static inline void ring_aux_flag(struct ring_aux_output *out, uint64_t flags)
{
	out->flags |= flags;
	out->record = RING_AUX_UNUSUAL;
}

/* So many bytes are known to be lost: hardware produced them and nothing took them. */
void ring_aux_lost(struct ring_aux_output *out, uint64_t bytes);

/*
 * The hardware has filled so many bytes: publish them, write an AUX record if there is
 * something to tell, and wake the owner at a watermark or if TRUNCATED; then the caller stops
 * until begin succeeds. More than out->size overran unread data: the excess counts as lost.
 */
void ring_aux_end(struct ring_aux_output *out, uint64_t size);

/* Bytes that are free now; in overwrite mode always all. A transaction under way has not used
 * any of them. */
uint64_t ring_aux_room(struct ring_aux *aux);

/*
 * Overwrite mode: the hardware has filled so many bytes, up to where a record begins, at a
 * multiple of half the area; it goes on there, over the oldest half. Only what is younger is
 * told at the end.
 */
void ring_aux_pass(struct ring_aux_output *out, uint64_t bytes);

/* Whether a transaction may begin as far as the reader is concerned: in overwrite mode not before
 * it has taken all of the last snapshot. */
bool ring_aux_taken(struct ring_aux *aux);

/* Try to tell a carried range. True if nothing is carried any more. */
bool ring_aux_flush(struct ring_aux *aux);

/* The aux_ fields of the ring's ledger. */
void ring_aux_publish(const struct ring_aux *aux, struct tr_ring_ledger *ledger);

/* ---- A transaction that goes on ---- */

#define RING_AUX_WORDS 4U /* of an AUX record, before its trailer: header, offset, size, flags */

/* The AUX record's struct perf_event_header, as it lies in the record's first word. */
static inline uint64_t ring_aux_header(const struct ring_aux *aux)
{
	return PERF_RECORD_AUX | (8ULL * RING_AUX_WORDS + aux->account->trailer_size) << 48;
}

static inline void ring_aux_show_head(const struct ring_aux *aux)
{
	/* A: what is in the area before the head; pairs with D in the reader. */
	__atomic_store_n(&aux->ring->control->aux_head, aux->head, __ATOMIC_RELEASE);
}

/* The head has come to the next wakeup, or beyond: find the one after it. */
static inline void ring_aux_pass_wakeup(struct ring_aux *aux)
{
	aux->wakeup = aux->head - aux->head % aux->watermark;
}

/* aux_tail as the host wrote it. */
static inline uint64_t ring_aux_look_tail(const struct ring_aux *aux)
{
	/* B: what the reader frees it has read before hardware writes there; pairs with C. */
	return __atomic_load_n(&aux->ring->control->aux_tail, __ATOMIC_ACQUIRE);
}

/* Take it, if it can be true. */
static inline bool ring_aux_take_tail(struct ring_aux *aux, uint64_t tail)
{
	if (RING_RARE(tail < aux->tail || tail > aux->head))
		return false;
	aux->tail = tail;
	return true;
}

/*
 * ring_aux_end() of so many bytes, and ring_aux_begin() of a transaction behind them and
 * ring_aux_skip(), in three steps, for a writer that nothing can interrupt (ring_is_alone()).
 *
 * The first: whether nothing is unusual. If there are flags to tell, a range is carried, it is
 * overwrite mode, or the data ring has something to look at, it takes those three.
 */
RING_FAST bool ring_aux_is_usual(const struct ring_aux_output *out)
{
	const struct ring *ring = out->aux->ring;

	return ring_is_alone(ring, ring_load(&ring->published), out->record);
}

/* The second returns where the AUX record's trailer is to be put before the last. NULL, with
 * nothing done: fewer than need bytes are free behind. */
RING_FAST uint64_t *ring_aux_try(struct ring_aux_output *out, uint64_t bytes, uint64_t skip,
                                 uint64_t need)
{
	struct ring_aux *aux = out->aux;
	uint64_t *words, all = bytes + skip;

	if (RING_RARE(out->size < all + need)) {
		if (!ring_aux_take_tail(aux, ring_aux_look_tail(aux)))
			return NULL;
		ring_barrier(); /* their registers are wanted */
		out->size = aux->tail + aux->size - aux->head;
		if (out->size < all + need)
			return NULL;
	}
	words = ring_place_alone(aux->ring, ring_load(&aux->ring->published));
	words[0] = out->header;
	words[1] = aux->head;
	words[2] = bytes;
	words[3] = 0; /* flags */
	aux->records++;
	aux->skipped += skip;
	aux->head += all;
	out->padded = skip;
	out->size -= all;
	return words + RING_AUX_WORDS;
}

/* The last returns whether a wakeup is due: then ring_aux_wake() comes next. */
RING_FAST bool ring_aux_go_on(struct ring_aux_output *out)
{
	struct ring_aux *aux = out->aux;
	struct ring *ring = aux->ring;
	uint64_t head = aux->head;

	ring_aux_show_head(aux);
	ring_commit_alone(ring, aux->account, ring_load(&ring->published) + out->record);
	return head >= out->wakeup;
}

RING_FAST void ring_aux_wake(struct ring_aux_output *out)
{
	struct ring_aux *aux = out->aux;

	ring_aux_pass_wakeup(aux);
	out->wakeup = aux->wakeup + aux->watermark;
	ring_wake(aux->ring, TR_WAKEUP_AUX);
}

#endif
