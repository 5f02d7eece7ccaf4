/* SPDX-License-Identifier: MIT */
/* Intel's performance monitor on the fake CPU: its registers with their reserved bits. */
#ifndef TESTS_UNIT_PMU_X86_INTEL_MODEL_H
#define TESTS_UNIT_PMU_X86_INTEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/pmu/perfmon.h"
#include "tests/unit/pmu/x86/lbr_model.h"
#include "tests/unit/pmu/x86/pebs_model.h"

#define INTEL_MODELS      2U /* CPUs */
#define INTEL_MODEL_FIXED 3U
#define INTEL_MODEL_ALL \
	(((1ULL << model.general) - 1) | ((1ULL << INTEL_MODEL_FIXED) - 1) << GLOBAL_FIXED)

struct intel_model {
	unsigned version, general, events; /* counters, architectural events */
	bool full_width, hypervisor;
	uint32_t type;       /* CPUID 1AH's core type, if CPUs differ */
	uint32_t more_fixed; /* CPUID 0AH:ECX */
	bool no_rdpmc;       /* RDPMC raises a fault */
	uint64_t stuck;      /* counters that another user has: writes have no effect, a bit each */
	uint64_t dead;       /* counters that never count */
	uint64_t select[32], counter[64];
	uint64_t fixed_control, global_control, status;
	bool debug_store;
	uint64_t misc_enable, debugctl, pebs_enable;
	struct lbr_model lbr;
	struct pebs_model pebs;
	/* An access to a register takes time, during which running counters count. */
	uint64_t access_events;
	bool pending;            /* an overflow's interrupt during an access */
	uint64_t counted[64];    /* events since power-on; writes to the counter do not change it */
	unsigned running_writes; /* writes to a running counter: its latest counts are lost */
	unsigned faults;         /* accesses that raise #GP on real hardware */
};

/* Index: fake_cpu_number. */
extern struct intel_model intel_models[INTEL_MODELS];

/* Checks that nothing has faulted: on each machine before the next one, and (a group's teardown) on
 * the last one. */
int intel_model_off(void **state);

/* A new machine of CPUs with 4 general and 3 fixed counters. */
void intel_model_power_on(unsigned version, bool full_width);

/* Every running counter counts so many events; true: one that may interrupt has overflowed. */
bool intel_model_count_on(uint64_t events);

/* A branch of the program on CPU 0, as lbr_model_branch(). */
void intel_model_branch(uint32_t kind, uint64_t from, uint64_t to, uint64_t info);

#endif
