// SPDX-License-Identifier: MIT
#include "arch/aarch64/exception.h"
#include "arch/aarch64/cpu.h"
#include "arch/aarch64/regs.h"
#include "arch/aarch64/sysreg.h"

/* SMCCC's answer to a call that nobody serves (DEN0028, 5.2 "Unknown Function Identifier"). */
#define SMCCC_NOT_SUPPORTED (~0UL)

uint64_t arch_regs_pc(const struct arch_regs *regs)
{
	return regs->pc;
}

uint64_t arch_regs_fp(const struct arch_regs *regs)
{
	return regs->x[29];
}

uint64_t arch_regs_sp(const struct arch_regs *regs)
{
	return regs->sp;
}

/* Code on SP_ELx of our own level was interrupted right below the saved registers, except where
 * vectors.S changed stacks for it and left the old one in SP_EL0. */
uint64_t arm_interrupted_sp(const struct arch_regs *regs)
{
	unsigned kind = regs->vector & VECTOR_KIND_MASK;
	uint64_t mode = regs->pstate & PSTATE_M_MASK;

	if (regs->vector >= VECTOR_LOWER)
		return mode == PSTATE_EL1H ? read_sysreg(sp_el1) : read_sysreg(sp_el0);
	if (regs->vector < VECTOR_CURRENT_H || kind == VECTOR_SYNC || kind == VECTOR_SERROR)
		return read_sysreg(sp_el0);
	return (uint64_t)regs + REGS_SIZE;
}

/* What runs below us goes on at EL1 with a stack pointer of its own and unmasked, as
 * arm_payload_run() began it; a thread at our own level has SP_EL0. */
void arch_regs_redirect(const struct arch_regs *regs, void (*fn)(void *arg), void *arg, uint64_t sp)
{
	struct arch_regs *r = (struct arch_regs *)(uintptr_t)regs;

	r->pc = (uint64_t)fn;
	r->x[0] = (uint64_t)arg;
	r->x[29] = 0;
	r->x[30] = 0;
	if (r->vector < VECTOR_LOWER) {
		write_sysreg(sp_el0, sp);
		return;
	}
	write_sysreg(sp_el1, sp);
	r->pstate = PSTATE_EL1H;
}

/* The payload's own exception, as its vectors passed it on. */
static void adopt_payload_exception(struct arch_regs *regs, uint64_t vector)
{
	regs->pc = read_sysreg(elr_el1);
	regs->pstate = read_sysreg(spsr_el1);
	regs->esr = read_sysreg(esr_el1);
	regs->far = read_sysreg(far_el1);
	regs->vector = VECTOR_LOWER + (vector & VECTOR_KIND_MASK);
	regs->frame.ret = regs->pc;
}

static void payload_call(struct arch_regs *regs)
{
	uint64_t number = regs->esr & ESR_HVC_IMM_MASK;

	if (number == HVC_PAYLOAD_RETURN && arm_this_cpu()->payload_saved)
		arm_payload_leave((int64_t)regs->x[0]);
	if (number - HVC_PAYLOAD_VECTOR >= VECTOR_COUNT) {
		regs->x[0] = SMCCC_NOT_SUPPORTED;
		return;
	}
	adopt_payload_exception(regs, number - HVC_PAYLOAD_VECTOR);
	regs->sp = arm_interrupted_sp(regs);
	panic_exception(regs);
}

void arm_synchronous(struct arch_regs *regs)
{
	bool serror = (regs->vector & VECTOR_KIND_MASK) == VECTOR_SERROR;

	if (!serror && (regs->esr >> ESR_EC_SHIFT & ESR_EC_MASK) == ESR_EC_HVC64 &&
	    regs->vector >= VECTOR_LOWER) {
		payload_call(regs);
		return;
	}
	regs->sp = arm_interrupted_sp(regs);
	panic_exception(regs);
}
