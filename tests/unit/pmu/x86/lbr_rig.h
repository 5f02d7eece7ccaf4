/* SPDX-License-Identifier: MIT */
/* An event with branch stacks on a modelled CPU, and the branches that it is to find: what the
 * tests of Intel's and of AMD's last branch records share. */
#ifndef TESTS_UNIT_PMU_X86_LBR_RIG_H
#define TESTS_UNIT_PMU_X86_LBR_RIG_H

#include "pmu/pmu.h"

#define PERIOD  1000U
#define ENTRIES 0xffff800000001000ULL /* our interrupt entries */

/* Put bareperf's interrupt entries at ENTRIES. */
void lbr_rig_place_entries(void);

/* Describe and enable the event, with branch stacks of this type. Returns 0 or an error. */
int begin(struct perf_event *event, uint64_t type);

/* Let a sample become due as the model counts, and return its branch stack from the event's ring.
 */
const uint64_t *lbr_rig_stack(const struct perf_event *event, bool (*count_on)(uint64_t events));

/* The addresses of branch i: 48 bits and their sign. */
uint64_t from_of(unsigned i);
uint64_t to_of(unsigned i);

#endif
