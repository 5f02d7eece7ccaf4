/* SPDX-License-Identifier: MIT */
/* The performance monitor's registers: SDM volume 4, and CPUID as registers for drivers. */
#include <errno.h>

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/interrupt/interrupts.h"
#include "arch/x86_64/pmu/ibs.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "arch/x86_64/pmu/trace.h"

/* msr.S */
uint64_t x86_rdmsr_safe(uint32_t msr);
uint64_t x86_rdpmc_safe(uint32_t selector);
void x86_wrmsr_safe(uint32_t msr, uint64_t value);
extern const char x86_rdmsr_may_fault[], x86_rdpmc_may_fault[], x86_wrmsr_may_fault[],
    x86_msr_landing[];

bool x86_msr_is_missing(const struct arch_regs *regs)
{
	if (regs->rip != (uint64_t)x86_rdmsr_may_fault &&
	    regs->rip != (uint64_t)x86_rdpmc_may_fault &&
	    regs->rip != (uint64_t)x86_wrmsr_may_fault)
		return false;
	((struct arch_regs *)(uintptr_t)regs)->rip = (uint64_t)x86_msr_landing;
	return true;
}

void x86_general_protection(const struct arch_regs *regs)
{
	if (!x86_msr_is_missing(regs))
		panic_exception(regs);
}

static uint64_t pmu_cpuid_word(uint32_t reg)
{
	uint32_t range = (reg >> 8 & 3) << 30, leaf = range | (reg >> 2 & 0x3f);
	struct cpuid id;

	if (leaf > cpuid(range, 0).eax)
		return 0;
	id = cpuid(leaf, 0);
	return (const uint32_t[]){ id.eax, id.ebx, id.ecx, id.edx }[reg & 3];
}

static unsigned pmu_lvt_offset(uint32_t reg)
{
	return APIC_EXTENDED_FIRST + 0x10 * (reg & 0xf);
}

uint64_t arch_reg_read(uint32_t reg)
{
	uint64_t value;

	if ((reg & ~0x3ffU) == CPUID_WORDS)
		return pmu_cpuid_word(reg);
	if ((reg & ~0xfU) == APIC_EXTENDED_LVTS)
		return apic_read(pmu_lvt_offset(reg));
	if ((reg & ~0x1ffU) == RDPMC_VALUES)
		return x86_rdpmc_safe(RDPMC_SELECTOR(reg));
	if (trace_read(reg, &value))
		return value;
	return x86_rdmsr_safe(reg);
}

void arch_reg_write(uint32_t reg, uint64_t value)
{
	if ((reg & ~0xfU) == APIC_EXTENDED_LVTS)
		apic_write(pmu_lvt_offset(reg), (uint32_t)value);
	else if (!trace_write(reg, value))
		x86_wrmsr_safe(reg, value);
}

/* Not architectural, and CPUID does not report it: without it the MSR reads as 0. */
bool arch_smi_count(uint64_t *count)
{
	*count = (uint32_t)x86_rdmsr_safe(MSR_SMI_COUNT);
	return cpuid(0, 0).ebx == CPUID_VENDOR_GENU;
}

/* The debug store, which traces on x86, uses the performance monitor interrupt. */
int arch_trace_interrupt_init(arch_handler_fn handler)
{
	(void)handler;
	return -ENODEV;
}

void arch_trace_sync(void)
{
}
