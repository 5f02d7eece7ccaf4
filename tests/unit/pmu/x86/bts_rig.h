/* SPDX-License-Identifier: MIT */
/* The driver of Intel's branch trace store on a modelled CPU: debug store, two counters that count
 * taken branches, a PMI whose delay the test chooses; an AUX area and a reader. */
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
	unsigned version; /* version of performance monitoring */
	bool no_taken_event;
	bool pmi;            /* the threshold was passed */
	unsigned until;      /* branches until the interrupt */
	unsigned late;       /* the initial value of until */
	uint64_t retired;    /* branches of the program */
	uint64_t interrupts; /* taken */
	uint64_t deliveries; /* recorded deliveries of interrupts */
	uint64_t missed;     /* branches that were not recorded */
	uint64_t registers;  /* accesses */
	unsigned faults;     /* accesses that raise #GP */
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

/* A new CPU and ring; a PMI comes so many branches late. */
void power_on(unsigned late);

/* A new event, with an AUX area of so many bytes and PERF_ATTR_* flags; returns the error of
 * event_init() or setup_aux(). The second function also enables it, without flags. */
int open_trace(uint64_t size, uint64_t flags);
void start(uint64_t size);

/* The program takes so many branches. */
void branches(uint64_t n);

/* An interrupt as arch/x86_64/interrupt/entry.S and its handlers make it: a tick, or (NULL) the
 * PMI; only its delivery; a tick's, interrupted by so many NMIs before the counters are hidden. */
void interrupt(struct perf_event *tick);
void output_write(uint64_t from);
void interrupted_tick(struct perf_event *tick, unsigned nmis);

/* The reader takes everything. */
void read_all(void);

/* Every branch is in the ledger, and the ledger agrees with the modelled CPU. */
void assert_accounted(void);

/* Every test ends with this: no access to a missing register or a reserved bit. */
int no_faults(void **state);

#endif
