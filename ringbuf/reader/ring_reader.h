/* SPDX-License-Identifier: MIT */
/*
 * The reader's side of a ring (ringbuf/ring.h draws the barriers of both sides). It walks a ring's
 * records forward from data_tail, or an overwritable ring's from newest to oldest.
 *
 * It works on a mapped region, live or dead, and on a mirror behind a slow channel. The code that
 * fills a mirror copies a head, then the records before that head, and only then shows the head to
 * the reader (writer/region/channel.h); it carries data_tail back. The reader trusts nothing in the
 * ring: it refuses an impossible chain, and every record after it, and reports the offset and the
 * reason. It reads no byte twice, and gives the caller a copy: later writes to the ring cannot
 * change a checked record.
 *
 * Thread-safe for one reader per ring, beside a writer on another CPU.
 */
#ifndef RINGBUF_READER_RING_READER_H
#define RINGBUF_READER_RING_READER_H

#include <stdbool.h>

#include "abi/trace_region.h"

#define RING_READER_RECORD 65536U /* a buffer of this size holds any record */

/* Where a ring is corrupt, and why. */
struct ring_error {
	uint64_t position;  /* free-running, as data_tail counts */
	uint64_t offset;    /* the same position as an offset in the data area */
	const char *reason; /* static text; NULL: no error */
};

struct ring_reader {
	struct perf_event_mmap_page *control;
	const uint8_t *data;
	uint64_t size;
	bool backward;
	bool still;    /* set by the caller: the run is over, so no record is in flight */
	uint64_t head; /* as last read; backward: bytes written, -data_head */
	/* position of the next record; backward: bytes from the newest record's start */
	uint64_t position;
	/* the first position that was read; not 0: another reader was here before */
	uint64_t began;
	uint64_t seen; /* backward: head at the last snapshot */
	struct ring_error error;
	uint64_t scratch[RING_READER_RECORD / 8]; /* the record that ring_reader_next() returned */
};

/* Begins at the tail that the last reader stored. control and data are at tr_ring's offsets; size
 * and flags (TR_RING_*) are tr_ring's. The caller has checked them against the region's size. 0;
 * -EINVAL: the size is not a power of two of pages; -EILSEQ: head and tail are impossible, and
 * error has the place and the reason. */
int ring_reader_init(struct ring_reader *reader, struct perf_event_mmap_page *control,
                     const void *data, uint64_t size, uint32_t flags);

/* Reads data_head again. Backward: begins a new snapshot, which covers the records since the last
 * snapshot from which a record was taken. Returns the number of bytes to read, or -EILSEQ. */
int64_t ring_reader_refresh(struct ring_reader *reader);

/*
 * Copies the next record before the last refresh's head to `to`, which is aligned to 8 and has
 * RING_READER_RECORD bytes. Returns the record's size; 0 at the end; -EILSEQ: the chain is broken,
 * and error has the reason. Backward: newest first; a record that was overwritten during the read
 * ends the snapshot.
 */
int ring_reader_take(struct ring_reader *reader, void *to);

/* The same into the reader's own buffer, valid until the next call. Returns 1 and *record, 0, or
 * -EILSEQ. */
int ring_reader_next(struct ring_reader *reader, const struct perf_event_header **record);

/* Continues a forward ring from this position, between tail and head. If the chain is broken after
 * it, the reader finds the same error again. */
void ring_reader_resume(struct ring_reader *reader, uint64_t position);

/* Sets *tail to the position of the next record, up to which the space can be released. False: the
 * ring is backward or broken, so nothing can be released. */
bool ring_reader_tail(const struct ring_reader *reader, uint64_t *tail);

/* Releases that space: stores tail to data_tail. */
void ring_reader_release(struct ring_reader *reader);

/* The reader's half of the handshake that ringbuf/owner.h draws: clears a doorbell's pending word
 * in the machine's memory and returns whether it was set. Read the heads only afterwards: then a
 * reader that has read all data before the heads can sleep and misses nothing. Any thread. */
bool ring_reader_clear(uint32_t *pending);

#endif
