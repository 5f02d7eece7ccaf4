/* SPDX-License-Identifier: MIT */
/* Saves and restores the firmware's registers of the performance hardware and of floating point.
 * Arm ARM DDI 0487, D17.5 and D17.7. */
#include "arch/aarch64/pmu/pmuv3.h"
#include "arch/aarch64/pmu/spe.h"
#include "arch/aarch64/saved.h"
#include "arch/aarch64/sysreg.h"

#define DFR0_PMUVER   8
#define DFR0_PMSVER   32
#define DFR1_PMICNTR  36
#define PMUVER_IMPDEF 0xfU

#define SAVE(name)    saved->name = read_sysreg(name);
#define RESTORE(name) write_sysreg(name, saved->name);

/* ---- Performance monitor ---- */

static bool saved_pmu_has_pmu(void)
{
	uint64_t version = read_sysreg(id_aa64dfr0_el1) >> DFR0_PMUVER & 0xf;

	return version != 0 && version != PMUVER_IMPDEF;
}

static bool saved_pmu_counts_instructions(void)
{
	return read_sysreg(id_aa64dfr1_el1) >> DFR1_PMICNTR & 0xf;
}

static void saved_pmu_save_counters(struct pmu_saved *saved)
{
	SAVED_OF_PMU(SAVE)
	saved->instructions = saved_pmu_counts_instructions();
	if (saved->instructions) {
		saved->pmicntr = read_sysreg(s3_3_c9_c4_0);
		saved->pmicfiltr = read_sysreg(s3_3_c9_c6_0);
	}
	saved->counters = saved->pmcr_el0 >> PMCR_N & PMCR_N_MASK;
	for (unsigned i = 0; i < saved->counters; i++) {
		write_sysreg(pmselr_el0, i);
		isb();
		saved->types[i] = read_sysreg(pmxevtyper_el0);
		saved->values[i] = read_sysreg(pmxevcntr_el0);
	}
}

/* All counters are stopped until the sets of counting and interrupting counters are restored. */
static void saved_pmu_restore_counters(const struct pmu_saved *saved)
{
	uint64_t all = UINT32_MAX | (uint64_t)saved->instructions << INSTRUCTION_COUNTER;

	write_sysreg(pmcr_el0, saved->pmcr_el0 & ~(uint64_t)(PMCR_E | PMCR_P | PMCR_C));
	write_sysreg(pmcntenclr_el0, all);
	write_sysreg(pmintenclr_el1, all);
	if (saved->instructions) {
		write_sysreg(s3_3_c9_c6_0, saved->pmicfiltr);
		write_sysreg(s3_3_c9_c4_0, saved->pmicntr);
	}
	for (unsigned i = 0; i < saved->counters; i++) {
		write_sysreg(pmselr_el0, i);
		isb();
		write_sysreg(pmxevtyper_el0, saved->types[i]);
		write_sysreg(pmxevcntr_el0, saved->values[i]);
	}
	write_sysreg(pmovsclr_el0, all);
	SAVED_OF_PMU(RESTORE)
}

/* ---- Statistical profiling ---- */

/* PMSIDR_EL1 is not read if a higher exception level owns the buffer: that would trap. */
static bool saved_pmu_has_spe(void)
{
	return read_sysreg(id_aa64dfr0_el1) >> DFR0_PMSVER & 0xf &&
	       !(read_sysreg(s3_0_c9_c10_7) & PMBIDR_P);
}

static void saved_pmu_save_spe(struct pmu_saved *saved)
{
	SAVED_OF_SPE(SAVE)
	saved->inverted = read_sysreg(s3_0_c9_c9_7) & PMSIDR_FNE;
	if (saved->inverted)
		saved->pmsnevfr = read_sysreg(s3_0_c9_c9_1);
	saved->sources = read_sysreg(s3_0_c9_c9_7) & PMSIDR_FDS;
	if (saved->sources)
		saved->pmsdsfr = read_sysreg(s3_0_c9_c10_4);
	if (current_el() == 2)
		saved->pmscr_el2 = read_sysreg(s3_4_c9_c9_0);
}

static void saved_pmu_restore_spe(const struct pmu_saved *saved)
{
	write_sysreg(s3_0_c9_c9_0, 0);
	isb();
	write_sysreg(s3_0_c9_c10_0, 0);
	isb();
	if (saved->inverted)
		write_sysreg(s3_0_c9_c9_1, saved->pmsnevfr);
	if (saved->sources)
		write_sysreg(s3_0_c9_c10_4, saved->pmsdsfr);
	SAVED_OF_SPE(RESTORE)
	if (current_el() == 2)
		write_sysreg(s3_4_c9_c9_0, saved->pmscr_el2);
}

void arm_save_pmu(struct pmu_saved *saved)
{
	saved->pmu = saved_pmu_has_pmu();
	saved->spe = saved_pmu_has_spe();
	if (saved->pmu)
		saved_pmu_save_counters(saved);
	if (saved->spe)
		saved_pmu_save_spe(saved);
}

void arm_restore_pmu(const struct pmu_saved *saved)
{
	if (saved->spe)
		saved_pmu_restore_spe(saved);
	if (saved->pmu)
		saved_pmu_restore_counters(saved);
	isb();
}

/* ---- Floating point ---- */

#define EACH_PAIR(X) \
	X(0, 1)      \
	X(2, 3)      \
	X(4, 5)      \
	X(6, 7)      \
	X(8, 9)      \
	X(10, 11)    \
	X(12, 13)    \
	X(14, 15)    \
	X(16, 17)    \
	X(18, 19)    \
	X(20, 21)    \
	X(22, 23)    \
	X(24, 25)    \
	X(26, 27)    \
	X(28, 29)    \
	X(30, 31)

#define STORE(a, b) \
	asm volatile("stp q" #a ", q" #b ", [%0, #(16 * " #a ")]" : : "r"(v) : "memory");
#define LOAD(a, b) asm volatile("ldp q" #a ", q" #b ", [%0, #(16 * " #a ")]" : : "r"(v) : "memory");

/* Vector registers are saved because a payload that is ended, or crashes, does not restore those
 * that the ABI preserves. */
void arm_save_vectors(struct arm_saved *saved)
{
	uint64_t *v = saved->vectors;

	EACH_PAIR(STORE)
	saved->fpcr = read_sysreg(fpcr);
	saved->fpsr = read_sysreg(fpsr);
	if (!has_sve())
		return;
	saved->zcr_el1 = read_sysreg(S3_0_C1_C2_0);
	if (current_el() == 2)
		saved->zcr_el2 = read_sysreg(S3_4_C1_C2_0);
}

void arm_restore_vectors(const struct arm_saved *saved)
{
	const uint64_t *v = saved->vectors;

	EACH_PAIR(LOAD)
	write_sysreg(fpcr, saved->fpcr);
	write_sysreg(fpsr, saved->fpsr);
	if (!has_sve())
		return;
	write_sysreg(S3_0_C1_C2_0, saved->zcr_el1);
	if (current_el() == 2)
		write_sysreg(S3_4_C1_C2_0, saved->zcr_el2);
}
