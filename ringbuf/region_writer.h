/* SPDX-License-Identifier: MIT */
/*
 * The writer's side of the trace region: lays it out and fills its tables.
 * docs/trace-region.md is the format. Values that are needed again are kept here,
 * in private memory; nothing is ever read back from the region.
 */
#ifndef RINGBUF_REGION_WRITER_H
#define RINGBUF_REGION_WRITER_H

#include <stdbool.h>

#include "abi/trace_region.h"
#include "arch/arch.h"

struct region_limits {
	uint32_t cpus;         /* entries to make room for, 1 to TR_MAX_CPUS */
	uint32_t images;       /* 1 to TR_MAX_IMAGES */
	uint32_t events;       /* 1 to TR_MAX_EVENTS */
	uint32_t rings;        /* 1 to TR_MAX_RINGS */
	uint32_t console_size; /* of the text, a power of two */
	uint32_t stream_size;  /* of each stream's bytes, a power of two; 0: there are none */
};

struct trace_region {
	struct tr_header *header;
	struct tr_mailbox *mailbox;
	struct tr_doorbell *doorbells;
	struct tr_cpu *cpus;
	struct tr_image *images;
	struct tr_event *events;
	struct tr_event_ledger *event_ledger;
	struct tr_ring *rings;
	struct tr_ring_ledger *ring_ledger;
	struct tr_console *console;
	struct tr_stream *streams;
	uint8_t *stream_bytes; /* TR_STREAMS times limits.stream_size */
	struct region_limits limits;
	uint64_t size;
	uint64_t tables_end; /* where the rings of a run start */
	uint64_t used;       /* up to where this run's rings reach */
	uint64_t run;
	uint64_t heartbeat;
	uint32_t run_events, run_rings;
	bool
	    is_kept; /* in RAM, which may outlive a reset: what is published is cleaned to memory */
};

/*
 * Lay out size bytes at memory (page aligned): header, empty tables, console, streams. Everything
 * but the areas of rings and the reader's id and lease is cleared, the magic first. -EINVAL for
 * limits out of range, -ENOSPC if the tables do not fit. Thread.
 */
int trace_region_init(struct trace_region *region, void *memory, uint64_t size,
                      const struct region_limits *limits);

/* The header's words about this boot. */
struct region_identity {
	uint64_t address;
	uint64_t nonce;
	uint16_t machine;
	const char *producer;
};

/* Fill the header, seal it, and write the magic: from here on readers may look. region->is_kept is
 * set before. Thread. */
void trace_region_open(struct trace_region *region, const struct region_identity *identity);

/* There is no region any more: the magic goes. Thread. */
void trace_region_close(struct trace_region *region);

/* Publish the clock, once, before any state but TR_BOOTING and TR_FAILED. Thread. */
void trace_region_set_clock(struct trace_region *region, const struct tr_clock *clock);

/*
 * Forget the last run's events and rings, and make room for this one's; the caller fills the
 * tables. State becomes TR_BOOTING, and readers see no event or ring. -ENOSPC if the counts are
 * beyond the limits. Thread.
 */
int trace_region_start_run(struct trace_region *region, const char *command, uint32_t events,
                           uint32_t rings);

/* The tables of this run are complete: let readers see them, state TR_RECORDING. Thread. */
void trace_region_set_recording(struct trace_region *region);

/*
 * Give the next ring, of cpu, its place: a control page, data_pages (a power of two) and aux_pages
 * (0 or a power of two). ring, private memory, is what the caller completes and copies into the
 * directory; ring_init() fills the control page. -ENOSPC if the region is full: needed is then the
 * size that it would have to have. Thread.
 */
int trace_region_add_ring(struct trace_region *region, uint32_t cpu, uint64_t data_pages,
                          uint64_t aux_pages, struct tr_ring *ring, uint64_t *needed);

/* The start of the region plus offset. */
static inline void *trace_region_at(const struct trace_region *region, uint64_t offset)
{
	return (char *)region->header + offset;
}

/* Tell who looks that the machine lives, and when it did: at each tick of one CPU, and as often as
 * a wait looks. now: ns of our clock. Any context, never on two CPUs at a time. */
static inline void trace_region_beat(struct trace_region *region, uint64_t now)
{
	__atomic_store_n(&region->header->beat_time, now, __ATOMIC_RELAXED);
	__atomic_store_n(&region->header->heartbeat, ++region->heartbeat, __ATOMIC_RELAXED);
}

/* Clean the last heartbeat to memory with the next cleaning. Any context. */
static inline void trace_region_keep_beat(const struct trace_region *region)
{
	arch_memory_clean_begin(&region->header->heartbeat, sizeof(region->header->heartbeat));
}

/* Publish a state, with release; for TR_FAILED and TR_PANIC with status and message (may be
 * NULL). Kept: what it tells of is in memory before it is. Any context. */
void trace_region_set_state(struct trace_region *region, enum tr_state state);
void trace_region_set_message(struct trace_region *region, int status, const char *message);

/* Where the workload crashed, or we did. Any context. */
void trace_region_set_backtrace(struct trace_region *region, const struct tr_backtrace *backtrace);

/* Copy text into a field of size bytes, cut if too long, always terminated, the rest 0. */
void trace_region_put_text(char *field, uint64_t size, const char *text);

#endif
