/* SPDX-License-Identifier: MIT */
/* The CPU's state around snippets, and ring 3: SDM volume 3A, 2.5 (CR4), 5.8, 6.12.1. */
#include "arch/arch.h"
#include "arch/bench.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/descriptors.h"
#include "arch/x86_64/registers.h"

/* One CPU runs snippets at a time. */
static uint64_t bench_cr4;

/* IRETQ to ring 3 clears the segments of ring 0, and their bases with them. */
void arch_bench_save(struct arch_bench_state *state)
{
	uint32_t mxcsr;
	uint16_t control;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	__asm__ volatile("fnstcw %0" : "=m"(control));
	state->words[0] = mxcsr;
	state->words[1] = control;
	state->words[2] = arch_reg_read(IA32_FS_BASE);
	state->words[3] = arch_reg_read(IA32_GS_BASE);
}

void arch_bench_restore(const struct arch_bench_state *state)
{
	uint32_t mxcsr = (uint32_t)state->words[0];
	uint16_t control = (uint16_t)state->words[1];

	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
	__asm__ volatile("fninit; fldcw %0" : : "m"(control));
	arch_reg_write(IA32_FS_BASE, state->words[2]);
	arch_reg_write(IA32_GS_BASE, state->words[3]);
}

/* Pages of snippets belong to ring 3, and ring 0 uses them too: SMEP and SMAP would forbid that. */
void arch_bench_begin(void)
{
	bench_cr4 = x86_read_cr4();
	x86_write_cr4((bench_cr4 & ~(CR4_SMEP | CR4_SMAP)) | CR4_PCE);
}

void arch_bench_end(void)
{
	x86_write_cr4(bench_cr4);
}

void arch_bench_enter_user(const uint8_t *code, uint64_t sp)
{
	descriptors_set_stack(sp);
	__asm__ volatile(
	    "pushq %0\n\t"
	    "pushq $0\n\t"
	    "pushfq\n\t"
	    "pushq %1\n\t"
	    "pushq %2\n\t"
	    "iretq"
	    :
	    : "i"(GDT_USER_DATA), "i"(GDT_USER_CODE), "r"(code)
	    : "memory");
	__builtin_unreachable();
}

bool arch_bench_is_user(const struct arch_regs *regs)
{
	return regs->cs & 3;
}
