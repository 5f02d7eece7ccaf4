/* SPDX-License-Identifier: MIT */
/*
 * The firmware's registers.
 */
#ifndef ARCH_AARCH64_SAVED_H
#define ARCH_AARCH64_SAVED_H

#include "arch/aarch64/cpu.h"
#include "arch/aarch64/gic.h"

/* Saved under our own translation: with E2H = 1 the names of EL1's registers would mean EL2's. */
#define SAVED_AT_ANY_EL(X) \
	X(sp_el0)          \
	X(tpidr_el0)       \
	X(tpidrro_el0)     \
	X(vbar_el1)        \
	X(cpacr_el1)       \
	X(tpidr_el1)       \
	X(cntp_ctl_el0)    \
	X(cntv_ctl_el0)
#define SAVED_AT_EL2(X)  \
	X(vbar_el2)      \
	X(cptr_el2)      \
	X(cnthctl_el2)   \
	X(mdcr_el2)      \
	X(tpidr_el2)     \
	X(vpidr_el2)     \
	X(vmpidr_el2)    \
	X(hstr_el2)      \
	X(cnthp_ctl_el2) \
	X(sctlr_el1)     \
	X(tcr_el1)       \
	X(ttbr0_el1)     \
	X(mair_el1)      \
	X(sp_el1)        \
	X(elr_el1)       \
	X(spsr_el1)

struct arm_saved {
#define FIELD(name) uint64_t name;
	SAVED_AT_ANY_EL(FIELD)
	SAVED_AT_EL2(FIELD)
#undef FIELD
	struct arm_mmu mmu;
	struct gic_saved gic;
};

/* In this order, interrupts masked: before and after arm_mmu_switch() to ours. The second also
 * stops the firmware's timers. */
void arm_save_translation(struct arm_saved *saved);
void arm_save(struct arm_saved *saved);

/* Before arm_mmu_switch() to the firmware's. */
void arm_restore(const struct arm_saved *saved);

#endif
