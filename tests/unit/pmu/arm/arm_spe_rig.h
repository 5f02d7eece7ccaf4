/* SPDX-License-Identifier: MIT */
/* A modelled SPE for the driver's tests: registers, a pipeline, an AUX area, an event that fills
 * it, and a reader. */
#ifndef TESTS_UNIT_PMU_ARM_ARM_SPE_RIG_H
#define TESTS_UNIT_PMU_ARM_ARM_SPE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/aarch64/pmu/spe.h"
#include "arch/host/fake_cpu.h"
#include "pmu/arm/arm_spe.h"
#include "writer/perfdata/perf_file.h"

#define PAGE       4096ULL
#define AREA_PAGES 8U
#define UNKNOWN    0xdeadbeefdeadbeefULL /* value of registers after reset */
#define FULL       (PMBSR_S | PMBSR_BSC_FILLED)
#define FAULT      (PMBSR_S | 0x24ULL << PMBSR_EC | 7U)

struct spe_model {
	uint64_t reg[0x10000];
	unsigned counters; /* event counters of the PMU, which keeps what is written */
	bool owner_asked;
	/* PMSIDR_EL1 was read before PMBIDR_EL1, or although the latter forbids it */
	bool read_too_early;
	bool late;                  /* the interrupt comes while the buffer is being disabled */
	unsigned delayed;           /* records in the pipeline */
	uint64_t record;            /* bytes of each */
	unsigned unsynced_disables; /* disabled with records in the pipeline */
	unsigned backward_limits;   /* limits at or below the pointer */
};

extern struct spe_model model;
extern uint8_t spe_area[AREA_PAGES * PAGE + 1]; /* plus one guard byte */
extern struct perf_event event;
extern struct ring_aux aux;
extern struct ring_owner owner;

int spe_set_up(void **state);
int spe_tear_down(void **state); /* and checks that the model found no violation */

/* Describe the event again. */
void describe(uint64_t config, uint64_t period);

/* Open it on an AUX area, and enable it. */
void begin(uint64_t pages, uint64_t watermark, bool overwrite);

/* Whether the hardware has a buffer to write to; the offsets in spe_area of its limit and of the
 * next record. */
bool has_buffer(void);
uint64_t limit(void);
uint64_t at(void);

/* So many records, each interrupt at once. Returns how many found a buffer. */
unsigned sample(unsigned records);

/* An interrupt with these additional bits in PMBSR_EL1. */
void spe_raise(uint64_t status);
void spurious(void);

/* The next AUX record; false: none, and *to is all 0. */
bool next_aux(struct perf_record_aux *to);
void expect(uint64_t offset, uint64_t size, uint64_t flags);
void expect_nothing(void);

/* The reader writes aux_tail; then a tick. */
void take(uint64_t tail);
void poll(void);

#endif
