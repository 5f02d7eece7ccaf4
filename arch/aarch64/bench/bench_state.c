/* SPDX-License-Identifier: MIT */
/* The CPU's state around snippets, and EL0: Arm ARM DDI 0487, D1.3.4, D17.2. */
#include "arch/aarch64/cpu.h"
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"
#include "arch/bench.h"

#define SCTLR_EL1_EL0 (1UL << 14 | 1UL << 15 | 1UL << 26) /* DZE, UCT, UCI: as under Linux */
#define CNTKCTL_VCTEN (1UL << 1)                          /* EL0 reads CNTVCT_EL0 */
#define PMUSERENR_EN  (1UL << 0)                          /* EL0 reads the counters */
#define CPACR_FPEN    (3UL << 20)                         /* EL0 uses vector registers */

/* One CPU runs snippets at a time. */
static struct {
	uint64_t sctlr, cntkctl, pmuserenr, cpacr;
	bool counters; /* the CPU has them */
} bench_el0;

void arch_bench_save(struct arch_bench_state *state)
{
	state->words[0] = read_sysreg(fpcr);
	state->words[1] = read_sysreg(fpsr);
	state->words[2] = read_sysreg(tpidr_el0);
	state->words[3] = read_sysreg(daif);
}

void arch_bench_restore(const struct arch_bench_state *state)
{
	write_sysreg(fpcr, state->words[0]);
	write_sysreg(fpsr, state->words[1]);
	write_sysreg(tpidr_el0, state->words[2]);
	write_sysreg(daif, state->words[3]);
}

/* DDI 0487, D8.4.6: SCTLR_ELx.WXN may be cached in a TLB. */
static void bench_set_wxn(bool forbids)
{
	if (arm_runs_at_el2()) {
		uint64_t value = read_sysreg(sctlr_el2) & ~SCTLR_WXN;

		write_sysreg(sctlr_el2, value | (forbids ? SCTLR_WXN : 0));
		asm volatile("isb\n\ttlbi alle2\n\tdsb nsh\n\tisb" : : : "memory");
	} else {
		uint64_t value = read_sysreg(sctlr_el1) & ~SCTLR_WXN;

		write_sysreg(sctlr_el1, value | (forbids ? SCTLR_WXN : 0));
		asm volatile("isb\n\ttlbi vmalle1\n\tdsb nsh\n\tisb" : : : "memory");
	}
}

/* Registers of EL1 that decide over EL0; at EL2 they are those of the payload's level. */
static void bench_let_el0(void)
{
	uint64_t version = read_sysreg(id_aa64dfr0_el1) >> 8 & 0xf; /* PMUVer */

	bench_el0.sctlr = read_sysreg(sctlr_el1);
	bench_el0.cntkctl = read_sysreg(cntkctl_el1);
	bench_el0.cpacr = read_sysreg(cpacr_el1);
	bench_el0.counters = version && version != 0xf;
	write_sysreg(sctlr_el1, bench_el0.sctlr | SCTLR_EL1_EL0);
	write_sysreg(cntkctl_el1, bench_el0.cntkctl | CNTKCTL_VCTEN);
	write_sysreg(cpacr_el1, bench_el0.cpacr | CPACR_FPEN);
	if (bench_el0.counters) {
		bench_el0.pmuserenr = read_sysreg(pmuserenr_el0);
		write_sysreg(pmuserenr_el0, PMUSERENR_EN);
	}
	isb();
}

/* FEAT_PAN (ID_AA64MMFR1_EL1.PAN): our level may access EL0's data. */
static void bench_clear_pan(void)
{
	if (read_sysreg(id_aa64mmfr1_el1) >> 20 & 0xf)
		asm volatile("msr S0_0_C4_C0_4, xzr" : : : "memory"); /* MSR PAN, #0 */
}

void arch_bench_begin(void)
{
	bench_let_el0();
	bench_clear_pan();
	bench_set_wxn(false);
}

void arch_bench_end(void)
{
	bench_set_wxn(true);
	write_sysreg(sctlr_el1, bench_el0.sctlr);
	write_sysreg(cntkctl_el1, bench_el0.cntkctl);
	write_sysreg(cpacr_el1, bench_el0.cpacr);
	if (bench_el0.counters)
		write_sysreg(pmuserenr_el0, bench_el0.pmuserenr);
	isb();
}

/* The handlers' stack is SP_EL1 or SP_EL2; a thread of ours and EL0 use SP_EL0. */
void arch_bench_enter_user(const uint8_t *code, uint64_t sp)
{
	uint64_t pstate = read_sysreg(daif); /* and M[3:0] = 0: EL0 */

	(void)sp;
	asm volatile("msr daifset, #15" : : : "memory");
	if (arm_runs_at_el2()) {
		write_sysreg(elr_el2, (uint64_t)code);
		write_sysreg(spsr_el2, pstate);
	} else {
		write_sysreg(elr_el1, (uint64_t)code);
		write_sysreg(spsr_el1, pstate);
	}
	asm volatile("eret" : : : "memory");
	__builtin_unreachable();
}

/* An interrupt saves no PSTATE; SPSR has it, also of an exception that EL1 has passed on. */
bool arch_bench_is_user(const struct arch_regs *regs)
{
	uint64_t pstate = arm_runs_at_el2() ? read_sysreg(spsr_el2) : read_sysreg(spsr_el1);

	(void)regs;
	return !(pstate & PSTATE_M_MASK);
}
