/* SPDX-License-Identifier: MIT */
/* A full buffer of SPE freezes the PMU's counters: Arm ARM, PMBLIMITR_EL1.PMFZ, PMCR_EL0.FZS. */
#include "aarch64.h"

#define INST_RETIRED   0x08
#define BR_RETIRED     0x21         /* QEMU counts it only for this model */
#define COUNT_EL2      (1ull << 27) /* PMEVTYPER_EL0.NSH */
#define CYCLES         (1ull << 31)
#define PMCR_E         1
#define PMCR_DP        (1ull << 5)
#define PMCR_LC        (1ull << 6)
#define PMCR_FZS       (1ull << 32)
#define PMBLIMITR_PMFZ 32
#define MDCR_HPMN      0x1full
#define MDCR_HPME      (1ull << 7)
#define MDCR_HPMFZS    (1ull << 36)

/* Fill the buffer with the counters counting. */
static void fill(uint64_t mode, uint64_t pmcr)
{
	write_sysreg("pmcr_el0", PMCR_E | PMCR_LC | pmcr);
	profile(1, mode, PMSCR_SAMPLE, 25600);
}

/* Instructions and cycles that a program counts now */
static uint64_t cycles;

static uint64_t instructions(void)
{
	uint64_t before = read_sysreg("pmevcntr0_el0"), at = read_sysreg("pmccntr_el0");

	profiled(1000);
	cycles = read_sysreg("pmccntr_el0") - at;
	return read_sysreg("pmevcntr0_el0") - before;
}

/* The counters that EL2 keeps for itself, here all of them */
static void test_kept_counters(void)
{
	uint64_t mdcr = read_sysreg("mdcr_el2"), kept = (mdcr & ~MDCR_HPMN) | MDCR_HPME;

	write_sysreg("mdcr_el2", kept);
	fill(PMBLIMITR_PMFZ, PMCR_FZS);
	tap_claim(instructions() >= 1000, "PMFZ: PMCR_EL0.FZS is not for counters that EL2 keeps");
	stop();
	write_sysreg("mdcr_el2", kept | MDCR_HPMFZS);
	fill(PMBLIMITR_PMFZ, 0);
	tap_claim(instructions() == 0 && cycles > 0, "... but MDCR_EL2.HPMFZS is");
	stop();
	write_sysreg("mdcr_el2", mdcr);
}

void test_freeze(void)
{
	write_sysreg("pmcr_el0", PMCR_FZS);
	if (!(read_sysreg("pmcr_el0") & PMCR_FZS) ||
	    !(read_sysreg("pmceid1_el0") >> (BR_RETIRED - 32) & 1))
		return;
	write_sysreg("pmevtyper0_el0", INST_RETIRED | COUNT_EL2);
	write_sysreg("pmccfiltr_el0", COUNT_EL2);
	write_sysreg("pmcntenset_el0", CYCLES | 1);
	fill(PMBLIMITR_PMFZ, PMCR_FZS);
	tap_equal(read_sysreg(PMBSR_EL1) & PMBSR_S, PMBSR_S, "PMFZ: the buffer is full");
	tap_equal(instructions(), 0, "... which freezes the event counters");
	tap_claim(cycles > 0, "... not the cycle counter");
	write_sysreg(PMBSR_EL1, 0);
	tap_claim(instructions() >= 1000, "... until S is cleared");
	stop();
	fill(PMBLIMITR_PMFZ, PMCR_FZS | PMCR_DP);
	tap_equal(instructions() + cycles, 0, "... with PMCR_EL0.DP the cycle counter too");
	write_sysreg(PMBLIMITR_EL1, 0);
	tap_claim(instructions() >= 1000 && cycles > 0, "... until the buffer is disabled");
	stop();
	fill(0, PMCR_FZS | PMCR_DP);
	tap_claim(instructions() >= 1000, "without PMFZ a full buffer freezes nothing");
	stop();
	fill(PMBLIMITR_PMFZ, PMCR_DP);
	tap_claim(instructions() >= 1000, "... nor without PMCR_EL0.FZS");
	stop();
	if (current_el() == 2)
		test_kept_counters();
	write_sysreg(PMBSR_EL1, 0);
	write_sysreg("pmcr_el0", 0);
	write_sysreg("pmcntenclr_el0", CYCLES | 1);
}
