/* SPDX-License-Identifier: MIT */
/*
 * Both sides' counts of a recording: the records that the firmware generated, wrote and lost, and
 * the records that the reader found by parsing. The ledger is part of perf.data
 * (writer/perfdata/perf_footer.h), so that anyone can check the file again: `bareperf dump` counts
 * its records again.
 */
#ifndef WRITER_LEDGER_LEDGER_H
#define WRITER_LEDGER_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/region/region.h"
#include "writer/util/blob.h"
#include "writer/util/error.h"

#define LEDGER_MAGIC   0x52454744454c5042ULL /* the bytes "BPLEDGER" */
#define LEDGER_VERSION 3U
#define LEDGER_VERSION_JOINED \
	4U /* LEDGER_VERSION 4 with a struct ledger_ring_before for each ring, after the rings */

#define LEDGER_INTERRUPTED (1U << 0) /* the reader stopped before the machine had ended */
#define LEDGER_CUT         (1U << 1) /* records that had not reached memory are not here */
#define LEDGER_TORN        (1U << 2) /* the machine's side is not from one moment */

/* The reader's counts of an event's records. */
struct ledger_found {
	uint64_t delivered; /* records of all types except LOST */
	uint64_t samples;   /* of those */
	uint64_t period;    /* sum of the samples' PERIODs */
	uint64_t elsewhere; /* records that another reader took before us */
	/* Of the delivered records: those that are newer than the ledger of a machine that did not
	 * end. */
	uint64_t newer;
	uint64_t newer_period;
	/* If the reader joined a running recording: */
	uint64_t elsewhere_period; /* of the records elsewhere */
	uint64_t lost_before;      /* records, of all that the event lost */
};

/* The reader's counts of a ring. */
struct ledger_ring_found {
	uint64_t head;         /* data_head at the end */
	uint64_t tail;         /* the reader's position */
	uint64_t lost;         /* sum of the LOST records */
	uint64_t lost_records; /* LOST records */
	uint64_t aux_records;
	uint64_t aux_truncated; /* of those, with the flag */
	uint64_t aux_delivered; /* bytes */
	uint64_t aux_unread;    /* bytes */
	uint64_t wakeups;       /* doorbells that were seen ringing */
	uint64_t ledger_fits;   /* 1: the ledger is final, or newer records were counted */
	uint64_t newer_lost;    /* lost and lost_records that are newer than the ledger */
	uint64_t newer_lost_records;
	uint64_t has_bell; /* 1: rung is known */
	/* how often its doorbell rang; if rings share one, this is counted in the first */
	uint64_t rung;
	uint64_t aux_partial;    /* of aux_records, with PARTIAL */
	uint64_t aux_collisions; /* of aux_records, with COLLISION */
};

/* A joined ring's counts before the join: reported losses, and records read by others. */
struct ledger_ring_before {
	uint64_t lost, lost_records; /* LOST records that another reader took */
	/* place in the AUX area where this reader began; 0: at its first byte */
	uint64_t aux;
	uint64_t reserved;
};

/* In perf.data: this head, then the CPUs, the events, the rings. */
struct ledger_head {
	uint64_t magic;
	uint32_t version;
	uint32_t event_count;
	uint32_t ring_count;
	uint32_t state; /* enum tr_state at the end */
	int32_t status;
	uint32_t interrupted; /* LEDGER_INTERRUPTED; after a reset LEDGER_CUT, LEDGER_TORN */
	uint32_t cpu_count;
	uint32_t reader_found; /* enum tr_reader_found, from the machine */
	uint64_t run;
	uint64_t nonce;
	struct tr_clock clock;
	char message[1024];
	uint64_t line_faults; /* line_faults of tr_header, counted since the machine's boot */
};

struct ledger_event {
	struct tr_event event;
	struct tr_event_ledger ledger;
	struct ledger_found found;
};

struct ledger_ring {
	struct tr_ring ring;
	struct tr_ring_ledger ledger;
	struct ledger_ring_found found;
};

struct ledger {
	struct ledger_head head;
	struct tr_cpu *cpus; /* with the cost of their ticks */
	struct ledger_event *events;
	struct ledger_ring *rings;
	struct ledger_ring_before
	    *before;        /* one per ring; NULL: the reader was there from the start */
	bool of_region;     /* unread records are still there; not stored */
	uint64_t strangers; /* records without a known event, except LOST and synthesized ones */
	uint32_t *slots;    /* hash table: index of an event + 1, 0 is free */
	uint32_t slot_mask;
};

/* Make the ledger of a loaded region's events and rings; the reader's counts are 0. */
int ledger_init(struct ledger *ledger, const struct region *region, struct error *error);

/* The reader joins a running recording: allocate the counts from before the join, all 0. -ENOMEM.
 */
int ledger_join(struct ledger *ledger);

/* Take the firmware's side from the region as it is now. */
void ledger_update(struct ledger *ledger, const struct region *region);

/* Whether the machine reached the end of its run, with or without an error: then the ledger is
 * final. It did not if it panicked, stalled, or was ended while it recorded. */
bool ledger_ended(const struct ledger *ledger);

/* A sentence if the run began without its reader, else NULL. */
const char *ledger_late_reader(const struct ledger *ledger);

/* Append the ledger as it is stored in perf.data. */
void ledger_store(const struct ledger *ledger, struct blob *blob);

/* The inverse; every count and index is checked. -EPROTO if it is damaged. */
int ledger_parse(struct ledger *ledger, const uint8_t *bytes, size_t size, struct error *error);

/* Clear the reader's counts, to count again. The rings' head, tail, unread AUX bytes and wakeups
 * stay. */
void ledger_recount(struct ledger *ledger);

void ledger_free(struct ledger *ledger);

/* The event with this id, or NULL. */
struct ledger_event *ledger_find(const struct ledger *ledger, uint64_t id);

enum ledger_side {
	LEDGER_DELIVERED,
	LEDGER_NEWER, /* delivered already, and not in the firmware's ledger yet */
};

/* Count one record, whole and at least as long as its header says. Returns its event, or NULL if
 * no event has its id. */
struct ledger_event *ledger_count(struct ledger *ledger, const struct perf_event_header *record,
                                  enum ledger_side side);

/* Count the records of a forward ring that are newer than its ledger, up to the reader's head; the
 * reader's position stays. False if their number cannot be known. */
bool ledger_count_newer(struct ledger *ledger, uint32_t ring, struct ring_reader *reader);

#endif
