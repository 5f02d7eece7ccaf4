/* SPDX-License-Identifier: MIT */
/*
 * A ring of perf records: written by the nesting contexts of one CPU, read by the host.
 *
 * Positions are free-running counts of bytes; position p lies at data[p & (size - 1)].
 *
 *	          data_tail          data_head        head            limit
 *	   free       |  unread records   |  in flight  |     free       |
 *	--------------+-------------------+-------------+----------------+----
 *	              '------------------- data_size --------------------'
 *
 * A writer moves head by compare-and-exchange to reserve [head, head + size), and builds its
 * record there. nest counts the writers under way; they nest (thread < IRQ < NMI), so when the
 * outermost one has finished all have, and it publishes head as data_head. Two pairs with
 * the reader (host-tools/ring_reader.c):
 *
 *	firmware			reader
 *	load data_tail			load data_head
 *	acquire			(B)	acquire			(D)
 *	write records			read records
 *	release			(A)	release			(C)
 *	store data_head			store data_tail
 *
 * A pairs with D: who sees the head sees the records. B pairs with C: nothing is written over
 * a record before it has been read.
 *
 * An overwritable ring (TR_RING_BACKWARD) counts the same way, but position p lies at
 * data[-p & (size - 1)], and data_head is -head: the newest record's header. No more than a
 * quarter of it is ever in flight ahead of data_head, so that a reader of a live ring who
 * distrusts its oldest quarter and looks at data_head after each copy is never fooled:
 *
 *	firmware, every quarter		reader
 *	store data_head			copy a record
 *	release			(G)	acquire			(H)
 *	write records over old ones	load data_head
 *
 * Nothing in the shared pages is read but data_tail, and that is not trusted.
 */
#ifndef RINGBUF_RING_H
#define RINGBUF_RING_H

#include "arch/arch.h"
#include "ringbuf/fault.h"
#include "ringbuf/owner.h"
#include "ringbuf/trace_region.h"

#define RING_LEVELS      4  /* writers that may nest: thread, exception, IRQ, NMI */
#define RING_TRAILER_MAX 48 /* bytes: TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER */

/* The bound on bytes in flight of an overwritable ring of this size; a reader needs it, too. */
#define RING_IN_FLIGHT(size) ((size) / 4)

/* What became of one event's records. All NMI-safe; see struct tr_event_ledger. */
struct ring_account {
	uint64_t id; /* perf's, written into LOST */
	uint64_t generated;
	uint64_t written;
	uint64_t lost;
	uint64_t period; /* sum over all samples */
	uint64_t period_lost;
	/* The event's sample_id_all trailer: its size (a multiple of 8, 0 for none, at most
	 * RING_TRAILER_MAX), and what fills it in. Needed where LOST is written. Any context. */
	uint32_t trailer_size;
	void (*trailer)(const struct ring_account *account, void *to);
};

/* One CPU's ring: private memory of the firmware. */
struct ring {
	uint64_t head;      /* reserved up to here */
	uint64_t limit;     /* the fast path may reserve up to here; 0 sends all to the slow one */
	uint64_t published; /* up to here readers see */
	uint64_t wakeup_at; /* publishing this or more takes the slow path */
	uint32_t nest;      /* writers under way */
	uint32_t paused;
	uint64_t flip; /* all ones: backward */
	uint64_t mask; /* size - 1 */
	uint8_t *data;
	struct perf_event_mmap_page *control;
	uint64_t size; /* of data, bytes, a power of two of pages */

	struct ring_owner *owner; /* NULL: nobody is woken */
	uint64_t wakeup_step;     /* bytes from one wakeup to the next; 0: never by bytes */
	uint64_t wakeup_bytes;    /* position of the next wakeup by bytes */
	uint64_t samples;         /* committed, where the owner counts them */
	uint64_t samples_at;      /* so many wake; 0: samples are not counted */

	uint64_t tail;     /* the last good data_tail */
	uint64_t bad_tail; /* the last one that was refused */
	uint64_t tail_faults;

	uint64_t lost;     /* records of any event */
	uint64_t reported; /* of those, told in LOST records */
	uint64_t lost_records;
	uint64_t full; /* 1: the owner knows of this episode of fullness */

	uint8_t *scratch;              /* RING_LEVELS * max_record bytes, for records that wrap */
	uint64_t wrapped[RING_LEVELS]; /* where those belong */
	uint32_t max_record;           /* bytes */
};

struct ring_config {
	struct perf_event_mmap_page *control;
	void *data;
	uint64_t size;                /* a power of two, at least TR_PAGE; data is aligned to 8 */
	uint32_t flags;               /* TR_RING_* */
	uint32_t max_record;          /* bytes, a multiple of 8, at most UINT16_MAX and size */
	void *scratch;                /* RING_LEVELS * max_record bytes, aligned to 8 */
	struct ring_owner *owner;     /* may be NULL, and set later by ring_set_owner() */
	const struct tr_clock *clock; /* for the control page's conversion; may be NULL */
};

/* One record under way. On the writer's stack from ring_reserve() to ring_commit(); no function
 * that is not inline sees it, so that it lives in registers. */
struct ring_output {
	struct ring *ring;
	struct ring_account *account;
	uint32_t size;
	bool sample;
	bool wraps; /* it is built in scratch memory */
};

/* Prepare ring, its control page and its data. 0, or -EINVAL if the config breaks its own
 * rules. Thread. */
int ring_init(struct ring *ring, const struct ring_config *config);

/* Who is woken from now on, by which thresholds; NULL for nobody. On the ring's CPU. Thread. */
void ring_set_owner(struct ring *ring, struct ring_owner *owner);

/* Stop and restart output without touching the hardware: records of a paused ring are lost.
 * On the ring's CPU. Any context. */
void ring_pause(struct ring *ring);
void ring_resume(struct ring *ring);

/* Wake the owner, if there is one, for AUX or the end of a run. Any context. */
void ring_wake(struct ring *ring, enum tr_wakeup_cause cause);

/* The tick's look at whether the last wakeup was taken (ringbuf/owner.h). IRQ. */
void ring_tick(struct ring *ring);

/* Write the LOST record that is due, if there is room for it, without waiting for the next
 * record: for the tick and the end of a run. account: whose id and trailer it carries. On the
 * ring's CPU. Any context. */
void ring_report_lost(struct ring *ring, const struct ring_account *account);

/* Read data_tail as the host wrote it and take it if it is good; counts a fault if not.
 * Returns the last good one. Any context. */
uint64_t ring_tail(struct ring *ring);

/* Whether a record of size bytes of account's event would fit now, LOST before it included.
 * Any context. */
bool ring_fits(struct ring *ring, const struct ring_account *account, uint64_t size);

/* Slow halves of the functions below; nest has been raised. */
void *ring_reserve_slow(struct ring *ring, struct ring_account *account, uint32_t size);
void ring_put_wrapped(struct ring *ring, uint32_t size);
void ring_leave_slow(struct ring *ring, const struct ring_account *account);

/* Offset in data of the record [position, position + size). */
static inline uint64_t ring_offset(const struct ring *ring, uint64_t position, uint32_t size)
{
	return ((position ^ ring->flip) - ((size - 1) & ring->flip)) & ring->mask;
}

/* Both directions of "before": the compiler must not move accesses across. Against our own
 * handlers that is enough, they see this CPU's program order. */
static inline void ring_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline uint64_t ring_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Make head visible. Only while nest is ours alone. */
static inline void ring_publish(struct ring *ring, uint64_t head)
{
	ring->published = head;
	/* A: the records before the head; pairs with D in ring_reader.c. */
	__atomic_store_n(&ring->control->data_head, (head ^ ring->flip) - ring->flip,
	                 __ATOMIC_RELEASE);
}

/* One more for wakeup_events; when they are complete, send the outermost writer to the slow path.
 */
static inline void ring_count_sample(struct ring *ring)
{
	arch_add_local(&ring->samples, 1);
	if (ring_load(&ring->samples) >= ring->samples_at)
		__atomic_store_n(&ring->wakeup_at, 0, __ATOMIC_RELAXED);
}

/* A writer is done. The outermost publishes what it and those nested in it wrote. */
static inline void ring_leave(struct ring *ring, const struct ring_account *account)
{
	uint64_t head;

	ring_barrier();
	if (ring->nest > 1) {
		ring->nest--;
		return;
	}
	head = ring_load(&ring->head);
	ring_publish(ring, head);
	if (__builtin_expect(head >= ring_load(&ring->wakeup_at), 0)) {
		ring_leave_slow(ring, account);
		return;
	}
	ring_barrier();
	ring->nest = 0;
	ring_barrier();
	/* A handler between the load of head and nest = 0 left publishing to us. */
	if (__builtin_expect(ring_load(&ring->head) != head, 0) && !RING_FAULT(NO_REPUBLISH))
		ring_leave_slow(ring, account);
}

/* Take [head, end) unless a handler has taken some of it. */
static inline bool ring_advance(struct ring *ring, uint64_t head, uint64_t end)
{
	if (RING_FAULT(TORN_RESERVE)) {
		ring->head = end;
		return true;
	}
	return arch_cmpxchg_local(&ring->head, head, end);
}

static inline void *ring_reserve_any(struct ring_output *out, struct ring *ring,
                                     struct ring_account *account, uint32_t size)
{
	uint64_t head, offset;
	uint8_t *record;

	out->ring = ring;
	out->account = account;
	out->size = size;
	out->wraps = false;
	arch_add_local(&account->generated, 1);
	ring->nest++;
	ring_barrier();
	head = ring_load(&ring->head);
	offset = ring_offset(ring, head, size);
	if (__builtin_expect(head + size > ring_load(&ring->limit), 0) ||
	    __builtin_expect(offset + size > ring->mask + 1, 0) ||
	    __builtin_expect(!ring_advance(ring, head, head + size), 0)) {
		record = ring_reserve_slow(ring, account, size);
		out->wraps = (uint64_t)(record - ring->data) > ring->mask;
		return record;
	}
	if (RING_FAULT(EARLY_PUBLISH))
		ring_publish(ring, head + size);
	return ring->data + offset;
}

/*
 * Begin a record of size bytes, header included, a multiple of 8 and at most max_record.
 * Returns where to build it, all of it, aligned to 8; or NULL when it was lost (counted), and
 * then ring_commit() must not be called. Ring and account belong to this CPU. Any context,
 * nested in other writers or not.
 */
static inline void *ring_reserve(struct ring_output *out, struct ring *ring,
                                 struct ring_account *account, uint32_t size)
{
	out->sample = false;
	return ring_reserve_any(out, ring, account, size);
}

/* The same for a SAMPLE, whose period goes into the ledger and which wakeup_events counts. */
static inline void *ring_reserve_sample(struct ring_output *out, struct ring *ring,
                                        struct ring_account *account, uint32_t size,
                                        uint64_t period)
{
	void *record;

	out->sample = true;
	arch_add_local(&account->period, period);
	record = ring_reserve_any(out, ring, account, size);
	if (__builtin_expect(!record, 0))
		arch_add_local(&account->period_lost, period);
	return record;
}

/* The record is built: write what wraps, count it, and let the reader have it once no outer
 * writer is under way. */
static inline void ring_commit(struct ring_output *out)
{
	struct ring *ring = out->ring;

	if (__builtin_expect(out->wraps, 0))
		ring_put_wrapped(ring, out->size);
	arch_add_local(&out->account->written, 1);
	if (out->sample && ring->samples_at)
		ring_count_sample(ring);
	ring_leave(ring, out->account);
}

#endif
