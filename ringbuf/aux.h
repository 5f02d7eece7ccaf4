/* SPDX-License-Identifier: MIT */
/*
 * The AUX area: a second ring beside the data ring. Hardware fills it. A transaction hands a piece
 * of the area over to the hardware:
 *
 *	begin ──▶ [flag, skip, go on ...] ──▶ end
 *
 * Only one transaction is under way at a time, always on the ring's CPU, in any context. Positions
 * are free-running counts of bytes; a position's place in the area is position modulo size.
 *
 *	aux_tail     wakeup (last)      head   next wakeup
 *	----+-------------+---------------+---------+------
 *	     unread       '-- aux_watermark --------'
 *
 * wakeup is the head at the last wakeup, rounded down to a multiple of the watermark, because
 * hardware passes the wakeup position before it interrupts. The next wakeup is one watermark later,
 * so it is always ahead of head.
 */
#ifndef RINGBUF_AUX_H
#define RINGBUF_AUX_H

#include "ringbuf/ring_alone.h"

/* A range whose AUX record is not yet written, because the data ring had no room. */
struct ring_aux_carry {
	uint64_t offset;
	uint64_t size;
	uint64_t flags; /* PERF_AUX_FLAG_* */
	bool due;
};

/* One ring's AUX area. This struct is private memory of the firmware. */
struct ring_aux {
	struct ring *ring;
	struct ring_account *account; /* the account that AUX records are counted in */
	uint64_t size;                /* bytes, a power of two; 0: no AUX area */
	uint64_t watermark;           /* bytes; 0 in overwrite mode */
	bool overwrite;               /* snapshot mode */
	bool busy;                    /* a transaction is under way */
	bool stalled;                 /* no room, and the owner was notified */
	uint64_t head;                /* where the hardware begins in a transaction */
	uint64_t tail;                /* the last valid aux_tail */
	uint64_t bad_tail;
	uint64_t wakeup; /* position of the last wakeup */
	struct ring_aux_carry carry;

	uint64_t lost, skipped, records, truncated;
	uint64_t overwritten; /* overwritten bytes that no AUX record reports or will report */
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
	uint64_t size; /* bytes that the hardware may fill, from aux->head on */
	/* position at which the hardware should interrupt; UINT64_MAX: only at the end */
	uint64_t wakeup;
	uint64_t flags;  /* PERF_AUX_FLAG_*, collected until the AUX record is written */
	uint64_t from;   /* overwrite mode: position where the reported range will begin */
	uint64_t padded; /* skipped bytes that no AUX record has reported yet */
	uint64_t header; /* the AUX record's header word */
	/* bytes of an AUX record that only reports a range at head. If there is more to report, a
	 * size larger than any ring, which forces the slow path. */
	uint64_t record;
};

#define RING_AUX_UNUSUAL (UINT64_MAX / 2) /* value of record that forces the slow path */

/* Gives ring an AUX area and writes the area's records for account. 0; -EINVAL: invalid size.
 * Thread. */
int ring_aux_init(struct ring_aux *aux, struct ring *ring, struct ring_account *account,
                  const struct ring_aux_config *config);

/*
 * Begins a transaction if at least need bytes (> 0) are free. 0; -EBUSY: a transaction is under
 * way; -ENOSPC: no room. On -ENOSPC the owner was woken once; the caller stays stopped and tries
 * again at the next tick. In overwrite mode there is always room.
 */
int ring_aux_begin(struct ring_aux_output *out, struct ring_aux *aux, uint64_t need);

/* Skips bytes as padding, which no AUX record reports. 0; -ENOSPC, with nothing changed: the
 * transaction is too small, or an earlier range still waits for its AUX record. */
int ring_aux_skip(struct ring_aux_output *out, uint64_t bytes);

/* Adds flags to this transaction's AUX record: TRUNCATED, PARTIAL, COLLISION. */
static inline void ring_aux_flag(struct ring_aux_output *out, uint64_t flags)
{
	out->flags |= flags;
	out->record = RING_AUX_UNUSUAL;
}

/* Counts bytes that are known to be lost: the hardware produced them and no area took them. */
void ring_aux_lost(struct ring_aux_output *out, uint64_t bytes);

/*
 * Ends a transaction in which the hardware has filled this number of bytes. Publishes the bytes,
 * writes an AUX record if one is needed, and wakes the owner at a watermark or if TRUNCATED is set.
 * After TRUNCATED the caller stops until begin succeeds. If bytes exceeds out->size, the hardware
 * has overwritten unread data: the excess counts as lost.
 */
void ring_aux_end(struct ring_aux_output *out, uint64_t size);

/* Returns the free bytes; in overwrite mode the whole area. The bytes of a transaction under way
 * still count as free. */
uint64_t ring_aux_room(struct ring_aux *aux);

/*
 * Overwrite mode: the hardware has filled bytes, up to the start of a record at a multiple of half
 * the area, and continues over the oldest half. The end of the transaction reports only data that
 * is younger.
 */
void ring_aux_pass(struct ring_aux_output *out, uint64_t bytes);

/* Reports whether the reader permits a new transaction: in overwrite mode, only after the reader
 * has taken the whole last snapshot. */
bool ring_aux_taken(struct ring_aux *aux);

/* Tries to write the AUX record of a waiting range. True: no range waits any more. */
bool ring_aux_flush(struct ring_aux *aux);

/* Writes the aux_ fields of the ring's ledger. */
void ring_aux_publish(const struct ring_aux *aux, struct tr_ring_ledger *ledger);

/* ---- The fast path: end a transaction and begin the next ---- */

/* words of an AUX record before its trailer: header, offset, size, flags */
#define RING_AUX_WORDS 4U

/* The AUX record's struct perf_event_header, as it lies in the record's first word. */
static inline uint64_t ring_aux_header(const struct ring_aux *aux)
{
	return PERF_RECORD_AUX | (8ULL * RING_AUX_WORDS + aux->account->trailer_size) << 48;
}

static inline void ring_aux_show_head(const struct ring_aux *aux)
{
	/* A: the area's bytes before the head are complete; pairs with D in the reader. */
	__atomic_store_n(&aux->ring->control->aux_head, aux->head, __ATOMIC_RELEASE);
}

/* The head has reached or passed the wakeup position: sets the last wakeup, which sets the next. */
static inline void ring_aux_pass_wakeup(struct ring_aux *aux)
{
	aux->wakeup = aux->head - aux->head % aux->watermark;
}

/* Reads aux_tail as the host wrote it. */
static inline uint64_t ring_aux_look_tail(const struct ring_aux *aux)
{
	/* B: the reader has read the freed bytes before hardware writes there; pairs with C. */
	return __atomic_load_n(&aux->ring->control->aux_tail, __ATOMIC_ACQUIRE);
}

/* Accepts tail as the new aux_tail if its value is possible. */
static inline bool ring_aux_take_tail(struct ring_aux *aux, uint64_t tail)
{
	if (RING_RARE(tail < aux->tail || tail > aux->head))
		return false;
	aux->tail = tail;
	return true;
}

/*
 * Three steps that do the same as ring_aux_end() of bytes, ring_aux_begin() of the next transaction
 * and ring_aux_skip(), for a writer that nothing can interrupt (ring_is_alone()).
 *
 * Step one reports whether the fast path is possible. If flags must be reported, a range waits for
 * its AUX record, the mode is overwrite, or the data ring needs attention, use the three functions
 * instead.
 */
RING_FAST bool ring_aux_is_usual(const struct ring_aux_output *out)
{
	const struct ring *ring = out->aux->ring;

	return ring_is_alone(ring, ring_load(&ring->published), out->record);
}

/* Step two returns the place where the caller must put the AUX record's trailer before step three.
 * NULL, with nothing changed: fewer than need bytes are free after the skip. */
RING_FAST uint64_t *ring_aux_try(struct ring_aux_output *out, uint64_t bytes, uint64_t skip,
                                 uint64_t need)
{
	struct ring_aux *aux = out->aux;
	uint64_t *words, all = bytes + skip;

	if (RING_RARE(out->size < all + need)) {
		if (!ring_aux_take_tail(aux, ring_aux_look_tail(aux)))
			return NULL;
		ring_barrier(); /* forces a reload, which frees registers */
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

/* Step three returns whether a wakeup is due; then call ring_aux_wake(). */
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
