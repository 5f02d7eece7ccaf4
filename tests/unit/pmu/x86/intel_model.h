/* SPDX-License-Identifier: MIT */
/* Intel's performance monitor, its registers with their reserved bits, on the fake CPU's. */
#ifndef TESTS_UNIT_PMU_X86_INTEL_MODEL_H
#define TESTS_UNIT_PMU_X86_INTEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/pmu/perfmon.h"
#include "tests/unit/pmu/x86/lbr_model.h"

#define INTEL_MODELS      2U /* CPUs */
#define INTEL_MODEL_FIXED 3U
#define INTEL_MODEL_ALL \
	(((1ULL << model.general) - 1) | ((1ULL << INTEL_MODEL_FIXED) - 1) << GLOBAL_FIXED)

struct intel_model {
	unsigned version, general, events; /* counters, architectural events */
	bool full_width, hypervisor;
	uint32_t type;       /* CPUID 1AH's core type, where CPUs differ */
	uint32_t more_fixed; /* CPUID 0AH:ECX */
	bool no_rdpmc;       /* it faults: 0 */
	uint64_t stuck;      /* counters that somebody else has: writes do not take, a bit each */
	uint64_t dead;       /* counters that never count */
	uint64_t select[32], counter[64];
	uint64_t fixed_control, global_control, status;
	bool debug_store;
	uint64_t misc_enable, debugctl, pebs_enable;
	struct lbr_model lbr;
	/* A register's access takes time, in which what runs counts on. */
	uint64_t access_events;
	bool pending;            /* an overflow's interrupt, from within an access */
	uint64_t counted[64];    /* since power on, whatever was written to the counter */
	unsigned running_writes; /* to a counter that was counting: what it counted since is lost */
	unsigned faults;         /* accesses that real registers would answer with #GP */
};

/* By fake_cpu_number. */
extern struct intel_model intel_models[INTEL_MODELS];

/* Nothing has faulted: of each machine before the next, and (a group's teardown) of the last. */
int intel_model_off(void **state);

/* A new machine of CPUs with 4 general and 3 fixed counters. */
void intel_model_power_on(unsigned version, bool full_width);

/* Every running counter continues by events; true: one that may interrupt has overflowed. */
bool intel_model_count_on(uint64_t events);

/* A branch of the program on CPU 0, as lbr_model_branch(). */
void intel_model_branch(uint32_t kind, uint64_t from, uint64_t to, uint64_t info);

#endif
