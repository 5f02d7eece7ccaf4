/* SPDX-License-Identifier: MIT */
/* arch.h's inline hooks for x86_64. Memory ordering is TSO: only a store followed by a load needs a
 * fence. */
#ifndef ARCH_INLINE_H
#define ARCH_INLINE_H

#include "arch/x86_64/regs.h"

static inline uint64_t arch_regs_pc(const struct arch_regs *regs)
{
	return regs->rip;
}

static inline uint64_t arch_regs_fp(const struct arch_regs *regs)
{
	return regs->rbp;
}

static inline uint64_t arch_regs_sp(const struct arch_regs *regs)
{
	return regs->rsp;
}

static inline bool arch_regs_user(const struct arch_regs *regs)
{
	return regs->cs & 3;
}

static inline uint64_t arch_regs_return(const struct arch_regs *regs, uint64_t low, uint64_t high)
{
	if (regs->rsp < low || regs->rsp % sizeof(uint64_t) || regs->rsp > high - sizeof(uint64_t))
		return 0;
	return __atomic_load_n((const uint64_t *)regs->rsp, __ATOMIC_RELAXED);
}

static inline uint64_t arch_cycles(void)
{
	uint64_t low, high; /* 32 bits each; the upper halves are cleared: SDM volume 2, RDTSC */

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return high << 32 | low;
}

/* RDTSC alone may be executed before earlier loads (SDM volume 2B, RDTSC). */
static inline uint64_t arch_cycles_in_order(void)
{
	__asm__ volatile("lfence" : : : "memory");
	return arch_cycles();
}

/* descriptors.c: TR's selector on the boot CPU; each next CPU's is 16 more. Before our TSS is
 * loaded TR is the firmware's or 0, and this code runs on the boot CPU. */
extern uint32_t x86_first_task __attribute__((visibility("hidden")));

static inline unsigned arch_cpu(void)
{
	uint32_t task;

	__asm__ volatile("str %0" : "=r"(task));
	return task < x86_first_task ? 0 : (task - x86_first_task) / 16;
}

static inline bool arch_cmpxchg_local(uint64_t *word, uint64_t old, uint64_t new)
{
	bool done;

	__asm__ volatile("cmpxchgq %3, %1"
	                 : "=@ccz"(done), "+m"(*word), "+a"(old)
	                 : "r"(new)
	                 : "memory");
	return done;
}

static inline void arch_add_local(uint64_t *word, uint64_t value)
{
	__asm__ volatile("addq %1, %0" : "+m"(*word) : "er"(value) : "memory");
}

/* xchg with memory is locked implicitly (SDM volume 2, XCHG), and a locked instruction is a
 * fence. */
static inline uint32_t arch_exchange(uint32_t *word, uint32_t value)
{
	__asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*word) : : "memory");
	return value;
}

static inline void arch_fence(void)
{
	__asm__ volatile("mfence" : : : "memory");
}

static inline bool arch_has_ports(void)
{
	return true;
}

static inline uint8_t arch_port_read(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
	return value;
}

static inline void arch_port_write(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline uint32_t arch_port_read_wide(uint16_t port, unsigned bytes)
{
	uint32_t value = 0;

	if (bytes == 4)
		__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port) : "memory");
	else if (bytes == 2)
		__asm__ volatile("inw %1, %w0" : "+a"(value) : "Nd"(port) : "memory");
	else
		value = arch_port_read(port);
	return value;
}

static inline void arch_port_write_wide(uint16_t port, uint32_t value, unsigned bytes)
{
	if (bytes == 4)
		__asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port) : "memory");
	else if (bytes == 2)
		__asm__ volatile("outw %w0, %1" : : "a"(value), "Nd"(port) : "memory");
	else
		arch_port_write(port, (uint8_t)value);
}

static inline void arch_reg_sync(void)
{
}

static inline uint64_t arch_counter_read(uint32_t reg)
{
	uint64_t low, high; /* as RDTSC's */

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(reg) : "memory");
	return high << 32 | low;
}

static inline uint64_t arch_rdpmc(uint32_t selector)
{
	uint64_t low, high; /* as RDTSC's */

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(selector) : "memory");
	return high << 32 | low;
}

static inline void arch_counter_write(uint32_t reg, uint64_t value)
{
	__asm__ volatile("wrmsr"
	                 :
	                 : "c"(reg), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
	                 : "memory");
}

/* apic.c: the local APIC's LVT entry for the performance monitor; NULL: x2APIC, use the MSR. The
 * APIC masks the entry at each delivery. */
#define X86_LVT_PMI_MSR 0x834
#define X86_LVT_PMI_NMI 0x400U
extern volatile uint32_t *x86_lvt_pmi __attribute__((visibility("hidden")));

static inline void arch_pmi_ack(void)
{
	if (x86_lvt_pmi)
		*x86_lvt_pmi = X86_LVT_PMI_NMI;
	else
		arch_counter_write(X86_LVT_PMI_MSR, X86_LVT_PMI_NMI);
}

static inline void arch_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

static inline uint64_t arch_irq_save(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
	return flags;
}

static inline void arch_irq_restore(uint64_t saved)
{
	if (saved & (1U << 9)) /* RFLAGS.IF */
		__asm__ volatile("sti" : : : "memory");
}

#endif
