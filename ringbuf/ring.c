/* SPDX-License-Identifier: MIT */
/*
 * The ring's slow paths: records that wrap, that find no room, or that follow lost records, and all
 * handling of wakeups.
 */
#include "ringbuf/ring.h"

#include <errno.h>

#include "ringbuf/bytes.h"

struct lost_record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

/* The space that a writer with a level will reserve; it may begin with a LOST record. */
struct reservation {
	uint64_t head;     /* the ring's head, which must not move until the space is reserved */
	uint64_t at;       /* the space's start */
	uint64_t reported; /* lost records already reported to readers */
	uint64_t lost;     /* lost records that this LOST record reports */
	uint32_t preface;  /* size of that LOST record, bytes; 0: none */
};

/* Enables the fast path from here up to the next position that needs attention. */
static void ring_open(struct ring *ring, uint64_t from)
{
	uint64_t limit = (from | ring->near) + 1; /* the next record may wrap there */
	uint64_t room = ring->flip ? from + TR_IN_FLIGHT(ring->size)
	                           : ring->tail + ring->size - ring->reserve;

	if (limit > room)
		limit = room;
	if (ring->wakeup_step && limit >= ring->wakeup_bytes)
		limit = ring->wakeup_bytes - 1;
	/* G: earlier heads are visible before later record bytes; pairs with H. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	ring->limit = limit;
	ring->alone = ring->flip || ring->samples_at ? 0 : limit;
	ring_barrier();
	if (ring_load(&ring->lost) != ring_load(&ring->reported))
		ring_close(ring);
}

/* Wakes the owner for account's event; a fault build may wake the event itself. */
static void ring_wake_for(struct ring *ring, const struct ring_account *account,
                          enum tr_wakeup_cause cause)
{
	if (RING_FAULT(NOTIFY_FIRING) && ring->owner && ring->owner->id != account->id)
		return; /* a fault build notifies the firing event, on which no reader waits */
	ring_wake(ring, cause);
}

/* Returns the end of all reserved space. */
static inline uint64_t ring_end_from(const struct ring *ring, uint64_t head)
{
	uint64_t published = ring_load(&ring->published);
	uint64_t end = published + ring_claimed(ring_load(&ring->claim), published);

	return head > end ? head : end;
}

RING_FAST uint64_t ring_end(const struct ring *ring)
{
	return ring_end_from(ring, ring_load(&ring->head));
}

uint64_t ring_tail(struct ring *ring)
{
	/* B: the reader has read the freed bytes before the firmware writes there; pairs with C. */
	uint64_t tail = __atomic_load_n(&ring->control->data_tail, __ATOMIC_ACQUIRE);
	uint64_t bad = ring_load(&ring->bad_tail);

	if (RING_FAULT(TRUST_TAIL) ||
	    (tail % 8 == 0 && ring->tail <= tail && tail <= ring_load(&ring->published))) {
		ring->tail = tail;
		return tail;
	}
	/* The outermost writer stores data_head before published, so do not judge the tail
	 * meanwhile. */
	if (ring_is_writing(ring) && ring->tail <= tail && tail <= ring_end(ring))
		return ring->tail;
	/* Counts once per change, even if a handler saw the same value between these instructions.
	 */
	if (tail != bad && arch_cmpxchg_local(&ring->bad_tail, bad, tail))
		arch_add_local(&ring->tail_faults, 1);
	return ring->tail;
}

static bool ring_has_room(struct ring *ring, uint64_t end)
{
	if (!ring->flip)
		return end - ring->tail <= ring->size || end - ring_tail(ring) <= ring->size;
	/* G, and at most this much in flight. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return end - ring_load(&ring->published) <= TR_IN_FLIGHT(ring->size);
}

uint64_t ring_room(struct ring *ring)
{
	return ring->size - (ring_end(ring) - ring_tail(ring));
}

/* Reports whether less than the reserve is free after end. */
static __attribute__((noinline)) bool ring_is_low(struct ring *ring, uint64_t end)
{
	uint64_t most = ring->size - ring->reserve;

	return end - ring->tail > most && end - ring_tail(ring) > most;
}

static bool ring_may_write(const struct ring *ring, uint32_t size)
{
	return size <= ring->max_record && size % 8 == 0;
}

/* Reports whether publishing head crosses a threshold, and sets the next thresholds. */
static bool ring_wakeup_due(struct ring *ring, uint64_t head)
{
	uint32_t events = ring->owner ? ring->owner->wakeup_events : 0;
	bool due = false;

	if (ring->wakeup_step && head >= ring->wakeup_bytes) {
		ring->wakeup_bytes += ring->wakeup_step;
		if (head >= ring->wakeup_bytes)
			ring->wakeup_bytes = head + ring->wakeup_step;
		due = true;
	}
	if (ring->samples_at && ring_load(&ring->samples) >= ring->samples_at) {
		ring->samples_at += events;
		if (ring_load(&ring->samples) >= ring->samples_at)
			ring->samples_at = ring_load(&ring->samples) + events;
		due = true;
	}
	return due;
}

/* Becomes the outermost writer, with no claim yet. */
static void ring_hold(struct ring *ring)
{
	uint64_t at;

	do {
		at = ring_load(&ring->published);
		ring->claim = at << 32;
		ring_barrier();
	} while (ring_load(&ring->published) != at);
}

/* Handlers that run before published moves leave their records for this writer to publish. */
void ring_publish(struct ring *ring, const struct ring_account *account)
{
	uint64_t end;

	do {
		if (!ring_is_writing(ring))
			ring_hold(ring);
		end = ring_end(ring);
		ring_show(ring, end);
		if (ring_wakeup_due(ring, end))
			ring_wake_for(ring, account, TR_WAKEUP_THRESHOLD);
		ring_open(ring, end);
		ring_barrier();
		ring->published = end;
		ring_barrier();
		ring->claim = UINT64_MAX; /* if nothing was written, the claim is still valid */
		ring_barrier();
	} while (ring_load(&ring->head) > end && !RING_FAULT(NO_REPUBLISH));
	if (RING_RARE(ring->reserve != 0) && ring_is_low(ring, end))
		ring->low(ring);
}

/* Begins to write with a level. False: no level is free. */
static bool ring_enter(struct ring *ring)
{
	struct ring_level *level = &ring->levels[ring->nest];

	if (ring->nest == RING_LEVELS)
		return false;
	ring->nest++;
	ring_barrier();
	level->outermost = !ring_is_writing(ring);
	if (level->outermost)
		ring_hold(ring);
	return true;
}

static void ring_leave(struct ring *ring, const struct ring_account *account)
{
	if (ring->levels[ring->nest - 1].outermost)
		ring_publish(ring, account);
	ring_barrier();
	ring->nest--;
}

/* Counts a lost record. A LOST record precedes the next record that fits. */
static struct ring_slot ring_lose(struct ring *ring, struct ring_account *account)
{
	arch_add_local(&account->lost, 1);
	arch_add_local(&ring->lost, 1);
	ring_barrier();
	ring_close(ring);
	return (struct ring_slot){ 0 };
}

/* Notifies the owner once per episode that the ring is full. */
static void ring_tell_full(struct ring *ring, const struct ring_account *account)
{
	if (!ring->flip && !ring_load(&ring->full) && arch_cmpxchg_local(&ring->full, 0, 1))
		ring_wake_for(ring, account, TR_WAKEUP_FULL);
}

/* Reserves up to end, unless a handler has reserved space since head was loaded. */
static inline bool ring_advance(struct ring *ring, uint64_t head, uint64_t end)
{
	if (RING_FAULT(TORN_RESERVE)) {
		ring->head = end;
		return true;
	}
	return arch_cmpxchg_local(&ring->head, head, end);
}

/* Takes both the space and the right to report the loss, or neither. */
static bool ring_take(struct ring *ring, const struct reservation *r, uint64_t size)
{
	if (r->lost && !arch_cmpxchg_local(&ring->reported, r->reported, r->reported + r->lost))
		return false;
	if (ring_advance(ring, r->head, r->at + size))
		return true;
	if (r->lost)
		arch_add_local(&ring->reported, -r->lost);
	return false;
}

/* Copies a record to its place, in two pieces if it wraps. */
static void ring_put(struct ring *ring, uint64_t position, const void *from, uint32_t size)
{
	uint64_t offset = ring_offset(ring, position, size);
	uint64_t first = ring->size - offset < size ? ring->size - offset : size;

	ring_copy(ring->data + offset, from, first);
	ring_copy(ring->data, (const uint8_t *)from + first, size - first);
}

static void ring_put_lost(struct ring *ring, const struct ring_account *account,
                          const struct reservation *r)
{
	struct {
		struct lost_record lost;
		uint64_t trailer[RING_TRAILER_MAX / 8];
	} record;

	record.lost.header.type = PERF_RECORD_LOST;
	record.lost.header.misc = 0;
	record.lost.header.size = (uint16_t)r->preface;
	record.lost.id = account->id;
	record.lost.lost = r->lost;
	if (account->trailer_size)
		account->trailer(account, record.trailer);
	ring_put(ring, r->at, &record, r->preface);
	arch_add_local(&ring->lost_records, 1);
	ring->full = 0;
}

static void ring_plan(struct reservation *r, const struct ring *ring,
                      const struct ring_account *account)
{
	r->head = ring_load(&ring->head);
	r->at = ring_end_from(ring, r->head);
	r->reported = ring_load(&ring->reported);
	r->lost = ring_load(&ring->lost) - r->reported;
	if (RING_FAULT(FORGET_LOST))
		r->lost = 0;
	r->preface = r->lost ? (uint32_t)sizeof(struct lost_record) + account->trailer_size : 0;
}

/* Reports whether the reader has not moved since the ring was found full: then it is still full. */
static inline bool ring_still_full(const struct ring *ring, uint32_t size)
{
	return ring_load(&ring->full) &&
	       __atomic_load_n(&ring->control->data_tail, __ATOMIC_RELAXED) == ring->tail &&
	       ring_load(&ring->published) + size - ring->tail > ring->size;
}

bool ring_fits(struct ring *ring, const struct ring_account *account, uint64_t size)
{
	struct reservation r;

	ring_plan(&r, ring, account);
	return ring_has_room(ring, r.at + r.preface + size);
}

/* Returns this level's memory for a record that wraps. */
static uint8_t *ring_scratch(const struct ring *ring)
{
	return ring->scratch + (uint64_t)(ring->nest - 1) * ring->max_record;
}

/* Returns where this level builds its record: in place, or in scratch memory. */
static struct ring_slot ring_place(struct ring *ring, uint64_t position, uint32_t size)
{
	struct ring_level *level = &ring->levels[ring->nest - 1];
	uint64_t offset = ring_offset(ring, position, size);

	level->position = position;
	level->size = size;
	level->wraps = offset + size > ring->size;
	return (struct ring_slot){ level->wraps ? ring_scratch(ring) : ring->data + offset,
		                   RING_GENERAL };
}

/* Reserves size bytes and, if one is due, a LOST record before them. */
static bool ring_make_room(struct ring *ring, const struct ring_account *account, uint32_t size,
                           struct reservation *r)
{
	do {
		ring_plan(r, ring, account);
		if (!ring_has_room(ring, r->at + r->preface + size))
			return false;
	} while (!ring_take(ring, r, r->preface + size));
	if (r->preface)
		ring_put_lost(ring, account, r);
	return true;
}

static __attribute__((noinline)) struct ring_slot
ring_reserve_general(struct ring *ring, struct ring_account *account, uint32_t size)
{
	struct reservation r;

	if (!ring_may_write(ring, size) || !ring_enter(ring))
		return ring_lose(ring, account);
	if (ring_make_room(ring, account, size, &r))
		return ring_place(ring, r.at + r.preface, size);
	ring_lose(ring, account);
	ring_tell_full(ring, account);
	ring_leave(ring, account);
	return (struct ring_slot){ 0 };
}

/* Reserves a nested writer's space, up to the limit. NULL: the writer is not nested, or must take
 * the general path. */
static inline void *ring_reserve_nested(struct ring *ring, uint32_t size)
{
	uint64_t claim = ring_load(&ring->claim), published, head, at;

	ring_barrier(); /* as in ring_is_writing() */
	published = ring_load(&ring->published);
	head = ring_load(&ring->head);
	at = head > published ? head : published + (uint32_t)claim;
	if (!ring_is_good(claim, published) || at + size > ring_load(&ring->limit) ||
	    !ring_advance(ring, head, at + size))
		return NULL;
	return ring->data + ring_offset(ring, at, size);
}

struct ring_slot ring_reserve_slow(struct ring *ring, struct ring_account *account, uint32_t size)
{
	void *record;

	arch_add_local(&account->generated, 1);
	/* Losing a record must not cost more than writing one. */
	if (ring_still_full(ring, size))
		return ring_lose(ring, account);
	record = ring_reserve_nested(ring, size);
	if (record)
		return (struct ring_slot){ record, RING_NESTED };
	return ring_reserve_general(ring, account, size);
}

void ring_commit_slow(struct ring *ring, struct ring_account *account, bool sample)
{
	struct ring_level *level = &ring->levels[ring->nest - 1];

	if (level->wraps)
		ring_put(ring, level->position, ring_scratch(ring), level->size);
	ring_count_written(ring, account, sample);
	ring_leave(ring, account);
}

void ring_report_lost(struct ring *ring, const struct ring_account *account)
{
	struct reservation r;

	if (ring_load(&ring->lost) == ring_load(&ring->reported) || !ring_enter(ring))
		return;
	ring_make_room(ring, account, 0, &r);
	ring_leave(ring, account);
}
