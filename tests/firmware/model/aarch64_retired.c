/* SPDX-License-Identifier: MIT */
/*
 * What INST_RETIRED counts: instructions that have executed, and of those that
 * generate an exception the ones that are there for it (Arm ARM, "Common event
 * numbers"). BR_PRED counts branches that can be predicted.
 */
#include "aarch64.h"

#define INST_RETIRED 0x08
#define BR_PRED      0x12
#define BR_RETIRED   0x21 /* which QEMU counts for this model alone */
#define HANDLER      9    /* instructions of the one in `vectors`, ERET included */

static void nothing(void)
{
	__asm__ volatile("nop\n\tnop");
}

/* The handler steps over an instruction: the NOP here ... */
static void supervisor_call(void)
{
	__asm__ volatile("svc #0\n\tnop" : : : "memory");
}

/* ... and the one that faults here, with some in the same block to come */
static void breakpoint(void)
{
	__asm__ volatile("brk #0\n\tnop" : : : "memory");
}

static void undefined(void)
{
	__asm__ volatile(".inst 0\n\tnop" : : : "memory");
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

/* In EL1 alone: a filter without NSH counts nothing at EL2. */
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

void test_retired(void)
{
	if (!(read_sysreg("pmceid1_el0") >> (BR_RETIRED - 32) & 1))
		return;
	if (current_el() == 2) {
		test_trapped_access();
		return;
	}
	write_sysreg("vbar_el1", vectors);
	test_exceptions();
	count(BR_PRED);
	profiled(100);
	/* and the way there and back */
	tap_claim((read_sysreg("pmceid0_el0") >> BR_PRED & 1) && counted() - 100 <= 4,
	          "BR_PRED: every branch can be predicted");
}
