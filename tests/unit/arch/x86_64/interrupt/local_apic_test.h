/* SPDX-License-Identifier: MIT */
/* In place of arch/x86_64/cpu.h: the MSRs and CPUID are the test's. */
#ifndef ARCH_X86_64_CPU_H
#define ARCH_X86_64_CPU_H
#define ARCH_X86_64_CPUID_H

#include <stdint.h>

/* The host has hooks of these names (arch/host/fake_cpu.c). */
#define arch_timer_init   x86_timer_init
#define arch_timer_arm    x86_timer_arm
#define arch_timer_disarm x86_timer_disarm
#define arch_timer_lacks  x86_timer_lacks

#define X86_LVT_PMI_MSR 0x834
#define X86_LVT_PMI_NMI 0x400U
extern volatile uint32_t *x86_lvt_pmi;

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};
struct cpuid cpuid(uint32_t leaf, uint32_t subleaf);
uint64_t rdmsr(uint32_t msr);
void wrmsr(uint32_t msr, uint64_t value);

#endif
