/* SPDX-License-Identifier: MIT */
/*
 * Scenarios for a ring, as functions that return NULL or an error. The same scenario proves that
 * the ring is right and that a fault build is wrong.
 */
#ifndef TESTS_UNIT_RINGBUF_RING_SCENARIO_H
#define TESTS_UNIT_RINGBUF_RING_SCENARIO_H

#include "tests/unit/ringbuf/ring_rig.h"

/* Random ring, sizes, thresholds and nesting; a reader that stalls, dies and lies. */
const char *scenario_random(uint64_t seed, uint64_t records);

/* The same for an overwritable ring: snapshots, live and still. */
const char *scenario_random_backward(uint64_t seed, uint64_t records);

/* Two events share a ring whose reader looks only when its owner was notified. */
const char *scenario_shared_ring(void);

/* A handler that writes, and one that reads, between any two instructions of a writer, in rings
 * empty, full, wrapping, about to wake, and with LOST due; (host: x86_64 only). */
const char *scenario_every_instruction(void);

/* Two handlers before random instructions of one writer, and two before random instructions of the
 * first of these; so often. */
const char *scenario_nested_handlers(uint64_t seed, int times);

/* A writer and a reader on two threads; the reader sleeps on the owner's notification alone. */
const char *scenario_threads(uint64_t seed, uint64_t records);

/* Two threads that do nothing but the wakeup's handshake, so often. */
const char *scenario_handshake(uint64_t rounds);

#endif
