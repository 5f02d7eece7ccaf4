/* SPDX-License-Identifier: MIT */
/* Instructions, and each CPU's own data. Only for files in arch/x86_64/. */
#ifndef ARCH_X86_64_CPU_H
#define ARCH_X86_64_CPU_H

#include "arch/arch.h"
#include "arch/x86_64/cpuid.h"

/* A CPU's stacks. The TSS switches to all but the first: IST index i is stack STACK_THREAD + i. A
 * handler that returns to the interrupted code has one of these, because that code may keep data
 * below its stack pointer (the red zone: System V AMD64 ABI, 3.2.2), as libgcc does. So has a
 * handler that reports a damaged stack. No stack is entered twice: interrupts are masked on theirs,
 * NMIs are blocked until IRET on theirs, and no handler runs under single-step. */
enum x86_stack {
	STACK_THREAD,
	STACK_INTERRUPT,
	STACK_NMI,
	STACK_DF,
	STACK_MC,
	STACK_DB,
	NR_STACKS,
};

struct x86_cpu {
	struct {
		uint64_t low, high; /* [low, high); the page below low is not mapped */
	} stacks[NR_STACKS];
};
extern struct x86_cpu x86_cpus[ARCH_MAX_CPUS];

static inline uint64_t rdmsr(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (uint64_t)high << 32 | low;
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr"
	                 :
	                 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
	                 : "memory");
}

static inline uint32_t inl(uint16_t port)
{
	uint32_t value;

	__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port) : "memory");
	return value;
}

/* Read and write control register n. */
#define X86_CONTROL(n)                                                              \
	static inline uint64_t x86_read_cr##n(void)                                 \
	{                                                                           \
		uint64_t value;                                                     \
                                                                                    \
		__asm__ volatile("movq %%cr" #n ", %0" : "=r"(value) : : "memory"); \
		return value;                                                       \
	}                                                                           \
	static inline void x86_write_cr##n(uint64_t value)                          \
	{                                                                           \
		__asm__ volatile("movq %0, %%cr" #n : : "r"(value) : "memory");     \
	}
X86_CONTROL(0)
X86_CONTROL(3)
X86_CONTROL(4)

/* Extended control register 0; CR4.OSXSAVE is set. */
static inline uint64_t x86_read_xcr0(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

static inline void x86_write_xcr0(uint64_t value)
{
	__asm__ volatile("xsetbv"
	                 :
	                 : "c"(0), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
	                 : "memory");
}

/* entry.S: the code of vector v starts at x86_vectors + 16 * v. */
extern const char x86_vectors[];

/* entry.S: separate entries for frequent interrupts; they take no branch before they have switched
 * off tracing and counting. */
extern const char x86_nmi_entry[], x86_timer_entry[], x86_step_entry[];

/* entry.S: call function(argument) on the stack that ends at top; returns its result. */
int x86_call_on_stack(int (*function)(void *argument), void *argument, uint64_t top);

/* entry.S: load CS with code, DS, ES and SS with data, FS and GS with 0. */
void x86_load_segments(uint16_t code, uint16_t data);

#endif
