/* SPDX-License-Identifier: MIT */
/*
 * INST_RETIRED counts executed instructions; of instructions that generate an exception it counts
 * those whose purpose that is (Arm ARM, "Common event numbers"). BR_RETIRED counts executed
 * branches, BR_PRED predictable ones.
 */
#include "aarch64.h"

#define INST_RETIRED 0x08
#define BR_PRED      0x12
#define BR_RETIRED   0x21         /* QEMU counts it only for this model */
#define HANDLER      9            /* instructions of the handler in `vectors`, ERET included */
#define NOT_AT_EL1   (1ull << 31) /* PMEVTYPER_EL0.P */
#define SPSR_SS      (1ull << 21)
#define MDSCR_SS     1
#define EC_PAUTH     0x09
#define EC_STEP      0x32
#define SCTLR_ENIA   (1ull << 31)

static void nothing(void)
{
	__asm__ volatile("nop\n\tnop");
}

/* The handler steps over an instruction: here the NOP ... */
static void supervisor_call(void)
{
	__asm__ volatile("svc #0\n\tnop" : : : "memory");
}

/* ... and here the one that faults, with further instructions in the same block */
static void breakpoint(void)
{
	__asm__ volatile("brk #0\n\tnop" : : : "memory");
}

static void undefined(void)
{
	__asm__ volatile(".inst 0\n\tnop" : : : "memory");
}

/* Undefined encodings among those of branches: B.cond with bit 4, BR with op3 1, DRPS, ERET with
 * op4 1 */
static void undefined_branches(void)
{
	__asm__ volatile(
	    ".inst 0x54000010\n\t.inst 0xd61f0400\n\t.inst 0xd6bf03e0\n\t.inst 0xd69f03e1"
	    :
	    :
	    : "memory");
}

static void undefined_others(void)
{
	__asm__ volatile(".rept 4\n\t.inst 0\n\t.endr" : : : "memory");
}

/* At EL0; at EL1 with HCR_EL2.API clear ERETAA traps. */
static void undefined_return(void)
{
	__asm__ volatile("eret" : : : "memory");
}

static void trapped_return(void)
{
	__asm__ volatile(".inst 0xd69f0bff" : : : "memory"); /* eretaa */
}

static void undefined_other(void)
{
	__asm__ volatile(".inst 0" : : : "memory");
}

static void floating_point(void)
{
	__asm__ volatile(".inst 0x1e604020\n\tnop" : : : "memory"); /* fmov d0, d1 */
}

static void sampling_register(void)
{
	__asm__ volatile("mrs x0, " PMSIRR_EL1 "\n\tnop" : : : "x0", "memory");
}

static void count(uint64_t event)
{
	write_sysreg("pmevtyper0_el0", event);
	write_sysreg("pmevcntr0_el0", 0);
	write_sysreg("pmcr_el0", read_sysreg("pmcr_el0") | 1);
	write_sysreg("pmcntenset_el0", 1);
}

static uint64_t counted(void)
{
	write_sysreg("pmcntenclr_el0", 1);
	return read_sysreg("pmevcntr0_el0");
}

static uint64_t retired(void (*function)(void))
{
	count(INST_RETIRED);
	function();
	return counted();
}

static void test_exceptions(void)
{
	uint64_t base = retired(nothing) - 2;

	tap_equal(retired(supervisor_call) - base, 1 + HANDLER, "INST_RETIRED: SVC retires");
	tap_equal(retired(breakpoint) - base, 1 + HANDLER + 1, "... and BRK");
	tap_equal(retired(undefined) - base, HANDLER + 1,
	          "... an undefined instruction does not, those around it do");
	write_sysreg("cpacr_el1", 0);
	tap_equal(retired(floating_point) - base, HANDLER + 1, "... nor one of FP that traps");
}

static uint64_t branches(void (*function)(void))
{
	count(BR_RETIRED);
	function();
	return counted();
}

static uint64_t counted_at_el0(uint64_t event, void (*function)(void), uint64_t spsr)
{
	count(event | NOT_AT_EL1);
	below_el1(function, spsr);
	return counted();
}

static void test_branches(void)
{
	tap_equal(branches(undefined_branches), branches(undefined_others),
	          "BR_RETIRED: a branch's encoding that is undefined is no branch");
	tap_equal(counted_at_el0(BR_RETIRED, undefined_return, SPSR_EL0T),
	          counted_at_el0(BR_RETIRED, undefined_other, SPSR_EL0T), "... nor is ERET at EL0");
}

/* Active-pending: the exception comes before an instruction has executed. */
static void test_steps(void)
{
	uint64_t all = counted_at_el0(INST_RETIRED, nothing, SPSR_EL0T);

	write_sysreg("oslar_el1", 0);
	for (unsigned steps = 0; steps < 2; steps++) {
		trapped = 0;
		write_sysreg("mdscr_el1", MDSCR_SS);
		tap_equal(counted_at_el0(INST_RETIRED, nothing, SPSR_EL0T | (steps ? SPSR_SS : 0)),
		          all,
		          steps ? "... nor one that steps an instruction"
		                : "INST_RETIRED: a software step that is pending adds nothing");
		tap_equal(trapped >> 26, EC_STEP, "... as there was");
	}
}

/* Count in EL1 only: a filter without NSH counts nothing at EL2. */
static uint64_t retired_below(void (*function)(void))
{
	count(INST_RETIRED);
	below_el2(function, SPSR_EL1H);
	return counted();
}

static void test_trapped_access(void)
{
	uint64_t base, mdcr = read_sysreg("mdcr_el2");

	write_sysreg("hcr_el2", HCR_RW);
	write_sysreg("mdcr_el2", mdcr | MDCR_PB_MASK);
	base = retired_below(nothing);
	tap_equal(retired_below(sampling_register), base,
	          "INST_RETIRED: an access to a register retires");
	write_sysreg("mdcr_el2", mdcr | MDCR_PB_MASK | MDCR_TPMS);
	trapped = 0;
	tap_equal(retired_below(sampling_register), base - 1, "... not if it traps to EL2");
	tap_equal(trapped >> 26, EC_SYSREG, "... as it did");
	write_sysreg("mdcr_el2", mdcr);
}

static uint64_t branches_below(void (*function)(void))
{
	count(BR_RETIRED);
	below_el2(function, SPSR_EL1H);
	return counted();
}

static void test_trapped_return(void)
{
	uint64_t base;

	write_sysreg("hcr_el2", HCR_RW);
	base = branches_below(nothing);
	write_sysreg("sctlr_el1", read_sysreg("sctlr_el1") | SCTLR_ENIA);
	trapped = 0;
	tap_equal(branches_below(trapped_return), base,
	          "BR_RETIRED: an ERETAA that traps to EL2 is no branch");
	tap_equal(trapped >> 26, EC_PAUTH, "... as it did");
	write_sysreg("sctlr_el1", read_sysreg("sctlr_el1") & ~SCTLR_ENIA);
}

void test_retired(void)
{
	if (!(read_sysreg("pmceid1_el0") >> (BR_RETIRED - 32) & 1))
		return;
	if (current_el() == 2) {
		test_trapped_access();
		if (has_pauth())
			test_trapped_return();
		return;
	}
	write_sysreg("vbar_el1", vectors);
	test_exceptions();
	test_branches();
	test_steps();
	count(BR_PRED);
	profiled(100);
	/* plus the instructions of the call and the return */
	tap_claim((read_sysreg("pmceid0_el0") >> BR_PRED & 1) && counted() - 100 <= 4,
	          "BR_PRED: every branch can be predicted");
}
