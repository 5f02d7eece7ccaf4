/* SPDX-License-Identifier: MIT */
/*
 * Software step (Arm ARM DDI 0487, D2.12). Entered at EL2, MDCR_EL2.TDE routes the debug exceptions
 * of EL1 and EL0 to us, whatever PSTATE.D says there. Entered at EL1, our threads are stepped at
 * our own level: MDSCR_EL1.KDE allows it while PSTATE.D is 0. Handlers run with PSTATE.D = 1.
 *
 * SPSR_ELx.SS = 1 at the exception return executes one instruction before the next exception; with
 * 0 the exception comes at once. An interrupt in between keeps the state in its own SPSR_ELx.
 */
#include "arch/aarch64/pmu/step.h"

#include <errno.h>

#include "arch/aarch64/cpu.h"
#include "arch/aarch64/pmu/step_code.h"
#include "arch/aarch64/pmu/step_walk.h"
#include "arch/aarch64/sysreg.h"
#include "arch/aarch64/takeover.h"
#include "arch/step.h"

#define PAR_F       1UL
#define PAR_ADDRESS 0x000ffffffffff000UL
#define VBAR_EL1T   0x000U /* D1.3.1: offsets of the vectors for synchronous exceptions */
#define VBAR_EL1H   0x200U
#define VBAR_EL0    0x400U

/* The state of each CPU; only that CPU uses it. */
static struct step_cpu {
	bool on;     /* between begin and end */
	bool armed;  /* the registers are changed */
	bool tried;  /* step_try() has run */
	bool works;  /* the CPU can single-step */
	bool masked; /* EL1: PSTATE.D was set at begin */
	unsigned limit, seen;
	const struct arch_step_ops *ops;
	struct step_walk walk;
	uint64_t mdscr, oslsr;
	struct {
		uint64_t control, value;
	} breakpoints[STEP_EXITS];
	uint64_t code; /* EL2: a page that our translation maps; 0: none is known */
} steps[ARCH_MAX_CPUS];

/* ---- Registers ---- */

#define BREAKPOINTS(X) X(0) X(1) X(2) X(3)
_Static_assert(STEP_EXITS == 4, "BREAKPOINTS");

static void step_save_breakpoints(struct step_cpu *s)
{
#define SAVE(n)                                                           \
	if (n < s->limit) {                                               \
		s->breakpoints[n].control = read_sysreg(dbgbcr##n##_el1); \
		s->breakpoints[n].value = read_sysreg(dbgbvr##n##_el1);   \
	}
	BREAKPOINTS(SAVE)
}

static void step_write_breakpoint(unsigned n, uint64_t control, uint64_t value)
{
#define WRITE(number)                                        \
	if (n == (number)) {                                 \
		write_sysreg(dbgbvr##number##_el1, value);   \
		write_sysreg(dbgbcr##number##_el1, control); \
	}
	BREAKPOINTS(WRITE)
}

static uint64_t step_spsr(void)
{
	return current_el() == 2 ? read_sysreg(spsr_el2) : read_sysreg(spsr_el1);
}

static void step_set_spsr(uint64_t value)
{
	if (current_el() == 2)
		write_sysreg(spsr_el2, value);
	else
		write_sysreg(spsr_el1, value);
}

/* The bits of MDSCR_EL1 that are set beside MDSCR_SS or MDSCR_MDE. */
static uint64_t step_mdscr(const struct step_cpu *s)
{
	uint64_t value = s->mdscr & ~(MDSCR_SS | MDSCR_MDE | MDSCR_KDE);

	return arm_machine.el == 1 ? value | MDSCR_KDE : value;
}

static void step_arm(struct step_cpu *s)
{
	unsigned count = (unsigned)(read_sysreg(id_aa64dfr0_el1) >> DFR0_BRPS_SHIFT & 0xf) + 1;

	s->limit = count < STEP_EXITS ? count : STEP_EXITS;
	s->mdscr = read_sysreg(mdscr_el1);
	s->oslsr = read_sysreg(oslsr_el1);
	s->masked = read_sysreg(daif) & PSTATE_D;
	write_sysreg(oslar_el1, 0); /* the OS lock disables debug exceptions (D2.5) */
	isb();
	step_save_breakpoints(s);
	if (arm_machine.el == 2)
		write_sysreg(mdcr_el2, read_sysreg(mdcr_el2) | MDCR_TDE);
	s->armed = true;
	write_sysreg(mdscr_el1, step_mdscr(s) | MDSCR_SS);
	isb();
}

/* PSTATE.D belongs to the thread: in a handler it is in SPSR_EL1. */
static void step_mask(void)
{
	if (read_sysreg(spsel))
		step_set_spsr(step_spsr() | PSTATE_D);
	else
		asm volatile("msr daifset, #8" : : : "memory");
}

static void step_disarm(struct step_cpu *s)
{
	s->armed = false;
	write_sysreg(mdscr_el1, s->mdscr);
	for (unsigned i = 0; i < s->limit; i++)
		step_write_breakpoint(i, s->breakpoints[i].control, s->breakpoints[i].value);
	write_sysreg(oslar_el1, s->oslsr & OSLSR_OSLK ? 1 : 0);
	if (arm_machine.el == 2)
		write_sysreg(mdcr_el2, read_sysreg(mdcr_el2) & ~MDCR_TDE);
	else if (s->masked)
		step_mask();
	isb();
}

/* ---- The traced code ---- */

/* PAR_EL1 is the traced code's. Returns the physical address, or PAR_F. */
static uint64_t step_translate_el1(uint64_t address)
{
	uint64_t par = read_sysreg(par_el1), found;

	asm volatile("at s1e1r, %0\n\tisb" : : "r"(address) : "memory");
	found = read_sysreg(par_el1);
	write_sysreg(par_el1, par);
	return found & PAR_F ? PAR_F : (found & PAR_ADDRESS) | (address & (ARCH_PAGE - 1));
}

/* Our own translation maps identically, and never changes. */
static bool step_is_mapped(struct step_cpu *s, uint64_t address)
{
	uint64_t par, page = address & ~(ARCH_PAGE - 1);

	if (s->code == page)
		return true;
	par = read_sysreg(par_el1);
	asm volatile("at s1e2r, %0\n\tisb" : : "r"(address) : "memory");
	if (!(read_sysreg(par_el1) & PAR_F))
		s->code = page;
	write_sysreg(par_el1, par);
	return s->code == page;
}

/* Entered at EL2, the traced code may have a translation of its own. */
static bool step_fetch(uint64_t pc, uint32_t *word)
{
	uint64_t address = pc % 4 ? PAR_F : step_translate_el1(pc);

	if (address == PAR_F)
		return false;
	if (arm_machine.el == 1)
		address = pc;
	else if (!step_is_mapped(&steps[arch_cpu()], address))
		return false;
	*word = *(const volatile uint32_t *)(uintptr_t)address;
	return true;
}

static uint64_t step_register(const struct arch_regs *regs, unsigned n)
{
	if (n < 18)
		return regs->x[n];
	if (n < 19)
		return regs->x18;
	if (n < 29)
		return regs->x19[n - 19];
	return n == 29 ? regs->fp : n == 30 ? regs->x30 : 0;
}

/* Entered at EL1: if the instruction at pc would set PSTATE.D, carry it out without that; else
 * stepping would end. */
static bool step_sets_daif(const struct arch_regs *regs, uint32_t word)
{
	uint64_t spsr = step_spsr(), masks;

	if (step_is_daifset(word))
		masks = (spsr | (uint64_t)(word >> 8 & 0xf) << 6) & PSTATE_DAIF;
	else if (step_is_daif(word))
		masks = step_register(regs, word & 31) & PSTATE_DAIF;
	else
		return false;
	if (!(masks & PSTATE_D))
		return false;
	step_set_spsr((spsr & ~PSTATE_DAIF) | (masks & ~PSTATE_D));
	return true;
}

/* ---- The exceptions ---- */

/* Let the traced code continue in the way that the walk has chosen. */
static void step_go(struct step_cpu *s)
{
	if (s->walk.way == STEP_ONE) {
		step_set_spsr(step_spsr() | PSTATE_SS);
		return;
	}
	for (unsigned i = 0; i < s->limit; i++)
		step_write_breakpoint(i, i < s->walk.over.count ? DBGBCR_CODE : 0,
		                      s->walk.over.exits[i].address);
	write_sysreg(mdscr_el1, step_mdscr(s) | MDSCR_MDE);
	step_set_spsr(step_spsr() & ~PSTATE_SS);
}

static void step_stopped(struct step_cpu *s, const struct arch_regs *regs)
{
	const struct step_walk_ops ops = { step_fetch, s->ops->taken, s->ops->missed };
	uint64_t pc = regs->pc;

	if (s->walk.way == STEP_OVER)
		write_sysreg(mdscr_el1, step_mdscr(s) | MDSCR_SS);
	step_walk_report(&s->walk, pc, &ops);
	if (!s->armed)
		return; /* a report has ended it */
	step_walk_go(&s->walk, pc, s->limit, &ops);
	while (arm_machine.el == 1 && step_sets_daif(regs, s->walk.word)) {
		pc += 4;
		write_sysreg(elr_el1, pc);
		step_walk_go(&s->walk, pc, s->limit, &ops);
	}
	if (step_is_wait(s->walk.word))
		arch_relax();
	step_go(s);
}

/* MDCR_EL2.TDE routes the traced code's BRK to us as well: pass it on to EL1, where it would go. */
static void step_reflect(const struct arch_regs *regs)
{
	uint64_t spsr = read_sysreg(spsr_el2), mode = spsr & PSTATE_M_MASK;
	uint64_t offset = mode == PSTATE_EL1H   ? VBAR_EL1H
	                  : mode == PSTATE_EL1T ? VBAR_EL1T
	                                        : VBAR_EL0;

	write_sysreg(elr_el1, regs->pc);
	write_sysreg(spsr_el1, spsr & ~PSTATE_SS);
	write_sysreg(esr_el1, regs->esr);
	write_sysreg(elr_el2, read_sysreg(vbar_el1) + offset);
	write_sysreg(spsr_el2, (spsr & PSTATE_NZCV) | PSTATE_DAIF | PSTATE_EL1H);
}

bool arm_step_exception(struct arch_regs *regs)
{
	uint64_t class = regs->esr >> ESR_EC_SHIFT & ESR_EC_MASK;
	struct step_cpu *s = &steps[arch_cpu()];

	if (!s->armed || class < ESR_EC_BREAKPT_LOWER)
		return false;
	if (class > ESR_EC_STEP) {
		if (class != ESR_EC_BRK64 || regs->vector < VECTOR_LOWER)
			return false;
		step_reflect(regs);
	} else if (!s->on) {
		step_disarm(s); /* arch_step_end() has just begun */
	} else {
		step_stopped(s, regs);
	}
	return true;
}

void arm_step_forget(void)
{
	struct step_cpu *s = &steps[arch_cpu()];

	if (!s->armed)
		return;
	step_walk_forget(&s->walk);
	write_sysreg(mdscr_el1, step_mdscr(s) | MDSCR_SS);
}

/* ---- Whether the exceptions come ---- */

static void step_try_taken(uint64_t from, uint64_t to)
{
	steps[arch_cpu()].seen += to == from + 4;
}

static void step_try_missed(uint64_t count)
{
	(void)count;
}

/* A step, and a sequence that needs a breakpoint, each before a branch to the next instruction. */
static int step_try_code(void *arg)
{
	uint64_t word = 0, value;
	uint32_t failed;

	(void)arg;
	asm volatile(
	    "	b	1f\n"
	    "1:	ldxr	%0, %2\n"
	    "	stxr	%w1, %0, %2\n"
	    "	b	2f\n"
	    "2:"
	    : "=&r"(value), "=&r"(failed), "+Q"(word));
	return 0;
}

/* Software above us can keep the debug exceptions (MDCR_EL3, MDCR_EL2.TDE, the OS double lock). */
static bool step_try(struct step_cpu *s)
{
	static const struct arch_step_ops ops = { step_try_taken, step_try_missed };

	s->ops = &ops;
	s->seen = 0;
	arch_step_begin();
	arch_call_payload(step_try_code, NULL);
	arch_step_end();
	return s->seen == 2;
}

/* ---- The seam ---- */

bool arch_step_possible(void)
{
	return true;
}

int arch_step_init(const struct arch_step_ops *ops)
{
	struct step_cpu *s = &steps[arch_cpu()];

	if (!s->tried) {
		s->tried = true;
		s->works = step_try(s);
	}
	s->ops = ops;
	return s->works ? 0 : -EOPNOTSUPP;
}

void arch_step_begin(void)
{
	struct step_cpu *s = &steps[arch_cpu()];

	step_walk_forget(&s->walk);
	s->on = true;
	step_arm(s);
	if (arm_machine.el == 1)
		asm volatile("msr daifclr, #8\n\tisb" : : : "memory");
}

/* Entered at EL1, the exception after the first store ends stepping, if it comes. */
void arch_step_end(void)
{
	struct step_cpu *s = &steps[arch_cpu()];

	__atomic_store_n(&s->on, false, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&s->armed, __ATOMIC_RELAXED))
		step_disarm(s);
}

void arch_step_look(void)
{
	struct step_cpu *s = &steps[arch_cpu()];

	if (!s->armed || !step_walk_look(&s->walk))
		return;
	s->ops->missed(ARCH_MISSED_UNKNOWN);
	arm_step_forget();
}
