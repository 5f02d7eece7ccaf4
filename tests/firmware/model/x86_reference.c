/* SPDX-License-Identifier: MIT */
/*
 * Reference cycles: ticks of the TSC while the CPU is not halted (SDM volume 3B, "Fixed-Function
 * Performance Counters", CPU_CLK_UNHALTED.REF_TSC).
 */
#include "x86.h"

#define DIVIDE_BY_1     11
#define FIXED_REFERENCE 2
#define REFERENCE_EVENT 0x13c
#define CYCLES          0x3c
#define HALTS           4
#define HALT_NS         10000000 /* QEMU's local APIC counts nanoseconds */

/* The counter's value, and the TSC read inside and outside of the counting interval */
struct measurement {
	uint64_t counted, general, within, around;
};

static uint64_t rdtsc(void)
{
	uint64_t value;

	__asm__ volatile("rdtsc" : "=A"(value) : : "memory");
	return value;
}

static struct measurement measure(void (*run)(void))
{
	struct measurement m;
	uint64_t enable = 1ull << (32 + FIXED_REFERENCE) | 1;

	write_counter(0, 0);
	wrmsr(IA32_PERFEVTSEL0, REFERENCE_EVENT | EVTSEL_OS_EN);
	wrmsr(IA32_FIXED_CTR0 + FIXED_REFERENCE, 0);
	wrmsr(IA32_FIXED_CTR_CTRL, 1u << (4 * FIXED_REFERENCE)); /* OS */
	m.around = rdtsc();
	wrmsr(IA32_PERF_GLOBAL_CTRL, enable);
	m.within = rdtsc();
	run();
	m.within = rdtsc() - m.within;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	m.around = rdtsc() - m.around;
	m.counted = rdmsr(IA32_FIXED_CTR0 + FIXED_REFERENCE);
	m.general = rdmsr(IA32_PMC0);
	return m;
}

static void run_loop(void)
{
	traced(1000);
}

/* The PMI ends a halt; its handler only notes it. */
static void halt(void)
{
	LAPIC_DIVIDE = DIVIDE_BY_1;
	LAPIC_TIMER = PMI_VECTOR;
	for (unsigned i = 0; i < HALTS; i++) {
		__asm__ volatile("cli");
		LAPIC_INITIAL_COUNT = HALT_NS;
		__asm__ volatile("sti\n\thlt" : : : "memory");
	}
	LAPIC_TIMER = LVT_MASKED;
}

void test_reference(void)
{
	struct measurement m = measure(run_loop);

	tap_claim(m.counted >= m.within && m.counted <= m.around,
	          "reference cycles are the ticks that RDTSC sees pass");
	tap_equal(m.general, m.counted, "... and the general event counts the same");
	m = measure(halt);
	tap_equal(pmis, HALTS, "halts end with an interrupt");
	tap_claim(m.counted > 0 && m.counted < m.within / 2,
	          "... and no reference cycle passes in them");
	tap_equal(count_of(CYCLES | EVTSEL_EDGE, halt), 1 + HALTS,
	          "... after which the clock begins to run again: edges of core cycles");
	/* This counter does not count the reference cycles of halts. */
	tap_equal(count_of(0x40c4, refused_interrupt), 1,
	          "after halts: an INT n that faults is no far branch");
	m = measure(run_loop);
	tap_claim(m.counted >= m.within && m.counted <= m.around,
	          "... and reference cycles are counted from their first on");
	quiesce();
}
