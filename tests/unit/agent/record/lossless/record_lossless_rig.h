/* SPDX-License-Identifier: MIT */
/* Two CPUs that record under --lossless, and what such a CPU looks at while it stands. */
#ifndef TESTS_UNIT_AGENT_RECORD_LOSSLESS_RECORD_LOSSLESS_RIG_H
#define TESTS_UNIT_AGENT_RECORD_LOSSLESS_RECORD_LOSSLESS_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/record/lossless/record_lossless.h"
#include "arch/host/fake_cpu.h"
#include "pmu/clock/clock.h"

#define CPUS   2U
#define PERIOD 10000U /* ns */
#define LOOK   10000U /* ns that a look takes here */
#define RING   4096U
#define SAMPLE 56U

extern struct command command;
extern struct recording recording;
extern struct traced_cpu cpus[CPUS];
extern struct perf_event events[CPUS];
extern struct perf_event_mmap_page controls[CPUS];
extern uint64_t data[CPUS][RING / 8];
extern const struct arch_regs regs;

extern bool switch_is_due; /* of CPU 0 */
extern unsigned switched;  /* so often that was done */
extern uint64_t looks, looked_ns, leap, signalled[CPUS], housekept;
extern void (*reader)(void); /* at each look */
extern char text[512];       /* the last that was said */
extern unsigned frozen;      /* counters, by these, a source's disable() and enable() */
void freeze(void);
void thaw(void);

/* Readers: of all, and of all at each 250th look. */
void read_all(void);
void read_all_at_last(void);

int set_up(void **state);
int tear_down(void **state);
void set_up_cpu(unsigned i);

/* CPU 0 begins; it samples until its ring is low; its account. */
void start(void);
void fill(void);
struct ring_account *account(void);

#endif
