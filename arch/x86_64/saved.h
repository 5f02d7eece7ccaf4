/* SPDX-License-Identifier: MIT */
/* What a CPU was when the firmware had it; docs/resident.md has the list. */
#ifndef ARCH_X86_64_SAVED_H
#define ARCH_X86_64_SAVED_H

#include "arch/x86_64/cpuid.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/interrupt/descriptors.h"

#define PERFMON_SAVED 80U

/* Registers of the performance monitor and the debug store that this CPU has, in the order of the
 * reverse of which they are put back. */
struct perfmon_saved {
	unsigned count;
	struct {
		uint32_t reg;
		uint64_t value;
	} registers[PERFMON_SAVED];
};

struct x86_saved {
	uint8_t fx[512] __attribute__((aligned(16))); /* FXSAVE: SSE's callee-saved, MXCSR, FCW */
	uint64_t cr0, cr3, cr4, xcr0, efer, pat, fs_base, gs_base, kernel_gs_base, dr6, dr7;
	struct descriptor_table gdtr, idtr;
	uint16_t cs, ss, ds, es, fs, gs, tr;
	struct apic_saved apic;
	struct perfmon_saved perfmon;
};

/* The calling CPU, number cpu, becomes ours: saved has all that this changes, and what our drivers
 * and traced code may change later. Interrupts masked. */
void x86_take_cpu(unsigned cpu, struct x86_saved *saved);

/* It is the firmware's again, except for its interrupt flag. What was on its way to us is taken
 * before. Interrupts masked, on any stack that both translations map. */
void x86_give_cpu(unsigned cpu, const struct x86_saved *saved);

/* Traced code may use what vector registers the calling CPU has: SSE, AVX, AVX-512. Returns what
 * was on before, XCR0; 0: it has no XSAVE. */
uint64_t x86_vectors_on(void);

/* What XCR0 is for that, by CPUID leaf 0DH, subleaf 0 (SDM volume 2A: what it may have) and what it
 * was. What is no vector register, AMX's tiles among them, stays as it was. */
uint64_t x86_vectors_xcr0(struct cpuid state, uint64_t before);

/* Of the calling CPU, by CPUID; saved_perfmon.c. With our descriptor tables, as what CPUID promises
 * may fault all the same. */
void perfmon_save(struct perfmon_saved *saved);
void perfmon_restore(const struct perfmon_saved *saved);

/* Whether there are counters, as pmu/x86/'s drivers see it. By CPUID. */
bool perfmon_has_counters(void);

#endif
