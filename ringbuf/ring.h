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
 * Writers nest (thread < IRQ < NMI): a writer that interrupts another writer ends before the other
 * resumes. So only the outermost writer publishes data_head, and its own record always begins
 * there. One store to claim holds the record's place and length. The claim is valid while
 * published, the private copy of data_head, equals that place. In the right column: the effect of a
 * handler that runs just before each step of the outermost writer:
 *
 *	at = published
 *	claim = {at, size}		is outermost itself, and publishes
 *	published == at, or begin anew	takes space behind the claim, publishes nothing
 *	build the record at at		the same
 *	data_head = at + size		the same
 *	published = at + size		the same
 *	head > published? publish it	is outermost itself, and publishes that as well
 *
 * Nested writers take space by compare-and-exchange on head, which is valid only if it is beyond
 * published. limit sends every special case to ring.c, away from this path.
 *
 * A writer that cannot be interrupted has a shorter path: ring_alone.h.
 *
 * tests/model/nest.pml models the steps and shows the failure without each of them. Two barrier
 * pairs with the reader (ringbuf/reader/ring_reader.c):
 *
 *	firmware			reader
 *	load data_tail			load data_head
 *	acquire			(B)	acquire			(D)
 *	write records			read records
 *	release			(A)	release			(C)
 *	store data_head			store data_tail
 *
 * A pairs with D: a reader that sees the head sees the records before it. B pairs with C: the
 * firmware overwrites a record only after the reader has read it.
 *
 * An overwritable ring (TR_RING_BACKWARD) counts the same way, but position p lies at data[-p &
 * (size - 1)], and data_head is -head: the newest record's header. At most a quarter of the ring is
 * in flight ahead of data_head. So a live reader gets only valid records if it skips the oldest
 * quarter and checks data_head after each copy:
 *
 *	firmware, every quarter		reader
 *	store data_head			copy a record
 *	release			(G)	acquire			(H)
 *	write records over old ones	load data_head
 *
 * The only word that the firmware reads from the shared pages is data_tail, which it checks.
 */
#ifndef RINGBUF_RING_H
#define RINGBUF_RING_H

#include "abi/trace_region.h"
#include "arch/arch.h"
#include "ringbuf/fault.h"
#include "ringbuf/owner.h"

/* concurrent writers on the general path: thread, exception, IRQ, NMI */
#define RING_LEVELS      4
#define RING_TRAILER_MAX 48 /* bytes: TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER */

/* The counts of one event's records. All NMI-safe; see struct tr_event_ledger. */
struct ring_account {
	uint64_t id; /* perf's id, for LOST records */
	uint64_t generated;
	uint64_t written;
	uint64_t lost;
	uint64_t period; /* sum over all samples */
	uint64_t period_lost;
	/* The event's sample_id_all trailer: its size (a multiple of 8, 0 for none, at most
	 * RING_TRAILER_MAX), and the function that fills it in. LOST records need it. Any context.
	 */
	uint32_t trailer_size;
	void (*trailer)(const struct ring_account *account, void *to);
};

/* A RING_GENERAL writer under way. */
struct ring_level {
	uint64_t position; /* position of its record */
	uint32_t size;
	bool wraps;     /* the record is built in scratch memory */
	bool outermost; /* the outermost writer, which publishes */
};

/* One CPU's ring: private memory of the firmware. The fast path uses only the first nine words. */
struct ring {
	uint64_t published; /* readers see all records before this position */
	/* a record that ends beyond it takes the slow path, because it may wrap, wake or not fit;
	 * 0: all records do, because a LOST record is due */
	uint64_t limit;
	uint64_t alone; /* limit for ring_is_alone(); 0: backward, or samples wake */
	uint64_t claim; /* the outermost writer's: position << 32 | size */
	uint64_t head;  /* if beyond published: nested writers have reserved up to here */
	uint64_t mask;  /* size - 1 */
	uint8_t *data;
	struct perf_event_mmap_page *control;
	uint64_t flip; /* all ones: backward */
	uint64_t size; /* of data, bytes, a power of two of pages */
	uint32_t nest; /* levels in use */

	struct ring_owner *owner; /* NULL: no wakeups */
	uint64_t wakeup_step;     /* bytes between wakeups; 0: no wakeups by bytes */
	uint64_t wakeup_bytes;    /* position of the next wakeup by bytes */
	uint64_t samples;         /* committed samples, if the owner counts them */
	uint64_t samples_at;      /* the sample count that wakes; 0: samples are not counted */

	uint64_t tail;     /* the last valid data_tail */
	uint64_t bad_tail; /* the last refused data_tail */
	uint64_t tail_faults;

	uint64_t lost;     /* lost records of all events */
	uint64_t reported; /* lost records that LOST records have reported */
	uint64_t lost_records;
	uint64_t full; /* 1: the owner was notified that the ring is full */

	uint64_t reserve;               /* bytes; 0: no reserve */
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
	RING_OUTERMOST, /* on the fast path */
	RING_NESTED,    /* on the fast path, nested within another writer */
	RING_GENERAL,   /* with a level: may wrap, wait for room, be lost, follow LOST */
};

/* The reserved space; record is NULL if the record is lost. */
struct ring_slot {
	void *record;
	uint64_t way; /* enum ring_way, as wide as a register, or gcc builds it in memory */
};

/* One record under way, on the writer's stack from ring_reserve() to ring_commit(). Only inline
 * functions use it, so the compiler keeps it in registers. */
struct ring_output {
	struct ring *ring;
	struct ring_account *account;
	uint64_t end; /* end of the record, if RING_OUTERMOST */
	enum ring_way way;
	bool sample;
};

/* Marks a condition that is false on the fast path. */
#define RING_RARE(condition) __builtin_expect(condition, 0)
#define RING_FAST            static inline __attribute__((always_inline))

/* Prepares ring and its control page. Clears a backward ring's data, because its reader stops at
 * the first 0; a forward ring's reader never reads unwritten data. 0; -EINVAL: the config is
 * invalid. Thread. */
int ring_init(struct ring *ring, const struct ring_config *config);

/* Sets the owner to wake from now on, and its thresholds; NULL: none. On the ring's CPU. Thread. */
void ring_set_owner(struct ring *ring, struct ring_owner *owner);

/* Only for a forward ring: low is called after each record that leaves less than reserve bytes (at
 * most a quarter of the ring) free, in the writer's context, once the record is published. Such
 * records take the slow path. On the ring's CPU. Thread. */
void ring_set_reserve(struct ring *ring, uint64_t reserve, void (*low)(struct ring *ring));

/* Returns the free bytes. Reserved bytes count as used, even if not committed. Reads data_tail and
 * accepts it if valid. On the ring's CPU. Any context. */
uint64_t ring_room(struct ring *ring);

/* Wakes the owner, if any, for AUX or the end of a run. Any context. */
static inline void ring_wake(struct ring *ring, enum tr_wakeup_cause cause)
{
	if (ring->owner)
		ring_owner_wake(ring->owner, cause);
}

/* Checks at a tick whether the reader has taken the last wakeup (ringbuf/owner.h). IRQ. */
void ring_tick(struct ring *ring);

/* Writes the LOST record that is due, if it fits, without waiting for the next record. For the tick
 * and the end of a run. account: provides the record's id and trailer. On the ring's CPU. Any
 * context. */
void ring_report_lost(struct ring *ring, const struct ring_account *account);

/* Reads data_tail and accepts it if valid; counts a fault if not. Returns the last valid tail. Any
 * context. */
uint64_t ring_tail(struct ring *ring);

/* Reports whether a record of size bytes of account's event fits now, including a LOST record
 * before it. Any context. */
bool ring_fits(struct ring *ring, const struct ring_account *account, uint64_t size);

/* The slow path of the functions below. */
struct ring_slot ring_reserve_slow(struct ring *ring, struct ring_account *account, uint32_t size);
void ring_commit_slow(struct ring *ring, struct ring_account *account, bool sample);

/* Publishes all reserved records and wakes the owner if due. Only the outermost writer. */
void ring_publish(struct ring *ring, const struct ring_account *account);

/* Offset in data of the record [position, position + size). */
static inline uint64_t ring_offset(const struct ring *ring, uint64_t position, uint32_t size)
{
	return ((position ^ ring->flip) - ((size - 1) & ring->flip)) & ring->mask;
}

/* The compiler must not move accesses across, in either direction. This suffices for handlers on
 * the same CPU, because they see its program order. */
static inline void ring_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline uint64_t ring_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* A load for a comparison only: gcc folds it into the compare instruction, which it never does with
 * an atomic load. Between barriers, and used once, it is still a single load. */
static inline uint64_t ring_look(const uint64_t *word)
{
	return *word;
}

/* Reports whether a claim is valid. 32 bits of the position suffice: published advances by at most
 * one ring between looks, because a wrapping record takes the general path, and a ring is smaller
 * than 2^32. */
static inline bool ring_is_good(uint64_t claim, uint64_t published)
{
	return (uint32_t)(claim >> 32) == (uint32_t)published;
}

/* Returns the bytes claimed from published on. */
static inline uint64_t ring_claimed(uint64_t claim, uint64_t published)
{
	return ring_is_good(claim, published) ? (uint32_t)claim : 0;
}

/* Reports whether a writer is under way. */
static inline bool ring_is_writing(const struct ring *ring)
{
	uint64_t claim = ring_load(&ring->claim);

	ring_barrier(); /* keeps this order: a handler's claim at an old position is then invalid */
	return ring_is_good(claim, ring_load(&ring->published));
}

/* Sends every record from now on to the slow path. */
static inline void ring_close(struct ring *ring)
{
	ring->alone = 0;
	__atomic_store_n(&ring->limit, 0, __ATOMIC_RELAXED);
}

static inline void ring_show_head(struct ring *ring, uint64_t head)
{
	/* A: the records before the head are complete; pairs with D in ring_reader.c. */
	__atomic_store_n(&ring->control->data_head, head, __ATOMIC_RELEASE);
	ring_barrier();
}

/* Shows the reader all records before end. Only the outermost writer. */
static inline void ring_show(struct ring *ring, uint64_t end)
{
	ring_show_head(ring, (end ^ ring->flip) - ring->flip);
}

/* Counts one more sample for wakeup_events. When enough are complete, sends the outermost writer to
 * ring_publish(). */
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

/* Claims [at, at + size), unless a writer is under way, nested records are unpublished, or the slow
 * path is needed. The order of the checks is free: a handler that writes also publishes, and
 * ring_commit() checks its other effects. */
RING_FAST bool ring_claim(struct ring *ring, uint64_t at, uint32_t size)
{
	if (RING_RARE(at + size > ring_look(&ring->limit)) ||
	    RING_RARE(ring_look(&ring->head) > at) ||
	    RING_RARE(ring_is_good(ring_look(&ring->claim), at)))
		return false;
	ring->claim = at << 32 | size;
	ring_barrier();
	/* A handler that ran before the claim was outermost, and may have published past this
	 * place. */
	return !RING_RARE(ring_look(&ring->published) != at) || RING_FAULT(TORN_RESERVE);
}

/* ring_reserve() on the fast path only; NULL, with nothing changed, for a record that needs the
 * slow path. For a writer that calls ring_reserve() in a separate function: this function makes no
 * calls, so the writer's values stay in registers. */
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
		__builtin_unreachable(); /* so that gcc does not test it again */
	return record;
}

/*
 * Begins a record of size bytes, header included: a multiple of 8, at most max_record. Returns the
 * memory for the whole record, aligned to 8; or NULL if the record is lost (and counted), and then
 * ring_commit() must not be called. Ring and account belong to this CPU. Any context; may interrupt
 * other writers.
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

/* The same for a SAMPLE: its period goes into the ledger, and wakeup_events counts it. */
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

/* Ends a record that is built: counts it, and shows it to the reader if no outer writer is under
 * way. */
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
		ring_barrier();               /* else gcc uses a conditional move each time */
		end = ring_load(&ring->head); /* includes nested records */
	}
	ring_barrier(); /* limit after head: limit reflects nested records */
	if (RING_RARE(end > ring_look(&ring->limit))) {
		ring_publish(ring, out->account);
		return;
	}
	ring_show(ring, end);
	ring->published = end;
	ring_barrier();
	/* A handler that ran while the claim was valid has left its record for this writer to
	 * publish. */
	if (RING_RARE(ring_look(&ring->head) > end) && !RING_FAULT(NO_REPUBLISH))
		ring_publish(ring, out->account);
}

#endif
