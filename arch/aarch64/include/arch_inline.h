/* SPDX-License-Identifier: MIT */
/*
 * The inline hooks of arch/arch.h for AArch64. They need only Armv8.0 without LSE, so compiler
 * atomics are avoided: those would call out-of-line helpers.
 *
 * The "local" hooks are LDXR/STXR without acquire or release. An exception's return clears the
 * exclusive monitor (Arm ARM DDI 0487, B2.9 "Synchronization and semaphores"), so if a handler ran
 * in between, the store fails and the loop repeats.
 */
#ifndef ARCH_AARCH64_ARCH_INLINE_H
#define ARCH_AARCH64_ARCH_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/aarch64/regs.h"

static inline bool arm_runs_at_el2(void)
{
	uint64_t current_el;

	asm("mrs %0, currentel" : "=r"(current_el));
	return current_el & 8;
}

/* The index of our CPU in its struct arm_cpu (cpu.h), to which TPIDR_ELx of our exception level
 * points. TPIDR_EL2 is undefined at EL1; volatile keeps the compiler from reading it before the
 * level is known. */
#define ARM_CPU_INDEX 48

static inline uint64_t arm_cpu_block(void)
{
	uint64_t block;

	if (arm_runs_at_el2())
		asm volatile("mrs %0, tpidr_el2" : "=r"(block));
	else
		asm volatile("mrs %0, tpidr_el1" : "=r"(block));
	return block;
}

static inline unsigned arch_cpu(void)
{
	return *(const unsigned *)(arm_cpu_block() + ARM_CPU_INDEX);
}

static inline uint64_t arch_regs_pc(const struct arch_regs *regs)
{
	return regs->pc;
}

static inline uint64_t arch_regs_fp(const struct arch_regs *regs)
{
	return regs->fp;
}

/* In a handler the stack pointers still have their values. If a handler itself faulted, vectors.S
 * has copied its stack pointer to SP_EL0. */
static inline uint64_t arch_regs_sp(const struct arch_regs *regs)
{
	uint64_t spsr = 0, sp;

	(void)regs;
	if (arm_runs_at_el2())
		asm volatile("mrs %0, spsr_el2" : "=r"(spsr));
	if ((spsr & 0x1f) == 5) /* PSTATE.M: EL1h, the payload */
		asm volatile("mrs %0, sp_el1" : "=r"(sp));
	else
		asm volatile("mrs %0, sp_el0" : "=r"(sp));
	return sp;
}

/* The interrupted code's PSTATE; its mode 0 is EL0t. */
static inline bool arch_regs_user(const struct arch_regs *regs)
{
	uint64_t spsr;

	(void)regs;
	if (arm_runs_at_el2())
		asm volatile("mrs %0, spsr_el2" : "=r"(spsr));
	else
		asm volatile("mrs %0, spsr_el1" : "=r"(spsr));
	return !(spsr & 0xf);
}

static inline uint64_t arch_regs_return(const struct arch_regs *regs, uint64_t low, uint64_t high)
{
	(void)low;
	(void)high;
	return regs->x30;
}

/* The ISB keeps the counter from being read before earlier instructions (DDI 0487, D11.2.2: "reads
 * of the counter can occur speculatively and out of order"). */
static inline uint64_t arch_cycles(void)
{
	uint64_t value;

	asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
	return value;
}

static inline uint64_t arch_cycles_in_order(void)
{
	return arch_cycles();
}

static inline bool arch_cmpxchg_local(uint64_t *word, uint64_t old, uint64_t new)
{
	uint64_t seen;
	uint32_t failed;

	asm volatile(
	    "1:	ldxr	%0, %2\n"
	    "	cmp	%0, %3\n"
	    "	b.ne	2f\n"
	    "	stxr	%w1, %4, %2\n"
	    "	cbnz	%w1, 1b\n"
	    "2:"
	    : "=&r"(seen), "=&r"(failed), "+Q"(*word)
	    : "r"(old), "r"(new)
	    : "cc", "memory");
	return seen == old;
}

static inline void arch_add_local(uint64_t *word, uint64_t value)
{
	uint64_t sum;
	uint32_t failed;

	asm volatile(
	    "1:	ldxr	%0, %2\n"
	    "	add	%0, %0, %3\n"
	    "	stxr	%w1, %0, %2\n"
	    "	cbnz	%w1, 1b"
	    : "=&r"(sum), "=&r"(failed), "+Q"(*word)
	    : "r"(value)
	    : "memory");
}

static inline void arch_fence(void)
{
	asm volatile("dmb ish" : : : "memory");
}

/* A DMB on each side: acquire and release alone would let a later load pass the store. */
static inline uint32_t arch_exchange(uint32_t *word, uint32_t value)
{
	uint32_t old, failed;

	asm volatile(
	    "	dmb	ish\n"
	    "1:	ldxr	%w0, %2\n"
	    "	stxr	%w1, %w3, %2\n"
	    "	cbnz	%w1, 1b\n"
	    "	dmb	ish"
	    : "=&r"(old), "=&r"(failed), "+Q"(*word)
	    : "r"(value)
	    : "memory");
	return old;
}

static inline bool arch_has_ports(void)
{
	return false;
}

static inline uint8_t arch_port_read(uint16_t port)
{
	(void)port;
	return 0xff;
}

static inline void arch_port_write(uint16_t port, uint8_t value)
{
	(void)port;
	(void)value;
}

static inline uint32_t arch_port_read_wide(uint16_t port, unsigned bytes)
{
	(void)port;
	(void)bytes;
	return UINT32_MAX;
}

static inline void arch_port_write_wide(uint16_t port, uint32_t value, unsigned bytes)
{
	(void)port;
	(void)value;
	(void)bytes;
}

static inline void arch_reg_sync(void)
{
	asm volatile("isb" : : : "memory");
}

/* A system register by ARM_SYSREG() of pmuv3.h. The number is part of the instruction, so it must
 * be constant; pmu.c accesses counters by index. */
#define ARM_SYSREG_OPERANDS(reg)                                                                \
	"i"((reg) >> 14 & 3), "i"((reg) >> 11 & 7), "i"((reg) >> 7 & 15), "i"((reg) >> 3 & 15), \
	    "i"((reg)&7)

static inline __attribute__((always_inline)) uint64_t arch_counter_read(uint32_t reg)
{
	uint64_t value;

	if (!__builtin_constant_p(reg))
		return arch_reg_read(reg);
	asm volatile("mrs %0, s%c1_%c2_c%c3_c%c4_%c5"
	             : "=r"(value)
	             : ARM_SYSREG_OPERANDS(reg)
	             : "memory");
	return value;
}

static inline uint64_t arch_rdpmc(uint32_t selector)
{
	(void)selector;
	return 0;
}

static inline __attribute__((always_inline)) void arch_counter_write(uint32_t reg, uint64_t value)
{
	if (!__builtin_constant_p(reg))
		arch_reg_write(reg, value);
	else
		asm volatile("msr s%c1_%c2_c%c3_c%c4_%c5, %0"
		             :
		             : "r"(value), ARM_SYSREG_OPERANDS(reg)
		             : "memory");
}

/* HINT #17 is PSB CSYNC; older assemblers accept that name only with FEAT_SPE. Without SPE it is a
 * NOP (C6.2.265). The DSB waits for it (D17.6.2). */
static inline void arch_trace_sync(void)
{
	asm volatile("hint #17\n\tdsb nsh" : : : "memory");
}

static inline void arch_relax(void)
{
	asm volatile("yield" : : : "memory");
}

/*
 * With GICv3, interrupts are masked by the GIC's priority mask, a system register. Urgent ones, the
 * PMU's overflow and signals between CPUs, still get through, so they are NMIs in the sense of
 * arch/arch.h. With other controllers, and in handlers, PSTATE.I and .F mask all interrupts.
 *
 * In a payload below our EL2, neither masks any interrupt of ours.
 */
#define ARM_PRIORITY_ALL    0xf0UL /* ICC_PMR_EL1: lower values are let in */
#define ARM_PRIORITY_URGENT 0xa0UL

extern bool arm_masks_by_priority; /* gicv3.c */

static inline void arm_set_priority_mask(uint64_t value)
{
	asm volatile("msr icc_pmr_el1, %0" : : "r"(value) : "memory");
}

static inline uint64_t arch_irq_save(void)
{
	uint64_t saved;

	if (arm_masks_by_priority) {
		asm volatile("mrs %0, icc_pmr_el1" : "=r"(saved) : : "memory");
		arm_set_priority_mask(ARM_PRIORITY_URGENT);
	} else {
		asm volatile("mrs %0, daif\n\tmsr daifset, #3" : "=r"(saved) : : "memory");
	}
	return saved;
}

static inline void arch_irq_restore(uint64_t saved)
{
	if (arm_masks_by_priority)
		arm_set_priority_mask(saved);
	else
		asm volatile("msr daif, %0" : : "r"(saved) : "memory");
}

#endif
