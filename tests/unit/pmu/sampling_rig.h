/* SPDX-License-Identifier: MIT */
/* An event of a source that logs the calls of its operations, and a ring for its records. */
#ifndef TESTS_UNIT_SAMPLING_RIG_H
#define TESTS_UNIT_SAMPLING_RIG_H

#include "pmu/pmu.h"

#define MS 1000000ULL

extern struct perf_event event; /* ACTIVE; a sample has IP, TIME, PERIOD */
extern struct perf_event_mmap_page control;
extern uint64_t data[1 << 13]; /* of the ring */

/* The calls of the source's operations, in order, a letter each: d e s S r (disable enable stop
 * start read). */
extern char asked[32];

/* A source that can neither be disabled nor read. */
extern const struct pmu pmu_plain;

/* Before each test. */
int sampling_rig_set_up(void **state);

#endif
