/* SPDX-License-Identifier: MIT */
/* Two CPUs that record under --lossless, with everything that a stalled CPU reads. */
#ifndef TESTS_UNIT_AGENT_RECORD_LOSSLESS_RECORD_LOSSLESS_RIG_H
#define TESTS_UNIT_AGENT_RECORD_LOSSLESS_RECORD_LOSSLESS_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/record/lossless/record_lossless.h"
#include "arch/host/fake_cpu.h"
#include "pmu/clock/clock.h"

#define CPUS   2U
#define PERIOD 10000U /* ns */
#define LOOK   10000U /* ns that one look takes */
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
extern unsigned switched;  /* number of calls of recording_switch_here() */
extern uint64_t looks, looked_ns, leap, signalled[CPUS], housekept;
extern void (*reader)(void); /* called at each look */
extern char text[512];       /* the last printed message */
/* number of counters that a source's disable() has stopped and enable() has not started again */
extern unsigned frozen;
void freeze(void);
void thaw(void);

/* Readers: one reads everything, one reads everything at every 250th look. */
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
