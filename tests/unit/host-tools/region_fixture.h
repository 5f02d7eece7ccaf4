/* SPDX-License-Identifier: MIT */
/*
 * A machine's trace region, made on the host by the firmware's own code: for tests of its readers.
 * Two CPUs with a ring each.
 */
#ifndef TESTS_UNIT_HOST_TOOLS_REGION_FIXTURE_H
#define TESTS_UNIT_HOST_TOOLS_REGION_FIXTURE_H

#include "ringbuf/aux.h"
#include "ringbuf/ledger.h"
#include "ringbuf/region_writer.h"
#include "ringbuf/ring.h"

#ifndef FIXTURE_SIZE /* a benchmark has a larger one */
#define FIXTURE_SIZE  (256U << 10)
#define FIXTURE_PAGES 2U             /* pages of a ring's data */
#define FIXTURE_AUX   (4U * TR_PAGE) /* bytes of an AUX area */
#endif
#define FIXTURE_RINGS           2U
#define FIXTURE_EVENTS          2U /* a ring */
#define FIXTURE_ID(ring, event) (100U * ((ring) + 1) + (event))
#define FIXTURE_ADDRESS         0x40000000ULL

#define FIXTURE_SAMPLE_TYPE                                                             \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

struct fixture {
	int fd;         /* anonymous memory that holds the region */
	uint8_t *bytes; /* FIXTURE_SIZE bytes */
	struct trace_region region;
	struct ring rings[FIXTURE_RINGS];
	struct ring_owner owners[FIXTURE_RINGS];
	struct ring_account accounts[FIXTURE_RINGS * FIXTURE_EVENTS];
	struct ring_aux aux[FIXTURE_RINGS]; /* size 0: no area */
	uint8_t *scratch;
	uint64_t time; /* ns of the last sample */
};

/* A region in state RECORDING; ring_flags (TR_RING_*) are the flags of ring 1. */
void fixture_init(struct fixture *fixture, uint32_t ring_flags);

/* Forward rings with an AUX area each, which the ring's first event fills; type is its
 * perf_event_attr.type. overwrite: snapshot mode. */
void fixture_init_aux(struct fixture *fixture, uint32_t type, bool overwrite);

/* Another run in the same region, with forward rings; an AUX area each, unless aux_type is
 * UINT32_MAX. */
void fixture_run_again(struct fixture *fixture, uint32_t aux_type);
void fixture_free(struct fixture *fixture);

/* Write a sample with this IP and a callchain of depth words; returns false if it was lost. */
bool fixture_sample(struct fixture *fixture, unsigned ring, unsigned event, uint64_t ip,
                    uint64_t period, unsigned depth);

/* Do the hardware's work: fill size bytes of the ring's AUX area and report them with these flags.
 * Returns false if there is no room. */
bool fixture_piece(struct fixture *fixture, unsigned ring, const void *bytes, uint64_t size,
                   uint64_t flags);

/* Add padding, and report it by an empty piece. */
void fixture_pad(struct fixture *fixture, unsigned ring, uint64_t size);

/* Publish the ledgers, as a tick does. */
void fixture_publish(struct fixture *fixture);

/* The end of the run: lost records are reported, ledgers are final, state COMPLETE. */
void fixture_complete(struct fixture *fixture);

static inline struct tr_header *fixture_header(struct fixture *fixture)
{
	return (struct tr_header *)fixture->bytes;
}

#endif
