/* SPDX-License-Identifier: MIT */
/*
 * Events on a ring of our own, in the heap, by the event core that recordings use: what the
 * self-test measures with. No run begins in the trace region, and no host takes part.
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
	uint8_t *aux_area; /* NULL: none was asked for */
	uint64_t aux_size;
	struct ring_reader reader;
	void *memory;
};

/* A rig of the calling CPU, with a ring of so many pages and an AUX area (powers of two; 0: none).
 * NULL: no memory. Thread, as all here. */
struct selftest_rig *selftest_rig_open(unsigned pages, unsigned aux_pages);
void selftest_rig_close(struct selftest_rig *rig);

/* One event more, which samples each so many (0: it only counts); NULL: nobody here serves it. */
struct perf_event *selftest_rig_add(struct selftest_rig *rig, uint32_t type, uint64_t config,
                                    uint64_t period);

/* All that were added become one group. */
void selftest_rig_group(struct selftest_rig *rig);

/* Start the events, run fn as code that is traced, stop them. 0, or context_start()'s error. Events
 * that sample by an interrupt do so only if `interruptible`. Interrupts masked before and after. */
int selftest_rig_run(struct selftest_rig *rig, int (*fn)(void *arg), void *arg, bool interruptible);

/* A sample as these rings have it. */
struct selftest_sample {
	struct perf_event_header header;
	uint64_t id, ip, time, period;
};

/* The next record in the ring, until the next call; NULL: there is none (reader.error says if the
 * ring is wrong). Read records are released. Also while fn runs. */
const struct perf_event_header *selftest_rig_next(struct selftest_rig *rig);

/* A loop whose counts are known: two instructions a turn, of which one is a branch. */
#define SELFTEST_INSTRUCTIONS 2U
#define SELFTEST_BRANCHES     1U
void selftest_loop(uint64_t turns);

/* The generic event to sample with, a hardware counter's: instructions, else cycles; -1: none. */
int selftest_sampling_event(void);

#endif
