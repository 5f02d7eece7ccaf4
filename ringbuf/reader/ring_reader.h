/* SPDX-License-Identifier: MIT */
/*
 * The reader's side of a ring (ringbuf/ring.h draws the barriers of both sides): walks records
 * forward from data_tail, or an overwritable ring from its newest record to its oldest.
 *
 * It works on a mapped region, live or dead, as well as on a mirror that a slow channel keeps:
 * whoever fills a mirror copies a head, then the records up to it, and only then shows the head to
 * us (writer/region/channel.h), and carries data_tail back. Nothing that the ring says is
 * believed: a chain that cannot be true is refused with its offset and the reason, and so is every
 * record after it. No byte is read twice, and what the caller gets is a copy: it stays as it was
 * checked, whatever is written to the ring.
 *
 * Thread-safe as one reader a ring, beside a writer on another CPU.
 */
#ifndef RINGBUF_READER_RING_READER_H
#define RINGBUF_READER_RING_READER_H

#include <stdbool.h>

#include "abi/trace_region.h"

#define RING_READER_RECORD 65536U /* bytes that a record always has room in */

/* Where a ring is wrong, and why. */
struct ring_error {
	uint64_t position;  /* free-running, as data_tail counts */
	uint64_t offset;    /* the same in the data area */
	const char *reason; /* static text; NULL: nothing is wrong */
};

struct ring_reader {
	struct perf_event_mmap_page *control;
	const uint8_t *data;
	uint64_t size;
	bool backward;
	bool still;        /* the caller's: the run is over, so nothing is in flight */
	uint64_t head;     /* as last read; backward: bytes written, -data_head */
	uint64_t position; /* of the next record; backward: bytes from the newest one's start */
	uint64_t began;    /* position at which reading began: not 0 if another reader was here */
	uint64_t seen;     /* backward: head at the last snapshot */
	struct ring_error error;
	uint64_t scratch[RING_READER_RECORD / 8]; /* the record that ring_reader_next() gave */
};

/* Begin at the tail that the last reader left. control and data are where tr_ring's offsets
 * point; size and flags (TR_RING_*) are tr_ring's, too, checked against the region's size by the
 * caller. 0; -EINVAL if the size is no power of two of pages; -EILSEQ, and error says where and
 * why, if head and tail cannot be true. */
int ring_reader_init(struct ring_reader *reader, struct perf_event_mmap_page *control,
                     const void *data, uint64_t size, uint32_t flags);

/* Read data_head again. Backward: begin a new snapshot, of what came since the last one of which
 * anything was taken.
 * The number of bytes to read, or -EILSEQ. */
int64_t ring_reader_refresh(struct ring_reader *reader);

/*
 * Copy the next record up to the head of the last refresh to `to`, 8-byte aligned and with room for
 * RING_READER_RECORD bytes. Its size; 0 at the end; -EILSEQ if the chain is broken, and error says
 * why. Backward: newest first; a record that was overwritten while it was read ends the snapshot.
 */
int ring_reader_take(struct ring_reader *reader, void *to);

/* The same with a place of the reader's own, valid until the next call: 1 and *record, 0, or
 * -EILSEQ. */
int ring_reader_next(struct ring_reader *reader, const struct perf_event_header **record);

/* Read a forward ring on from this position, which lies between its tail and its head; what was
 * wrong behind it is met again. */
void ring_reader_resume(struct ring_reader *reader, uint64_t position);

/* How much may be given back: *tail is the position of the next record. False for a backward ring,
 * and a broken one, which have nothing to give back. */
bool ring_reader_tail(const struct ring_reader *reader, uint64_t *tail);

/* Give that back: store it to data_tail. */
void ring_reader_release(struct ring_reader *reader);

/* The reader's half of the handshake that ringbuf/owner.h draws: clear the pending word of a
 * doorbell in the machine's memory; was it set? The heads are looked at after this: who has then
 * read up to them sleeps through nothing. Any thread. */
bool ring_reader_clear(uint32_t *pending);

#endif
