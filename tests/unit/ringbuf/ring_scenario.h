/* SPDX-License-Identifier: MIT */
/*
 * Scenarios for a ring, as functions that return NULL or an error. The same scenario shows that the
 * ring is right, and that a build with a fault is wrong.
 */
#ifndef TESTS_UNIT_RINGBUF_RING_SCENARIO_H
#define TESTS_UNIT_RINGBUF_RING_SCENARIO_H

#include "tests/unit/ringbuf/ring_rig.h"

/* Random ring, sizes, thresholds and nesting; a reader that stalls, dies and stores invalid tails.
 * */
const char *scenario_random(uint64_t seed, uint64_t records);

/* The same for an overwritable ring: snapshots while it is written, and afterwards. */
const char *scenario_random_backward(uint64_t seed, uint64_t records);

/* Two events share a ring whose reader reads only when its owner was notified. */
const char *scenario_shared_ring(void);

/* A handler that writes, and one that reads, between any two instructions of a writer, in rings
 * that are empty, full, wrapping, about to wake, or have LOST pending (host: x86_64 only). */
const char *scenario_every_instruction(void);

/* Two handlers before random instructions of one writer, and two before random instructions of the
 * first of these; so many times. */
const char *scenario_nested_handlers(uint64_t seed, int times);

/* A writer and a reader on two threads; only the owner's notification wakes the reader. */
const char *scenario_threads(uint64_t seed, uint64_t records);

/* Two threads that only do the wakeup's handshake; so many times. */
const char *scenario_handshake(uint64_t rounds);

#endif
