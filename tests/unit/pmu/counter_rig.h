/* SPDX-License-Identifier: MIT */
/* Everything that tests of a counter driver need besides registers: events, a ring for their
 * samples, and time that passes by counting. */
#ifndef TESTS_UNIT_PMU_COUNTER_RIG_H
#define TESTS_UNIT_PMU_COUNTER_RIG_H

#include "arch/host/fake_cpu.h"
#include "pmu/pmu.h"

#define RIG_EVENTS 8U

extern struct perf_event rig_events[RIG_EVENTS];
extern const struct arch_regs rig_regs;

/* A new machine whose registers are these functions, at time 1 ns; 1 GHz. */
void rig_power_on(uint16_t machine, uint64_t (*read)(uint32_t reg),
                  void (*write)(uint32_t reg, uint64_t value));

/* Describe an event of CPU 0; type as in perf_event_attr. */
void rig_describe(struct perf_event *event, uint32_t type, uint64_t config, uint64_t period);

/* Describe, init and enable it; all must succeed. */
void rig_begin(struct perf_event *event, uint32_t type, uint64_t config, uint64_t period);

/* Let total events pass, `step` at a time and 1 ns each: count_on(n) lets the running counters
 * count n, and returns whether one interrupts. */
void rig_run(uint64_t total, uint64_t step, bool (*count_on)(uint64_t events));

#endif
