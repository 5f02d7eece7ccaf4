/* SPDX-License-Identifier: MIT */
/* Architectural performance monitoring: SDM volume 3B, "Performance Monitoring". */
#include "x86.h"

#define CR4_PCE           0x100u
#define RDPMC_FIXED       (1u << 30)
#define REFERENCE         0x1234u
#define CPUID_DS          (1u << 21)
/* DTES64, DS-CPL, PDCM */
#define CPUID_DS_FEATURES (1u << 2 | 1u << 4 | 1u << 15)

static uint64_t legal_counters(void)
{
	return ((1ull << counters) - 1) | ((1ull << fixed_counters) - 1) << 32;
}

static void test_identity(void)
{
	struct cpuid leaf = cpuid(10);

	tap_claim(version >= 2 && version <= 5 && (counters == 4 || counters == 8),
	          "CPUID leaf 0AH names a version and its counters");
	tap_claim((leaf.eax >> 16 & 0xff) == 48 && (leaf.edx >> 5 & 0xff) == 48,
	          "... of 48 bits, general and fixed");
	tap_equal(leaf.eax >> 24 << 8 | leaf.ebx, 7 << 8 | 3 << 3,
	          "... and seven events, without those of the last-level cache");
	tap_claim(version < 5 || (leaf.ecx == (1u << fixed_counters) - 1 && leaf.edx >> 15 & 1),
	          "... from version 5 on each fixed counter, and that AnyThread is no more");
	tap_equal(cpuid(1).edx & CPUID_DS, CPUID_DS, "CPUID leaf 1 names the debug store");
	tap_equal(cpuid(1).ecx & CPUID_DS_FEATURES, CPUID_DS_FEATURES,
	          "... its 64-bit layout, its filter by ring, and PERF_CAPABILITIES");
	tap_claim(fixed_counters == 3 || (version == 5 && fixed_counters == 4),
	          "... and three fixed counters, or four");
}

static void test_reserved_bits(void)
{
	uint64_t legal = legal_counters();

	tap_claim(wrmsr_faults(IA32_PERFEVTSEL0, 1ull << 32), "PERFEVTSEL: reserved bits are #GP");
	tap_claim(wrmsr_faults(IA32_PERFEVTSEL0, 1u << 21) == (version != 3 && version != 4),
	          "PERFEVTSEL: AnyThread exists in versions 3 and 4 only");
	tap_claim(wrmsr_faults(IA32_FIXED_CTR_CTRL, 1u << (4 * fixed_counters)),
	          "FIXED_CTR_CTRL: reserved bits are #GP");
	tap_claim(wrmsr_faults(IA32_PERF_GLOBAL_CTRL, legal + 1),
	          "GLOBAL_CTRL: a counter that does not exist is #GP");
	tap_claim(wrmsr_faults(IA32_PERF_GLOBAL_CTRL, 1ull << (32 + fixed_counters)),
	          "GLOBAL_CTRL: nor a fixed one");
	tap_claim(!wrmsr_faults(IA32_PERF_GLOBAL_CTRL, legal),
	          "GLOBAL_CTRL: all that exist are not");
	tap_claim(wrmsr_faults(IA32_PERF_GLOBAL_STATUS, 0), "GLOBAL_STATUS is read-only");
	tap_claim(wrmsr_faults(IA32_PERF_CAPABILITIES, 0), "PERF_CAPABILITIES is read-only");
	tap_claim(wrmsr_faults(IA32_DEBUGCTL, 1u << 2), "DEBUGCTL: reserved bits are #GP");
	tap_claim(wrmsr_faults(IA32_DS_AREA, 1ull << 60),
	          "DS_AREA: a non-canonical address is #GP");
}

static void test_counter_writes(void)
{
	wrmsr(IA32_PMC0, 0x80000000u);
	tap_equal(rdmsr(IA32_PMC0), COUNTER_MASK & 0xffffffff80000000ull,
	          "PMC: a legacy write extends its sign");
	if (full_width) {
		wrmsr(IA32_A_PMC0, 0x123456789abcull);
		tap_equal(rdmsr(IA32_PMC0), 0x123456789abcull, "A_PMC: a full-width write is kept");
		tap_claim(wrmsr_faults(IA32_A_PMC0, 1ull << 48), "A_PMC: beyond the width is #GP");
	}
	tap_claim(wrmsr_faults(IA32_FIXED_CTR0, 1ull << 48), "FIXED_CTR: beyond the width is #GP");
}

static void test_status_set(void)
{
	if (version < 4) {
		tap_claim(wrmsr_faults(IA32_PERF_GLOBAL_SET, 1),
		          "STATUS_SET: #GP before version 4");
		return;
	}
	wrmsr(IA32_PERF_GLOBAL_SET, 5);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_STATUS), 5, "STATUS_SET sets");
	wrmsr(IA32_PERF_GLOBAL_RESET, 4);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_STATUS), 1, "STATUS_RESET clears what it is told to");
	wrmsr(IA32_PERF_GLOBAL_RESET, 1);
	wrmsr(IA32_PERFEVTSEL0 + 2, 0xc0);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_INUSE), 4, "INUSE names a counter with an event");
	wrmsr(IA32_FIXED_CTR_CTRL, 0xb);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_INUSE), 1ull << 63 | 1ull << 32 | 4,
	          "INUSE names a fixed counter, and the use of PMIs");
	quiesce();
	wrmsr(IA32_PERF_GLOBAL_SET, STATUS_CTR_FRZ);
	wrmsr(IA32_PMC0, 0);
	wrmsr(IA32_PERFEVTSEL0, 0xc0 | EVTSEL_OS_EN);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	traced(10);
	tap_equal(rdmsr(IA32_PMC0), 0, "STATUS_SET of CTR_FRZ freezes by software");
	quiesce();
}

static uint64_t count_traced(uint32_t evtsel)
{
	wrmsr(IA32_PMC0, 0);
	wrmsr(IA32_PERFEVTSEL0, evtsel | EVTSEL_OS_EN);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	traced(100);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	return rdmsr(IA32_PMC0);
}

static void test_masks(void)
{
	uint64_t all = count_traced(0xc0);

	tap_claim(all >= 400 && all < 430, "instructions are counted, ring 0 included");
	tap_equal(count_traced(0xc0 | 1u << 24), all, "CMASK 1 counts cycles with an event");
	tap_equal(count_traced(0xc0 | 2u << 24), 0, "CMASK 2: there are none with two");
	tap_equal(count_traced(0xc0 | 2u << 24 | 1u << 23), all, "... and INV counts the others");
	tap_equal(count_traced(0xc0 | 1u << 24 | 1u << 23), 0,
	          "INV, CMASK 1: no cycle is without an instruction");
	tap_equal(count_traced(0x20c4 | 1u << 24 | 1u << 23), all - 301,
	          "... but many are without a branch taken");
	tap_equal(count_traced(0x20c4), 301, "near branches taken: three a turn, and the return");
	tap_equal(count_traced(0x10c4), 1, "branches not taken: the last of the loop");
	tap_equal(count_traced(0x40c4), 0, "far branches: none");
	tap_equal(count_traced(0x412e), 0, "last-level cache misses: CPUID says not counted");
	quiesce();
}

uint64_t count_of(uint32_t evtsel, void (*run)(void))
{
	wrmsr(IA32_PMC0, 0);
	wrmsr(IA32_PERFEVTSEL0, evtsel | EVTSEL_OS_EN);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	run();
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	return rdmsr(IA32_PMC0);
}

/* Interrupts of equal length, and no other branches */
static void ten_interrupts(void)
{
	__asm__ volatile(".rept 10\n\tint %0\n\t.endr" : : "i"(EMPTY_VECTOR));
}

/* Two functions that raise #GP; they differ only in the refused instruction */
#define REFUSED(instruction)                                                       \
	__asm__ volatile("movl $1f, %%edi\n\t" instruction "\n1:"                  \
	                 :                                                         \
	                 : "c"(IA32_PERF_GLOBAL_STATUS), "A"(0ull), "i"(NO_VECTOR) \
	                 : "edi", "memory")

void refused_interrupt(void)
{
	REFUSED("int %2");
}

static void refused_access(void)
{
	REFUSED("wrmsr");
}

/* SDM volume 3B, "Far branches": software interrupts are among them, if they complete. */
static void test_software_interrupts(void)
{
	tap_equal(count_of(0x40c4, ten_interrupts), 20,
	          "far branches: ten INT n, and ten IRET of their handler");
	tap_equal(count_of(0x40c4, refused_interrupt), 1,
	          "... an INT n that faults is none: the IRET of #GP's handler");
	tap_equal(count_of(0xc0, refused_interrupt), count_of(0xc0, refused_access),
	          "... nor has it retired, no more than another instruction that faults");
	quiesce();
}

/* Instructions of traced(100) in ring 3 and of entering and leaving it, counted by ring. */
static uint64_t count_rings(uint32_t evtsel)
{
	wrmsr(IA32_PMC0, 0);
	wrmsr(IA32_PERFEVTSEL0, 0xc0 | evtsel);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	in_ring_3(traced, 100);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	return rdmsr(IA32_PMC0);
}

static void test_rings(void)
{
	uint64_t user = count_rings(EVTSEL_USR), kernel = count_rings(EVTSEL_OS_EN);

	/* 405 instructions: push, call, mov, four per turn of the loop, ret, int */
	tap_equal(user, 405, "USR alone counts ring 3, to the instruction");
	tap_claim(kernel > 10 && kernel < 60, "OS alone counts the way there and back");
	tap_equal(count_rings(EVTSEL_USR | EVTSEL_OS_EN), user + kernel, "both count both");
	quiesce();
}

static void test_fixed_counters(void)
{
	uint64_t count[4] = { 0 };
	uint32_t all = 0;

	for (unsigned i = 0; i < fixed_counters; i++) {
		wrmsr(IA32_FIXED_CTR0 + i, 0);
		all |= 1u << (4 * i); /* OS */
	}
	wrmsr(IA32_FIXED_CTR_CTRL, all);
	wrmsr(IA32_PERF_GLOBAL_CTRL, legal_counters() & ~0xffull);
	traced(100);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	for (unsigned i = 0; i < fixed_counters; i++)
		count[i] = rdmsr(IA32_FIXED_CTR0 + i);
	tap_claim(count[0] >= 400 && count[0] < 430, "fixed counter 0 counts instructions");
	tap_claim(count[1] >= count[0] && count[1] < count[0] + 10, "fixed counter 1 core cycles");
	if (fixed_counters > 3)
		tap_equal(count[3], 4 * count[0],
		          "fixed counter 3 slots: here four an instruction");
	quiesce();
}

/* In ring 3: a bit for each counter whose RDPMC is refused */
static unsigned read_counters(unsigned index)
{
	return rdpmc_faults(index) | (unsigned)rdpmc_faults(RDPMC_FIXED) << 1;
}

static unsigned read_value(unsigned index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return low;
}

static void test_rdpmc(void)
{
	tap_claim(rdpmc_faults(counters), "RDPMC: a counter that does not exist is #GP");
	tap_claim(rdpmc_faults(RDPMC_FIXED | fixed_counters), "RDPMC: nor a fixed one");
	tap_claim(!rdpmc_faults(RDPMC_FIXED | (fixed_counters - 1)), "RDPMC: one that does is not");
	set_cr4(cr4() & ~(uint64_t)CR4_PCE);
	tap_equal(in_ring_3(read_counters, 0), 3, "RDPMC in ring 3 is #GP without CR4.PCE");
	tap_claim(!rdpmc_faults(0), "... but not in ring 0");
	set_cr4(cr4() | CR4_PCE);
	tap_equal(in_ring_3(read_counters, 0), 0, "... and is none with it");
	tap_equal(in_ring_3(read_counters, counters), 1, "... but for counters that do not exist");
	write_counter(1, REFERENCE);
	tap_equal(in_ring_3(read_value, 1), REFERENCE, "... and reads the counter");
	set_cr4(cr4() & ~(uint64_t)CR4_PCE);
}

static void test_overflow(void)
{
	overflow_soon(0);
	tap_equal(pmis, 1, "an overflow interrupts once");
	tap_equal(pmi_status, 1, "its status bit is set");
	tap_claim(pmi_lvt & LVT_MASKED, "the LVT entry has masked itself");
	tap_claim(pmi_counter > 0 && pmi_counter < 200, "without freezing the counter runs on");
	quiesce();
	overflow_soon(DEBUGCTL_FREEZE_PERFMON);
	if (version >= 4) {
		tap_equal(pmi_status, STATUS_CTR_FRZ | 1, "frozen on PMI: by a status bit");
		tap_equal(rdmsr(IA32_PERF_GLOBAL_CTRL), 1, "... the enables stay");
		tap_equal(rdmsr(IA32_PMC0), pmi_counter, "... nothing is counted");
		wrmsr(IA32_PERF_GLOBAL_RESET, STATUS_CTR_FRZ | 1);
		traced(10);
		tap_claim(rdmsr(IA32_PMC0) > pmi_counter, "... until the bit is cleared");
	} else {
		tap_equal(rdmsr(IA32_PERF_GLOBAL_CTRL), 0,
		          "frozen on PMI: the enables are cleared");
		tap_equal(rdmsr(IA32_PMC0), pmi_counter, "... and nothing is counted");
	}
	quiesce();
}

void test_counters(void)
{
	test_identity();
	test_reserved_bits();
	quiesce();
	test_counter_writes();
	test_status_set();
	test_masks();
	test_software_interrupts();
	test_rings();
	test_fixed_counters();
	test_rdpmc();
	test_overflow();
}
