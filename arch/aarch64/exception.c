/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/exception.h"

#include "arch/aarch64/cpu.h"
#include "arch/aarch64/pmu/step.h"
#include "arch/aarch64/regs.h"
#include "arch/aarch64/sysreg.h"

/* SMCCC's result for an unknown function (DEN0028, 5.2 "Unknown Function Identifier"). */
#define SMCCC_NOT_SUPPORTED (~0UL)

/* Whether the payload was interrupted, at EL1 below our EL2, and not a thread of ours. */
static bool exception_is_below(uint64_t pstate)
{
	return current_el() == 2 &&
	       (pstate & PSTATE_M_AARCH32 || (pstate & PSTATE_M_MASK) < PSTATE_EL2T);
}

/* The state of a thread of ours instead of EL0's, which only snippets use; other states stay. */
static uint64_t exception_own_pstate(uint64_t pstate, uint64_t own)
{
	return pstate & PSTATE_M_MASK ? pstate : own | (pstate & PSTATE_DAIF);
}

/* A payload at EL1 continues with its own stack pointer and interrupts unmasked, as
 * arm_payload_run() started it; a thread at our own level has SP_EL0. */
void arch_regs_redirect(const struct arch_regs *regs, void (*fn)(void *arg), void *arg, uint64_t sp)
{
	struct arch_regs *r = (struct arch_regs *)(uintptr_t)regs;

	arm_step_forget();
	r->x[0] = (uint64_t)arg;
	r->fp = 0;
	r->x30 = 0;
	if (current_el() == 1) {
		write_sysreg(elr_el1, (uint64_t)fn);
		write_sysreg(sp_el0, sp);
		write_sysreg(spsr_el1, exception_own_pstate(read_sysreg(spsr_el1), PSTATE_EL1T));
		return;
	}
	write_sysreg(elr_el2, (uint64_t)fn);
	write_sysreg(spsr_el2, exception_own_pstate(read_sysreg(spsr_el2), PSTATE_EL2T));
	if (exception_is_below(read_sysreg(spsr_el2))) {
		write_sysreg(spsr_el2, PSTATE_EL1H);
		write_sysreg(sp_el1, sp);
	} else {
		write_sysreg(sp_el0, sp);
	}
}

/* Turn an exception of the payload, passed on by the payload's vectors, into one that was taken to
 * our level. */
static void exception_adopt_payload_exception(struct arch_regs *regs, uint64_t vector)
{
	regs->pc = read_sysreg(elr_el1);
	regs->pstate = read_sysreg(spsr_el1);
	regs->esr = read_sysreg(esr_el1);
	regs->far = read_sysreg(far_el1);
	regs->vector = VECTOR_LOWER + (vector & VECTOR_KIND_MASK);
	write_sysreg(elr_el2, regs->pc);
	write_sysreg(spsr_el2, regs->pstate);
}

static void exception_payload_call(struct arch_regs *regs)
{
	uint64_t number = regs->esr & ESR_HVC_IMM_MASK;

	if (number == HVC_PAYLOAD_RETURN && arm_this_cpu()->payload_saved)
		arm_payload_leave((int64_t)regs->x[0]);
	if (number == HVC_PAYLOAD_SIGNAL && regs->x[0] < arch_cpu_count()) {
		arch_cpu_signal((unsigned)regs->x[0]);
		return;
	}
	if (number - HVC_PAYLOAD_VECTOR >= VECTOR_COUNT) {
		regs->x[0] = SMCCC_NOT_SUPPORTED;
		return;
	}
	exception_adopt_payload_exception(regs, number - HVC_PAYLOAD_VECTOR);
	panic_exception(regs);
}

void arm_synchronous(struct arch_regs *regs)
{
	bool serror = (regs->vector & VECTOR_KIND_MASK) == VECTOR_SERROR;

	if (!serror && arm_step_exception(regs))
		return;
	if (!serror && (regs->esr >> ESR_EC_SHIFT & ESR_EC_MASK) == ESR_EC_HVC64 &&
	    regs->vector >= VECTOR_LOWER)
		exception_payload_call(regs);
	else
		panic_exception(regs);
}
