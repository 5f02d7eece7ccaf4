/* SPDX-License-Identifier: MIT */
/* A fake AMD CPU: its counters and branch records, with their reserved bits, as the CPU's features
 * have them: legacy, extended, and PerfMonV2. */
#ifndef TESTS_UNIT_PMU_X86_AMD_MODEL_H
#define TESTS_UNIT_PMU_X86_AMD_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AMD_MODEL_COUNTERS 8U
#define AMD_MODEL_MASK     ((1ULL << 48) - 1) /* a counter's bits */
#define AMD_MODEL_LBRS     63U
#define AMD_MODEL_RESERVED 0x18U /* bits that firmware has set in DBG_EXTN_CFG */

enum amd_generation { LEGACY, EXTENDED, VERSION_2 };

struct amd_model {
	enum amd_generation generation;
	unsigned family, counters;
	bool hypervisor;
	uint64_t stuck; /* counters whose registers do not accept writes */
	uint64_t control[AMD_MODEL_COUNTERS], counter[AMD_MODEL_COUNTERS];
	uint64_t global_control, status;
	/* An access to a register takes time, during which running counters count. */
	uint64_t access_events;
	bool pending;            /* an overflow's interrupt during an access */
	uint64_t counted;        /* all counters' events since power-on; writes do not change it */
	unsigned running_writes; /* writes to a running counter: its latest counts are lost */
	unsigned faults;         /* accesses that raise #GP on real hardware */
	/* Branch records: their number (0: none), whether they can freeze; Zen 3's branch sampling
	 */
	unsigned lbrs;
	bool freezes, brs;
	unsigned linear; /* bits of a linear address */
	uint64_t select, extn_cfg, debugctl;
	uint64_t from[AMD_MODEL_LBRS], to[AMD_MODEL_LBRS];
};
extern struct amd_model amd_model;

#define AMD_MODEL_MACHINES 4U /* LEGACY, EXTENDED, VERSION_2 with 6 and with 8 counters */

/* The machine after a reset, with the rig on it. */
void amd_model_power_on(size_t machine);

/* Let this many events pass. Returns whether an overflow interrupts; with_pending: also an earlier
 * one that came during an access. */
bool amd_model_count_on(uint64_t events);
bool amd_model_count_on_with_pending(uint64_t events);

/* A branch in ring 0; kind: its bit of LBR_SELECT. from and to are the registers' words, but for
 * the three upper bits of to, which are how: the reserved bit, SPEC and VALID. */
void amd_model_branch(uint32_t kind, uint64_t from, uint64_t to, unsigned how);

#endif
