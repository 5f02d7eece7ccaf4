/* SPDX-License-Identifier: MIT */
/*
 * The firmware's registers, saved by a take-over.
 */
#ifndef ARCH_AARCH64_SAVED_H
#define ARCH_AARCH64_SAVED_H

#include "arch/aarch64/cpu.h"
#include "arch/aarch64/interrupt/gic.h"

/* Saved under our own translation: with E2H = 1 the names of EL1's registers would access EL2's. */
#define SAVED_AT_ANY_EL(X) \
	X(sp_el0)          \
	X(tpidr_el0)       \
	X(tpidrro_el0)     \
	X(vbar_el1)        \
	X(cpacr_el1)       \
	X(tpidr_el1)       \
	X(contextidr_el1)  \
	X(cntp_ctl_el0)    \
	X(cntv_cval_el0)   \
	X(cntv_ctl_el0)
#define SAVED_AT_EL2(X)   \
	X(vbar_el2)       \
	X(cptr_el2)       \
	X(cnthctl_el2)    \
	X(mdcr_el2)       \
	X(tpidr_el2)      \
	X(vpidr_el2)      \
	X(vmpidr_el2)     \
	X(hstr_el2)       \
	X(cnthp_cval_el2) \
	X(cnthp_ctl_el2)  \
	X(sctlr_el1)      \
	X(tcr_el1)        \
	X(ttbr0_el1)      \
	X(mair_el1)       \
	X(sp_el1)         \
	X(elr_el1)        \
	X(spsr_el1)

/* The performance monitor's registers, and SPE's, if the CPU has them. */
#define ARM_PMU_COUNTERS 31U
#define SAVED_OF_PMU(X)  \
	X(pmcr_el0)      \
	X(pmccfiltr_el0) \
	X(pmccntr_el0)   \
	X(pmovsset_el0) X(pmintenset_el1) X(pmcntenset_el0) X(pmuserenr_el0) X(pmselr_el0)
/* By their encodings, as in pmu.c: PMSICR, PMSIRR, PMSFCR, PMSEVFR, PMSLATFR, PMBSR, PMBPTR,
 * PMBLIMITR, PMSCR_EL1. PMBLIMITR enables writes to the buffer and PMSCR_EL1 enables sampling, so
 * they are restored last. */
#define SAVED_OF_SPE(X) \
	X(s3_0_c9_c9_2) \
	X(s3_0_c9_c9_3) \
	X(s3_0_c9_c9_4) \
	X(s3_0_c9_c9_5) \
	X(s3_0_c9_c9_6) X(s3_0_c9_c10_3) X(s3_0_c9_c10_1) X(s3_0_c9_c10_0) X(s3_0_c9_c9_0)

struct pmu_saved {
	unsigned counters;
	/* The units of the CPU; instructions: PMICNTR_EL0; inverted: PMSNEVFR_EL1;
	 * sources: PMSDSFR_EL1 */
	bool pmu, instructions, spe, inverted, sources;
	uint64_t types[ARM_PMU_COUNTERS], values[ARM_PMU_COUNTERS];
#define FIELD(name) uint64_t name;
	SAVED_OF_PMU(FIELD)
	SAVED_OF_SPE(FIELD)
#undef FIELD
	uint64_t pmicntr, pmicfiltr, pmscr_el2, pmsnevfr, pmsdsfr;
};

struct arm_saved {
	uint64_t vectors[64] __attribute__((aligned(16))); /* V0 to V31 */
	uint64_t fpcr, fpsr, zcr_el1, zcr_el2;             /* the last two if the CPU has SVE */
	struct pmu_saved pmu;
#define FIELD(name) uint64_t name;
	SAVED_AT_ANY_EL(FIELD)
	SAVED_AT_EL2(FIELD)
#undef FIELD
	struct arm_mmu mmu;
	struct gic_saved gic;
};

/* Call the first before and the second after arm_mmu_switch() to our translation; interrupts
 * masked. The second also stops the firmware's timers. */
void arm_save_translation(struct arm_saved *saved);
void arm_save(struct arm_saved *saved);

/* Call it before arm_mmu_switch() to the firmware's translation. */
void arm_restore(const struct arm_saved *saved);

/* Registers that the payload and our drivers may change: saved after arm_cpu_own(), and restored
 * before arm_restore(), with the timers and the drivers stopped. saved_pmu.c. */
void arm_save_vectors(struct arm_saved *saved);
void arm_restore_vectors(const struct arm_saved *saved);
void arm_save_pmu(struct pmu_saved *saved);
void arm_restore_pmu(const struct pmu_saved *saved);

#endif
