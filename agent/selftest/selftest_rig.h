/* SPDX-License-Identifier: MIT */
/*
 * The self-test's measuring device: events on a ring in the heap, by the event core that recordings
 * use. No run begins in the trace region, and no host takes part.
 */
#ifndef AGENT_SELFTEST_SELFTEST_RIG_H
#define AGENT_SELFTEST_SELFTEST_RIG_H

#include "pmu/context.h"
#include "ringbuf/aux.h"
#include "ringbuf/reader/ring_reader.h"

#define SELFTEST_EVENTS 18U

struct selftest_rig {
	unsigned nr_events;
	struct perf_event events[SELFTEST_EVENTS];
	struct perf_event_context context;
	const struct perf_event *failed;
	struct ring ring;
	struct ring_owner owner;
	struct tr_doorbell doorbell;
	struct ring_aux aux;
	uint8_t *aux_area; /* NULL: no AUX area */
	uint64_t aux_size;
	struct ring_reader reader;
	void *memory;
};

/* Open a rig for the calling CPU, with a ring of so many pages and an AUX area (powers of two; 0:
 * none). Returns NULL without memory. Thread, as all functions here. */
struct selftest_rig *selftest_rig_open(unsigned pages, unsigned aux_pages);
void selftest_rig_close(struct selftest_rig *rig);

/* Add an event that samples every `period` events (0: it only counts). Returns NULL if no source
 * has it. */
struct perf_event *selftest_rig_add(struct selftest_rig *rig, uint32_t type, uint64_t config,
                                    uint64_t period);

/* Make all added events one group. */
void selftest_rig_group(struct selftest_rig *rig);

/* Start the events, run fn as traced code, and stop the events. Returns 0, or context_start()'s
 * errno. Events that sample by an interrupt do so only if `interruptible`. Interrupts masked before
 * and after. */
int selftest_rig_run(struct selftest_rig *rig, int (*fn)(void *arg), void *arg, bool interruptible);

/* The layout of a sample in a rig's ring. */
struct selftest_sample {
	struct perf_event_header header;
	uint64_t id, ip, time, period;
};

/* Returns the next record in the ring, valid until the next call, or NULL if there is none
 * (reader.error: the ring is corrupt). Earlier records are released. May be called while fn runs.
 */
const struct perf_event_header *selftest_rig_next(struct selftest_rig *rig);

/* A loop of known counts: each turn is two instructions, one of them a branch. */
#define SELFTEST_INSTRUCTIONS 2U
#define SELFTEST_BRANCHES     1U
void selftest_loop(uint64_t turns);

/* Returns the generic hardware event to sample with: instructions, or cycles; -1: none. */
int selftest_sampling_event(void);

#endif
