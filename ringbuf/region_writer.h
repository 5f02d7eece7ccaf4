/* SPDX-License-Identifier: MIT */
/*
 * The writer's side of the trace region: it lays the region out and fills the tables.
 * docs/trace-region.md describes the format. This code keeps private copies of values that it needs
 * again, and reads nothing back from the region.
 */
#ifndef RINGBUF_REGION_WRITER_H
#define RINGBUF_REGION_WRITER_H

#include <stdbool.h>

#include "abi/trace_region.h"
#include "arch/arch.h"

struct region_limits {
	uint32_t cpus;         /* number of CPU entries, 1 to TR_MAX_CPUS */
	uint32_t images;       /* 1 to TR_MAX_IMAGES */
	uint32_t events;       /* 1 to TR_MAX_EVENTS */
	uint32_t rings;        /* 1 to TR_MAX_RINGS */
	uint32_t console_size; /* size of the text, a power of two */
	uint32_t stream_size;  /* size of each stream's bytes, a power of two; 0: no streams */
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
	uint64_t tables_end; /* start of a run's rings */
	uint64_t used;       /* end of this run's rings */
	uint64_t run;
	uint64_t heartbeat;
	uint32_t run_events, run_rings;
	bool
	    /* the region is in RAM and may survive a reset: published data is cleaned to memory */
	    is_kept;
};

/*
 * Lays out size bytes at memory (page aligned): header, empty tables, console, streams. Clears
 * everything, the magic first, except the rings' areas and the reader's id and lease. -EINVAL: a
 * limit is out of range. -ENOSPC: the tables do not fit. Thread.
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

/* Fills the header, seals it, and writes the magic: from now on readers may read the region. Set
 * region->is_kept before. Thread. */
void trace_region_open(struct trace_region *region, const struct region_identity *identity);

/* Removes the magic: the region no longer exists for readers. Thread. */
void trace_region_close(struct trace_region *region);

/* Publishes the clock. Call once, before any state except TR_BOOTING and TR_FAILED. Thread. */
void trace_region_set_clock(struct trace_region *region, const struct tr_clock *clock);

/*
 * Removes the last run's events and rings and makes room for the next run's. The caller fills the
 * tables. The state becomes TR_BOOTING, and readers see no event or ring. -ENOSPC: the counts
 * exceed the limits. Thread.
 */
int trace_region_start_run(struct trace_region *region, const char *command, uint32_t events,
                           uint32_t rings);

/* Call when this run's tables are complete: shows them to readers and sets state TR_RECORDING.
 * Thread. */
void trace_region_set_recording(struct trace_region *region);

/*
 * Allocates the next ring, which belongs to cpu: a control page, data_pages (a power of two) and
 * aux_pages (0 or a power of two). ring is private memory: the caller completes it and copies it
 * into the directory. ring_init() fills the control page. -ENOSPC: the region is full; then needed
 * is the region size that would suffice. Thread.
 */
int trace_region_add_ring(struct trace_region *region, uint32_t cpu, uint64_t data_pages,
                          uint64_t aux_pages, struct tr_ring *ring, uint64_t *needed);

/* Returns the address at offset from the region's start. */
static inline void *trace_region_at(const struct trace_region *region, uint64_t offset)
{
	return (char *)region->header + offset;
}

/* Shows readers that the machine is alive, and when it last was. Called at each tick of one CPU,
 * and at each poll of a wait. now: ns of our clock. Any context, never on two CPUs at a time. */
static inline void trace_region_beat(struct trace_region *region, uint64_t now)
{
	__atomic_store_n(&region->header->beat_time, now, __ATOMIC_RELAXED);
	__atomic_store_n(&region->header->heartbeat, ++region->heartbeat, __ATOMIC_RELAXED);
}

/* Adds the last heartbeat to the lines that the next cleaning writes to memory. Any context. */
static inline void trace_region_keep_beat(const struct trace_region *region)
{
	arch_memory_clean_begin(&region->header->heartbeat, sizeof(region->header->heartbeat));
}

/* Publishes a state, with release; TR_FAILED and TR_PANIC also with status and message (may be
 * NULL). If the region is kept, the data that the state announces reaches memory before the state.
 * Any context. */
void trace_region_set_state(struct trace_region *region, enum tr_state state);
void trace_region_set_message(struct trace_region *region, int status, const char *message);

/* Publishes the backtrace of a crash of the workload or of bareperf. Any context. */
void trace_region_set_backtrace(struct trace_region *region, const struct tr_backtrace *backtrace);

/* Copies text into a field of size bytes: cut if too long, always terminated, the rest 0. */
void trace_region_put_text(char *field, uint64_t size, const char *text);

#endif
