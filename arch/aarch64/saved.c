/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/saved.h"

#include "arch/aarch64/sysreg.h"

void arm_save_translation(struct arm_saved *saved)
{
	if (current_el() == 2) {
		saved->mmu.sctlr = read_sysreg(sctlr_el2);
		saved->mmu.tcr = read_sysreg(tcr_el2);
		saved->mmu.ttbr0 = read_sysreg(ttbr0_el2);
		saved->mmu.mair = read_sysreg(mair_el2);
		saved->mmu.hcr = read_sysreg(hcr_el2);
	} else {
		saved->mmu.sctlr = read_sysreg(sctlr_el1);
		saved->mmu.tcr = read_sysreg(tcr_el1);
		saved->mmu.ttbr0 = read_sysreg(ttbr0_el1);
		saved->mmu.mair = read_sysreg(mair_el1);
	}
}

#define SAVE(name)    saved->name = read_sysreg(name);
#define RESTORE(name) write_sysreg(name, saved->name);

void arm_save(struct arm_saved *saved)
{
	SAVED_AT_ANY_EL(SAVE)
	write_sysreg(cntp_ctl_el0, 0);
	write_sysreg(cntv_ctl_el0, 0);
	if (current_el() == 2) {
		SAVED_AT_EL2(SAVE)
		write_sysreg(cnthp_ctl_el2, 0);
	}
	isb();
}

void arm_restore(const struct arm_saved *saved)
{
	SAVED_AT_ANY_EL(RESTORE)
	if (current_el() == 2) {
		SAVED_AT_EL2(RESTORE)
	}
	isb();
}
