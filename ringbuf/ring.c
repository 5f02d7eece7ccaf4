/* SPDX-License-Identifier: MIT */
/*
 * The ring's slow paths: records that wrap, that have no room, that follow lost ones, and
 * everything about wakeups.
 */
#include "ringbuf/ring.h"

#include "ringbuf/bytes.h"

#include <errno.h>

struct lost_record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

/* A reservation that may have to begin with a LOST record. */
struct claim {
	uint64_t head;     /* where it begins */
	uint64_t reported; /* lost records that readers knew of before */
	uint64_t lost;     /* that this one's LOST tells */
	uint32_t preface;  /* bytes of that LOST record; 0: none */
};

static void init_control(const struct ring_config *config)
{
	struct perf_event_mmap_page *control = config->control;

	ring_zero(control, sizeof(*control));
	control->size = offsetof(struct perf_event_mmap_page, reserved);
	control->data_offset = (uint64_t)((uint8_t *)config->data - (uint8_t *)control);
	control->data_size = config->size;
	if (!config->clock)
		return;
	control->capabilities = PERF_CAP_USER_TIME | PERF_CAP_USER_TIME_ZERO;
	control->time_mult = config->clock->time_mult;
	control->time_shift = config->clock->time_shift;
	control->time_zero = config->clock->time_zero;
}

int ring_init(struct ring *ring, const struct ring_config *config)
{
	if (config->size < TR_PAGE || (config->size & (config->size - 1)) ||
	    config->max_record > UINT16_MAX || config->max_record > config->size ||
	    config->max_record % 8)
		return -EINVAL;
	init_control(config);
	ring_zero(config->data, config->size); /* a backward reader stops at zero */
	*ring = (struct ring){
		.flip = config->flags & TR_RING_BACKWARD ? UINT64_MAX : 0,
		.mask = config->size - 1,
		.size = config->size,
		.data = config->data,
		.control = config->control,
		.scratch = config->scratch,
		.max_record = config->max_record,
	};
	ring_set_owner(ring, config->owner);
	return 0;
}

/* The bytes after which the owner is woken: its watermark, and half of the ring always. An
 * overwritable ring has no half that fills. */
static uint64_t wakeup_step(const struct ring *ring)
{
	uint64_t mark, half = ring->size / 2;

	if (!ring->owner)
		return 0;
	mark = ring->owner->wakeup_watermark;
	if (ring->flip)
		return mark;
	return mark && mark < half ? mark : half;
}

void ring_set_owner(struct ring *ring, struct ring_owner *owner)
{
	ring->wakeup_at = UINT64_MAX; /* no wakeup while this is half done */
	ring->samples_at = 0;
	ring_barrier();
	ring->owner = owner;
	ring->wakeup_step = wakeup_step(ring);
	ring->wakeup_bytes = ring_load(&ring->head) + ring->wakeup_step;
	ring->samples_at = owner && owner->wakeup_events ? ring->samples + owner->wakeup_events : 0;
	ring_barrier();
	if (ring->wakeup_step)
		ring->wakeup_at = ring->wakeup_bytes;
}

void ring_wake(struct ring *ring, enum tr_wakeup_cause cause)
{
	if (ring->owner)
		ring_owner_wake(ring->owner, cause);
}

void ring_tick(struct ring *ring)
{
	if (ring->owner)
		ring_owner_tick(ring->owner);
}

/* A wakeup because of account's event: the owner's, unless a fault build says otherwise. */
static void wake_for(struct ring *ring, const struct ring_account *account,
                     enum tr_wakeup_cause cause)
{
	if (RING_FAULT(NOTIFY_FIRING) && ring->owner && ring->owner->id != account->id)
		return; /* to the firing event, on which nobody waits */
	ring_wake(ring, cause);
}

uint64_t ring_tail(struct ring *ring)
{
	/* B: what the reader frees here it has read before we write there; pairs with C. */
	uint64_t tail = __atomic_load_n(&ring->control->data_tail, __ATOMIC_ACQUIRE);
	uint64_t bad = ring_load(&ring->bad_tail);

	if (RING_FAULT(TRUST_TAIL) ||
	    (tail % 8 == 0 && ring->tail <= tail && tail <= ring_load(&ring->published))) {
		ring->tail = tail;
		return tail;
	}
	/* Once per change, also when a handler saw the same one between our instructions. */
	if (tail != bad && arch_cmpxchg_local(&ring->bad_tail, bad, tail))
		arch_add_local(&ring->tail_faults, 1);
	return ring->tail;
}

/* Let the fast path reserve so many bytes from here, unless LOST is due. */
static void set_limit(struct ring *ring, uint64_t from, uint64_t bytes)
{
	ring->limit = from + bytes;
	ring_barrier();
	if (ring_load(&ring->lost) != ring_load(&ring->reported) || ring->paused)
		ring->limit = 0;
}

static void reset_limit(struct ring *ring)
{
	if (ring->flip)
		set_limit(ring, ring_load(&ring->published), RING_IN_FLIGHT(ring->size));
	else
		set_limit(ring, ring->tail, ring->size);
}

/* An overwritable ring has room for whatever keeps within its bound on records in flight. */
static bool has_room_backward(struct ring *ring, uint64_t end)
{
	/* G: heads published before are seen before what is written from here on; pairs with H. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	reset_limit(ring);
	return end - ring_load(&ring->published) <= RING_IN_FLIGHT(ring->size);
}

static bool has_room(struct ring *ring, uint64_t end)
{
	if (ring->flip)
		return has_room_backward(ring, end);
	if (end - ring->tail > ring->size && end - ring_tail(ring) > ring->size)
		return false;
	reset_limit(ring);
	return true;
}

static bool may_write(const struct ring *ring, uint32_t size)
{
	return !ring->paused && size <= ring->max_record && size % 8 == 0 &&
	       ring->nest <= RING_LEVELS;
}

/* The record is lost. Its ring is full, once per episode, unless something else was wrong. */
static void *lose(struct ring *ring, struct ring_account *account, uint32_t size)
{
	arch_add_local(&account->lost, 1);
	arch_add_local(&ring->lost, 1);
	ring_barrier();
	ring->limit = 0; /* LOST precedes the next record that fits */
	if (!ring->flip && !ring_load(&ring->full) && may_write(ring, size) &&
	    arch_cmpxchg_local(&ring->full, 0, 1))
		wake_for(ring, account, TR_WAKEUP_FULL);
	ring_leave(ring, account);
	return NULL;
}

/* Take the space and the right to report the loss, or neither. */
static bool take(struct ring *ring, const struct claim *claim, uint64_t size)
{
	if (claim->lost &&
	    !arch_cmpxchg_local(&ring->reported, claim->reported, claim->reported + claim->lost))
		return false;
	if (ring_advance(ring, claim->head, claim->head + size))
		return true;
	if (claim->lost)
		arch_add_local(&ring->reported, -claim->lost);
	return false;
}

/* Copy a record to its place, in two pieces if it wraps. */
static void put(struct ring *ring, uint64_t position, const void *from, uint32_t size)
{
	uint64_t offset = ring_offset(ring, position, size);
	uint64_t first = ring->size - offset < size ? ring->size - offset : size;

	ring_copy(ring->data + offset, from, first);
	ring_copy(ring->data, (const uint8_t *)from + first, size - first);
}

static void put_lost(struct ring *ring, const struct ring_account *account,
                     const struct claim *claim)
{
	struct {
		struct lost_record lost;
		uint64_t trailer[RING_TRAILER_MAX / 8];
	} record;

	record.lost.header.type = PERF_RECORD_LOST;
	record.lost.header.misc = 0;
	record.lost.header.size = (uint16_t)claim->preface;
	record.lost.id = account->id;
	record.lost.lost = claim->lost;
	if (account->trailer_size)
		account->trailer(account, record.trailer);
	put(ring, claim->head, &record, claim->preface);
	arch_add_local(&ring->lost_records, 1);
	ring->full = 0;
	ring_barrier();
	reset_limit(ring);
}

static void fill_claim(struct claim *claim, const struct ring *ring,
                       const struct ring_account *account)
{
	claim->head = ring_load(&ring->head);
	claim->reported = ring_load(&ring->reported);
	claim->lost = ring_load(&ring->lost) - claim->reported;
	if (RING_FAULT(FORGET_LOST))
		claim->lost = 0;
	claim->preface = claim->lost ? (uint32_t)sizeof(struct lost_record) + account->trailer_size
	                             : 0;
}

/* Whether the reader has not moved since the ring was found full, so that nothing has changed. */
static inline bool still_full(const struct ring *ring, uint32_t size)
{
	return ring_load(&ring->full) &&
	       __atomic_load_n(&ring->control->data_tail, __ATOMIC_RELAXED) == ring->tail &&
	       ring_load(&ring->head) + size - ring->tail > ring->size;
}

/* What is left of lose() then: to lose a record must cost no more than to write one. */
static inline void lose_again(struct ring *ring, struct ring_account *account)
{
	uint64_t head;

	arch_add_local(&account->lost, 1);
	arch_add_local(&ring->lost, 1);
	ring_barrier();
	head = ring_load(&ring->head);
	if (ring->nest > 1 || ring->published != head) {
		ring_leave(ring, account);
		return;
	}
	ring->nest = 0;
	ring_barrier();
	if (ring_load(&ring->head) != head)
		ring_leave_slow(ring, account);
}

bool ring_fits(struct ring *ring, const struct ring_account *account, uint64_t size)
{
	struct claim claim;

	fill_claim(&claim, ring, account);
	return !ring->paused && has_room(ring, claim.head + claim.preface + size);
}

/* Where to build the record at position: its slot, or this level's scratch memory. */
static void *slot(struct ring *ring, uint64_t position, uint32_t size)
{
	uint64_t offset = ring_offset(ring, position, size);
	uint32_t level = ring->nest - 1;

	if (offset + size <= ring->size)
		return ring->data + offset;
	ring->wrapped[level] = position;
	return ring->scratch + (uint64_t)level * ring->max_record;
}

static __attribute__((noinline)) void *reserve(struct ring *ring, struct ring_account *account,
                                               uint32_t size)
{
	struct claim claim;

	do {
		fill_claim(&claim, ring, account);
		if (!may_write(ring, size) || !has_room(ring, claim.head + claim.preface + size))
			return lose(ring, account, size);
	} while (!take(ring, &claim, claim.preface + size));
	if (claim.preface)
		put_lost(ring, account, &claim);
	return slot(ring, claim.head + claim.preface, size);
}

void *ring_reserve_slow(struct ring *ring, struct ring_account *account, uint32_t size)
{
	if (still_full(ring, size)) {
		lose_again(ring, account);
		return NULL;
	}
	return reserve(ring, account, size);
}

/* Space for a LOST record alone, if one is due and there is room. */
static bool claim_lost(struct ring *ring, const struct ring_account *account, struct claim *claim)
{
	do {
		fill_claim(claim, ring, account);
		if (!claim->preface || !may_write(ring, claim->preface) ||
		    !has_room(ring, claim->head + claim->preface))
			return false;
	} while (!take(ring, claim, claim->preface));
	return true;
}

void ring_report_lost(struct ring *ring, const struct ring_account *account)
{
	struct claim claim;

	if (ring_load(&ring->lost) == ring_load(&ring->reported))
		return;
	ring->nest++;
	ring_barrier();
	if (claim_lost(ring, account, &claim))
		put_lost(ring, account, &claim);
	ring_leave(ring, account);
}

void ring_put_wrapped(struct ring *ring, uint32_t size)
{
	uint32_t level = ring->nest - 1;

	put(ring, ring->wrapped[level], ring->scratch + (uint64_t)level * ring->max_record, size);
}

/* Whether publishing head crosses a threshold; sets the next ones. A handler that comes between
 * and completes wakeup_events leaves wakeup_at at 0, and our caller looks again. */
static bool wakeup_due(struct ring *ring, uint64_t head)
{
	uint32_t events = ring->owner ? ring->owner->wakeup_events : 0;
	bool due = false;

	if (ring->wakeup_step && head >= ring->wakeup_bytes) {
		ring->wakeup_bytes += ring->wakeup_step;
		if (head >= ring->wakeup_bytes)
			ring->wakeup_bytes = head + ring->wakeup_step;
		due = true;
	}
	ring->wakeup_at = ring->wakeup_step ? ring->wakeup_bytes : UINT64_MAX;
	ring_barrier();
	if (ring->samples_at && ring_load(&ring->samples) >= ring->samples_at) {
		ring->samples_at += events;
		if (ring_load(&ring->samples) >= ring->samples_at)
			ring->samples_at = ring_load(&ring->samples) + events;
		due = true;
	}
	return due;
}

void ring_leave_slow(struct ring *ring, const struct ring_account *account)
{
	uint64_t head;

	do {
		ring->nest = 1;
		ring_barrier();
		head = ring_load(&ring->head);
		ring_publish(ring, head);
		if (wakeup_due(ring, head))
			wake_for(ring, account, TR_WAKEUP_THRESHOLD);
		ring_barrier();
		ring->nest = 0;
		ring_barrier();
	} while (ring_load(&ring->head) != head || ring_load(&ring->wakeup_at) <= head);
}

void ring_pause(struct ring *ring)
{
	ring->paused = 1;
	ring_barrier();
	ring->limit = 0;
}

void ring_resume(struct ring *ring)
{
	ring->paused = 0; /* limit stays 0: the next record finds the new one, and tells the loss */
}
