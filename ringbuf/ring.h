/* SPDX-License-Identifier: MIT */
/*
 * A ring of perf records: written by the nesting contexts of one CPU, read by the host.
 *
 * Positions are free-running counts of bytes; position p lies at data[p & (size - 1)].
 *
 *	          data_tail          data_head         head
 *	   free       |  unread records   |  in flight  |          free
 *	--------------+-------------------+-------------+--------------------
 *	              '------------------- data_size --------------------'
 *
 * Writers nest (thread < IRQ < NMI): a writer that interrupts another one ends before that one
 * resumes. So only the outermost writer publishes data_head, and its own record always begins
 * there. One store to claim gives the record's place and length. The claim is good while published,
 * the private copy of data_head, has that place; it becomes invalid when published moves on. The
 * right column has the actions of a handler that comes before each step of the outermost writer:
 *
 *	at = published
 *	claim = {at, size}		is outermost itself, and publishes
 *	published == at, or begin anew	takes space behind the claim, publishes nothing
 *	build the record at at		the same
 *	data_head = at + size		the same
 *	published = at + size		the same
 *	head > published? publish it	is outermost itself, and publishes that as well
 *
 * Nested writers take space by compare-and-exchange on head, which counts only if it lies beyond
 * published. limit keeps all special cases away from this path: ring.c handles them.
 *
 * A writer that cannot be interrupted has a shorter path: ring_alone.h.
 *
 * tests/model/nest.pml has the steps, and the failure without each of them. Two pairs with the
 * reader (ringbuf/reader/ring_reader.c):
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

#include "abi/trace_region.h"
#include "arch/arch.h"
#include "ringbuf/fault.h"
#include "ringbuf/owner.h"

#define RING_LEVELS      4  /* writers on the general way at a time: thread, exception, IRQ, NMI */
#define RING_TRAILER_MAX 48 /* bytes: TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER */

/* The account of one event's records. All NMI-safe; see struct tr_event_ledger. */
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

/* A writer on its way, RING_GENERAL. */
struct ring_level {
	uint64_t position; /* of its record */
	uint32_t size;
	bool wraps;     /* it is built in scratch memory */
	bool outermost; /* and so publishes */
};

/* One CPU's ring: private memory of the firmware. A record that has nothing to wait for touches
 * the first nine words only. */
struct ring {
	uint64_t published; /* up to here readers see */
	uint64_t limit;     /* a record that ends beyond it takes the slow path: it may wrap, wake
	                       or not fit; 0: all records do, since LOST is due */
	uint64_t alone;     /* limit for ring_is_alone()'s writers; 0: backward, or samples wake */
	uint64_t claim;     /* the outermost writer's: its position << 32 | its size */
	uint64_t head;      /* if beyond published: nested writers have reserved up to here */
	uint64_t mask;      /* size - 1 */
	uint8_t *data;
	struct perf_event_mmap_page *control;
	uint64_t flip; /* all ones: backward */
	uint64_t size; /* of data, bytes, a power of two of pages */
	uint32_t nest; /* levels in use */

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

	uint64_t reserve;               /* bytes; 0: nobody waits for room */
	void (*low)(struct ring *ring); /* fewer than reserve are free; ring_set_reserve() */
	uint64_t near; /* mask; 0: no writer takes the fast paths. Before the first */

	struct ring_level levels[RING_LEVELS];
	uint8_t *scratch;    /* RING_LEVELS * max_record bytes, for records that wrap */
	uint32_t max_record; /* bytes */
};

struct ring_config {
	struct perf_event_mmap_page *control;
	void *data;                   /* aligned to 8 */
	uint64_t size;                /* a power of two, TR_PAGE to TR_RING_SIZE_MAX */
	uint32_t flags;               /* TR_RING_* */
	uint32_t max_record;          /* bytes, a multiple of 8, at most UINT16_MAX and size */
	void *scratch;                /* RING_LEVELS * max_record bytes, aligned to 8 */
	struct ring_owner *owner;     /* may be NULL, and set later by ring_set_owner() */
	const struct tr_clock *clock; /* for the control page's conversion; may be NULL */
};

/* The ways to write a record. */
enum ring_way {
	RING_OUTERMOST, /* with nothing to wait for */
	RING_NESTED,    /* the same within another's */
	RING_GENERAL,   /* with a level: it may wrap, wait for room, be lost, come after LOST */
};

/* The reserved space; no record if it is lost. */
struct ring_slot {
	void *record;
	uint64_t way; /* enum ring_way, filling its register: gcc builds this in memory */
};

/* One record under way. On the writer's stack from ring_reserve() to ring_commit(); no function
 * that is not inline sees it, so that it lives in registers. */
struct ring_output {
	struct ring *ring;
	struct ring_account *account;
	uint64_t end; /* of its record, if it is RING_OUTERMOST */
	enum ring_way way;
	bool sample;
};

/* Off the path of a record that has nothing to wait for. */
#define RING_RARE(condition) __builtin_expect(condition, 0)
#define RING_FAST            static inline __attribute__((always_inline))

/* Prepare ring and its control page, and clear the data of a backward ring, which is read up to the
 * first 0; a forward ring's stays as it is, as nobody reads what was not written. 0, or -EINVAL if
 * the config breaks its own rules. Thread. */
int ring_init(struct ring *ring, const struct ring_config *config);

/* Set the owner that is woken from now on, and its thresholds; NULL: none. On the ring's CPU.
 * Thread. */
void ring_set_owner(struct ring *ring, struct ring_owner *owner);

/* Have low called after each record that leaves less than reserve bytes (at most a quarter of the
 * ring) for others: in its writer's context, when it is published. Such records take the slow
 * paths. Of a forward ring. On the ring's CPU. Thread. */
void ring_set_reserve(struct ring *ring, uint64_t reserve, void (*low)(struct ring *ring));

/* Bytes that are free, what is reserved and not yet committed taken for used. Takes data_tail, if
 * it is good. On the ring's CPU. Any context. */
uint64_t ring_room(struct ring *ring);

/* Wake the owner, if there is one, for AUX or the end of a run. Any context. */
static inline void ring_wake(struct ring *ring, enum tr_wakeup_cause cause)
{
	if (ring->owner)
		ring_owner_wake(ring->owner, cause);
}

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

/* The functions below for all that has something to look at. */
struct ring_slot ring_reserve_slow(struct ring *ring, struct ring_account *account, uint32_t size);
void ring_commit_slow(struct ring *ring, struct ring_account *account, bool sample);

/* Publish all that is reserved, and wake if that is due. Only the outermost writer. */
void ring_publish(struct ring *ring, const struct ring_account *account);

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

/* The same for a comparison only: gcc makes it that instruction's operand, as it does with no
 * atomic. Between barriers, and used once, it is one load all the same. */
static inline uint64_t ring_look(const uint64_t *word)
{
	return *word;
}

/* Whether a claim is good. 32 bits of its position are enough: published is never more than a ring
 * beyond the last one, as what would wrap goes the general way, and a ring is smaller than that. */
static inline bool ring_is_good(uint64_t claim, uint64_t published)
{
	return (uint32_t)(claim >> 32) == (uint32_t)published;
}

/* How many bytes are claimed from published on. */
static inline uint64_t ring_claimed(uint64_t claim, uint64_t published)
{
	return ring_is_good(claim, published) ? (uint32_t)claim : 0;
}

/* Whether a writer is under way. */
static inline bool ring_is_writing(const struct ring *ring)
{
	uint64_t claim = ring_load(&ring->claim);

	ring_barrier(); /* in this order: a handler's claim of the position before fits no more */
	return ring_is_good(claim, ring_load(&ring->published));
}

/* From now on every record is looked at. */
static inline void ring_close(struct ring *ring)
{
	ring->alone = 0;
	__atomic_store_n(&ring->limit, 0, __ATOMIC_RELAXED);
}

static inline void ring_show_head(struct ring *ring, uint64_t head)
{
	/* A: the records before the head; pairs with D in ring_reader.c. */
	__atomic_store_n(&ring->control->data_head, head, __ATOMIC_RELEASE);
	ring_barrier();
}

/* Show the reader all before end. Only the outermost writer. */
static inline void ring_show(struct ring *ring, uint64_t end)
{
	ring_show_head(ring, (end ^ ring->flip) - ring->flip);
}

/* One more is built, and perhaps for wakeup_events; when they are complete, the outermost writer
 * is sent to ring_publish(). */
static inline void ring_count_written(struct ring *ring, struct ring_account *account, bool sample)
{
	arch_add_local(&account->written, 1);
	if (sample && ring->samples_at) {
		arch_add_local(&ring->samples, 1);
		if (ring_load(&ring->samples) >= ring->samples_at)
			ring_close(ring);
	}
	ring_barrier();
}

/* Claim [at, at + size) unless a writer is under way, what others reserved is not published yet,
 * or something has to be looked at. The order is free: a handler that writes also publishes, and
 * what else it changes is looked at when the record is committed. */
RING_FAST bool ring_claim(struct ring *ring, uint64_t at, uint32_t size)
{
	if (RING_RARE(at + size > ring_look(&ring->limit)) ||
	    RING_RARE(ring_look(&ring->head) > at) ||
	    RING_RARE(ring_is_good(ring_look(&ring->claim), at)))
		return false;
	ring->claim = at << 32 | size;
	ring_barrier();
	/* A handler before that was outermost, and may have published over us. */
	return !RING_RARE(ring_look(&ring->published) != at) || RING_FAULT(TORN_RESERVE);
}

/* ring_reserve() of a record that has nothing to wait for; NULL for any other, and then nothing
 * has happened. For a writer whose way with ring_reserve() is a function of its own: where this
 * one calls nothing, its values stay in registers. */
RING_FAST void *ring_try(struct ring_output *out, struct ring *ring, struct ring_account *account,
                         uint32_t size)
{
	uint64_t at = ring_load(&ring->published);
	void *record;

	ring_barrier();
	*out = (struct ring_output){ .ring = ring, .account = account, .end = at + size };
	if (RING_RARE(!ring_claim(ring, at, size)))
		return NULL;
	arch_add_local(&account->generated, 1);
	if (RING_FAULT(EARLY_PUBLISH))
		ring_show(ring, out->end);
	record = ring->data + ring_offset(ring, at, size);
	if (!record)
		__builtin_unreachable(); /* so that it is not asked for again */
	return record;
}

/*
 * Begin a record of size bytes, header included, a multiple of 8 and at most max_record.
 * Returns where to build it, all of it, aligned to 8; or NULL when it was lost (counted), and
 * then ring_commit() must not be called. Ring and account belong to this CPU. Any context,
 * nested in other writers or not.
 */
RING_FAST void *ring_reserve(struct ring_output *out, struct ring *ring,
                             struct ring_account *account, uint32_t size)
{
	struct ring_slot slot = { ring_try(out, ring, account, size), RING_OUTERMOST };

	if (RING_RARE(!slot.record))
		slot = ring_reserve_slow(ring, account, size);
	out->way = slot.way;
	return slot.record;
}

/* The same for a SAMPLE, whose period goes into the ledger and which wakeup_events counts. */
RING_FAST void *ring_reserve_sample(struct ring_output *out, struct ring *ring,
                                    struct ring_account *account, uint32_t size, uint64_t period)
{
	void *record;

	arch_add_local(&account->period, period);
	record = ring_reserve(out, ring, account, size);
	out->sample = true;
	if (RING_RARE(!record))
		arch_add_local(&account->period_lost, period);
	return record;
}

/* The record is built: count it, and let the reader have it once no outer writer is under way. */
RING_FAST void ring_commit(struct ring_output *out)
{
	struct ring *ring = out->ring;
	uint64_t end = out->end;

	if (RING_RARE(out->way != RING_OUTERMOST)) {
		if (out->way == RING_NESTED)
			ring_count_written(ring, out->account, out->sample);
		else
			ring_commit_slow(ring, out->account, out->sample);
		return;
	}
	ring_count_written(ring, out->account, out->sample);
	if (RING_RARE(ring_look(&ring->head) > end)) {
		ring_barrier();               /* or gcc chooses without a jump, each time */
		end = ring_load(&ring->head); /* and what was nested in it */
	}
	ring_barrier(); /* limit after head: it tells of what was nested */
	if (RING_RARE(end > ring_look(&ring->limit))) {
		ring_publish(ring, out->account);
		return;
	}
	ring_show(ring, end);
	ring->published = end;
	ring_barrier();
	/* A handler that came while claim was still good left publishing to us. */
	if (RING_RARE(ring_look(&ring->head) > end) && !RING_FAULT(NO_REPUBLISH))
		ring_publish(ring, out->account);
}

#endif
