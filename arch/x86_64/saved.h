/* SPDX-License-Identifier: MIT */
/* The state of a CPU under the firmware; docs/resident.md has the list. */
#ifndef ARCH_X86_64_SAVED_H
#define ARCH_X86_64_SAVED_H

#include "arch/x86_64/cpuid.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/interrupt/descriptors.h"

#define PERFMON_SAVED 80U

/* Registers of the performance monitor and the debug store that this CPU has; they are restored in
 * reverse order. */
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

/* Take over the calling CPU, number cpu: saved gets everything that this changes now and that our
 * drivers and traced code may change later. Interrupts masked. */
void x86_take_cpu(unsigned cpu, struct x86_saved *saved);

/* Give the CPU back to the firmware, except for its interrupt flag. Interrupts that were on their
 * way to us are taken first. Interrupts masked, on any stack that both translations map. */
void x86_give_cpu(unsigned cpu, const struct x86_saved *saved);

/* Let traced code use the vector registers that the calling CPU has: SSE, AVX, AVX-512. Returns the
 * former XCR0; 0: the CPU has no XSAVE. */
uint64_t x86_vectors_on(void);

/* The value of XCR0 that enables these vector registers, from CPUID leaf 0DH, subleaf 0 (SDM volume
 * 2A: the supported bits) and its former value. Bits of other state, such as AMX's tiles, stay. */
uint64_t x86_vectors_xcr0(struct cpuid state, uint64_t before);

/* Save and restore the calling CPU's registers, by CPUID; saved_perfmon.c. With our descriptor
 * tables loaded, because registers that CPUID reports may fault. */
void perfmon_save(struct perfmon_saved *saved);
void perfmon_restore(const struct perfmon_saved *saved);

/* Whether the CPU has counters for the drivers in pmu/x86/. By CPUID. */
bool perfmon_has_counters(void);

#endif
