/* SPDX-License-Identifier: MIT */
/* The driver of Intel's branch trace store on a modelled CPU: debug store, two counters that know
 * taken branches, a PMI that comes as late as the test says; an AUX area and who reads it. */
#ifndef TESTS_UNIT_PMU_X86_BTS_RIG_H
#define TESTS_UNIT_PMU_X86_BTS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/x86/intel_bts.h"

#define GENERAL  4U
#define AREA     (1U << 20)
#define BRANCH   0xb0b0
#define DELIVERY 0xd0d0

struct bts_cpu {
	uint64_t select[GENERAL], counter[GENERAL], global, debugctl, ds_area;
	uint64_t edx, ecx, misc_enable;
	unsigned version; /* of performance monitoring */
	bool no_taken_event;
	bool pmi;            /* the threshold was crossed */
	unsigned until;      /* branches from there to the interrupt */
	unsigned late;       /* the first value of until */
	uint64_t retired;    /* branches of the program */
	uint64_t interrupts; /* taken */
	uint64_t deliveries; /* of interrupts that were recorded */
	uint64_t missed;     /* branches that were not */
	uint64_t registers;  /* accesses */
	unsigned faults;     /* of these that raise #GP */
};

extern struct bts_cpu bts_cpu;
extern struct perf_event_mmap_page control;
extern uint64_t data[1 << 17];
extern uint8_t memory[AREA];
extern struct ring ring;
extern struct tr_doorbell doorbell;
extern struct ring_owner owner;
extern struct ring_aux aux;
extern struct perf_event event;

/* CPU and ring anew; a PMI comes so many branches late. */
void power_on(unsigned late);

/* Make event anew, with an AUX area of so many bytes and PERF_ATTR_* flags; event_init()'s or
 * setup_aux()'s error. The second one enables it as well, without flags. */
int open_trace(uint64_t size, uint64_t flags);
void start(uint64_t size);

/* The program takes so many branches. */
void branches(uint64_t n);

/* An interrupt as arch/x86_64/interrupt/entry.S and its handlers make it: tick, or (NULL) the PMI;
 * only its delivery; a tick's that so many NMIs interrupt before it is hidden. */
void interrupt(struct perf_event *tick);
void output_write(uint64_t from);
void interrupted_tick(struct perf_event *tick, unsigned nmis);

/* The reader takes all there is. */
void read_all(void);

/* Every branch is in the ledger, and the ledger agree with what the CPU did. */
void assert_accounted(void);

/* Every test ends with this: no missing register and no reserved bit was touched. */
int no_faults(void **state);

#endif
