/* SPDX-License-Identifier: MIT */
/*
 * Which registers a CPU has: those that CPUID and PERF_CAPABILITIES report; accesses to others
 * raise #GP (SDM volume 2, RDMSR and WRMSR, "reserved or unimplemented MSR address").
 */
#include "x86.h"

#define CPUID_DS  (1u << 21)
#define TRIPS     200000u
#define CPUID_PMU (1u << 2 | 1u << 4 | 1u << 15) /* DTES64, DS-CPL, PDCM */

/* The first `present` of `all` registers from base on exist, and the rest do not. */
static void some(uint32_t base, unsigned present, unsigned all, const char *what)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < present; i++)
		wrong += rdmsr_faults(base + i);
	for (unsigned i = present; i < all; i++)
		wrong += !rdmsr_faults(base + i) + !wrmsr_faults(base + i, 0);
	tap_equal(wrong, 0, what);
}

/* MSRs of other CPUs, and of features that the model lacks (SDM volume 4; AMD's APM) */
static void test_absence(void)
{
	static const struct {
		uint32_t base, n;
		const char *what;
	} absent[] = {
		{ 0x011, 3, "#GP: Pentium's counters" },
		{ 0x040, 8, "#GP: last branch records of Core, sources" },
		{ 0x060, 8, "#GP: ... targets" },
		{ 0x0c9, 2, "#GP: PMC8 and 9" },
		{ 0x0e7, 2, "#GP: MPERF, APERF" },
		{ 0x18e, 2, "#GP: PERFEVTSEL8 and 9" },
		{ 0x1a6, 2, "#GP: OFFCORE_RSP" },
		{ 0x1d7, 2, "#GP: last exception records of P4" },
		{ 0x1da, 5, "#GP: last branches and exceptions of P6 and P4" },
		{ 0x1e0, 1, "#GP: LER_INFO" },
		{ 0x300, 9, "#GP: P4's counters" },
		{ 0x30d, 5, "#GP: fixed counters from 4 on" },
		{ 0x329, 1, "#GP: PERF_METRICS" },
		{ 0x360, 18, "#GP: P4's counters' control" },
		{ 0x393, 5, "#GP: uncore" },
		{ 0x3a0, 66, "#GP: P4's events' selection, and uncore" },
		{ 0x3f0, 1, "#GP: P4's precise events" },
		{ 0x3f2, 1, "#GP: ... and their matrix" },
		{ 0x3f7, 1, "#GP: PEBS_FRONTEND" },
		{ 0x4c9, 2, "#GP: A_PMC8 and 9" },
		{ 0x560, 2, "#GP: Processor Trace, output" },
		{ 0x570, 3, "#GP: ... control" },
		{ 0x580, 8, "#GP: ... addresses" },
		{ 0x700, 64, "#GP: the client's uncore" },
		{ 0xc80, 1, "#GP: DEBUG_INTERFACE" },
		{ 0xc8d, 3, "#GP: monitoring of shared resources" },
		{ 0xe00, 3, "#GP: uncore's global control" },
		{ 0x1200, 32, "#GP: architectural last branch records, information" },
		{ 0x14ce, 2, "#GP: ... control" },
		{ 0x1500, 32, "#GP: ... sources" },
		{ 0x1600, 32, "#GP: ... targets" },
		{ 0x1900, 256, "#GP: version 6's counters" },
		{ 0xc0000300, 4, "#GP: AMD's counters, global" },
		{ 0xc0010000, 8, "#GP: ... of the K7" },
		{ 0xc0010200, 12, "#GP: ... of family 15H and later" },
		{ 0xc0011030, 14, "#GP: ... and IBS" },
	};

	for (unsigned i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		some(absent[i].base, 0, absent[i].n, absent[i].what);
}

void test_presence(void)
{
	unsigned v4 = version >= 4, has_pebs = pebs, has_lbr = last_branches != 0;

	some(IA32_PMC0, counters, 8, "PMC: as many as CPUID says, the others are #GP");
	some(IA32_PERFEVTSEL0, counters, 8, "PERFEVTSEL: so too");
	some(IA32_A_PMC0, full_width ? counters : 0, 8,
	     "A_PMC: so too, none without PERF_CAPABILITIES.FW_WRITE");
	some(IA32_FIXED_CTR0, fixed_counters, 4, "FIXED_CTR: as many as CPUID says");
	some(IA32_PERF_GLOBAL_SET, v4, 1, "GLOBAL_STATUS_SET: from version 4 on, else #GP");
	some(IA32_PERF_GLOBAL_INUSE, v4, 1, "GLOBAL_INUSE: so too");
	some(IA32_PEBS_ENABLE, has_pebs, 1, "PEBS_ENABLE: #GP if MISC_ENABLE says no PEBS");
	some(MSR_PEBS_LD_LAT, has_pebs, 1, "PEBS_LD_LAT: so too");
	some(MSR_LBR_SELECT, has_lbr, 1, "LBR_SELECT: #GP without a format of records");
	some(MSR_LASTBRANCH_TOS, has_lbr, 1, "LASTBRANCH_TOS: so too");
	some(MSR_LASTBRANCH_0_FROM, last_branches, 32,
	     "LASTBRANCH_FROM: as many as the format says");
	some(MSR_LASTBRANCH_0_TO, last_branches, 32, "LASTBRANCH_TO: so too");
	some(MSR_LBR_INFO_0, last_branches == 32 ? 32 : 0, 32,
	     "LBR_INFO: with the format that has it, else #GP");
	some(IA32_DS_AREA, 1, 1, "DS_AREA: always");
	some(IA32_DEBUGCTL, 1, 1, "DEBUGCTL: always");
	test_absence();
}

static unsigned ring(unsigned unused)
{
	uint32_t cs;

	(void)unused;
	__asm__ volatile("movl %%cs, %0" : "=r"(cs));
	return cs & 3;
}

/* Without the model: plain QEMU, where an unknown register reads as zero without a fault */
void test_off(void)
{
	static const uint32_t msrs[] = {
		IA32_PMC0,      IA32_PERFEVTSEL0,      IA32_A_PMC0,           IA32_FIXED_CTR0,
		IA32_DEBUGCTL,  IA32_PERF_GLOBAL_CTRL, IA32_DS_AREA,          IA32_PEBS_ENABLE,
		MSR_LBR_SELECT, MSR_LASTBRANCH_TOS,    MSR_LASTBRANCH_0_FROM,
	};
	struct cpuid leaf = cpuid(10), one = cpuid(1);
	unsigned faults = 0, values = 0, rings = 0;

	for (unsigned i = 0; i < sizeof(msrs) / sizeof(msrs[0]); i++) {
		faults += wrmsr_faults(msrs[i], 1) + rdmsr_faults(msrs[i]);
		values += rdmsr(msrs[i]) != 0;
	}
	tap_claim(!(leaf.eax | leaf.ebx | leaf.ecx | leaf.edx), "off: CPUID leaf 0AH is zero");
	tap_claim(!(one.edx & CPUID_DS) && !(one.ecx & CPUID_PMU),
	          "off: CPUID leaf 1 names no debug store and no PERF_CAPABILITIES");
	tap_equal(faults, 0, "off: no register of the model's faults");
	tap_equal(values, 0, "off: each reads as zero");
	tap_claim(rdpmc_faults(0), "off: RDPMC is refused");
	/* Instructions that reach the model's hooks, so many that tests/qemu/off.py can count them
	 * */
	for (unsigned i = 0; i < TRIPS; i++)
		rings += in_ring_3(ring, 0);
	tap_equal(rings, 3 * TRIPS, "off: to ring 3 and back");
}
