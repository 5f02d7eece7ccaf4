/* SPDX-License-Identifier: MIT */
/*
 * A ring with its writers and its reader, for the tests of ringbuf/. Each record has its event's
 * running number, counted before space is reserved, and a pattern that depends on it. So the reader
 * detects whether records are complete and in order, and each gap in the numbers must be a lost
 * record in the ledger.
 */
#ifndef TESTS_UNIT_RINGBUF_RING_RIG_H
#define TESTS_UNIT_RINGBUF_RING_RIG_H

#include "ringbuf/ledger.h"
#include "ringbuf/reader/ring_reader.h"
#include "ringbuf/ring.h"

#define RIG_EVENTS     3
#define RIG_MAX_RECORD 2048
#define RIG_MIN_RECORD 32 /* header, id, period, number */

struct rig_event {
	struct ring_account account;
	uint64_t number;   /* the writer's: number of records begun */
	uint64_t expected; /* the reader's: number of the next record */
	uint64_t delivered;
	uint64_t gaps;
	uint64_t period;
};

struct rig {
	struct ring ring;
	struct ring_owner owner;
	struct tr_doorbell doorbell;
	struct perf_event_mmap_page *control;
	uint8_t *data;
	uint64_t scratch[RING_LEVELS * RIG_MAX_RECORD / 8];
	struct rig_event events[RIG_EVENTS];
	struct ring_reader reader;
	uint64_t reported; /* lost records, reported by the LOST records that were read */
	uint64_t lost_records;
	uint64_t alone; /* records whose writer took the path without interruptions */
	/* calls of owner.notify, counted separately from the ring's own counts */
	uint64_t notified;
	/* If set, rig_write() calls it where a handler may come; nested is one more. */
	void (*interrupt)(struct rig *rig, unsigned nested);
};

/* A new ring of so many bytes, whose reader is at its start. */
void rig_init(struct rig *rig, uint64_t size, uint32_t flags, uint32_t events, uint32_t watermark);
void rig_free(struct rig *rig);

/* Write one record of the event; nested is the number of writers under way. Returns false if it was
 * lost. */
bool rig_write(struct rig *rig, unsigned event, uint32_t size, unsigned nested);

/* The same on the path for a writer that is not interrupted and has interrupted none. */
bool rig_write_alone(struct rig *rig, unsigned event, uint32_t size);

/* Read up to so many records and free them. Returns NULL, or an error. */
const char *rig_drain(struct rig *rig, uint64_t records);

/* As a reader does before it sleeps: clear the doorbell and look again. Returns true if nothing
 * came. */
bool rig_may_sleep(struct rig *rig);

/* With nothing in flight and everything read: NULL, or the equation that does not hold. */
const char *rig_check(const struct rig *rig);

/* splitmix64: the next random number of *state. */
uint64_t rig_random(uint64_t *state);

#endif
