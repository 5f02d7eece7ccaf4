/* SPDX-License-Identifier: MIT */
/*
 * Each CPU's own data. TPIDR_ELx of the exception level that bareperf runs at points to it; a
 * payload's TPIDR_EL1 does too, but the payload may change that.
 *
 * Threads run on SP_EL0 (PSTATE.SP = 0), handlers on SP_ELx. So a thread that overflows its stack
 * hits the guard page and is reported on an intact stack. A fault inside a handler is reported on a
 * third stack.
 */
#ifndef ARCH_AARCH64_CPU_H
#define ARCH_AARCH64_CPU_H

/* Offsets in struct arm_cpu, for assembly */
#define CPU_EXCEPTION_TOP 0
#define CPU_PANIC_TOP     8
#define CPU_THREAD_TOP    16
#define CPU_PAYLOAD_TOP   24
#define CPU_PAYLOAD_SAVED 32

/* The MMU registers' offsets in struct arm_mmu, and that struct's offset in struct arm_machine; for
 * switch.S and start.S */
#define MACHINE_MMU 0
#define MMU_SCTLR   0
#define MMU_TCR     8
#define MMU_TTBR0   16
#define MMU_MAIR    24
#define MMU_HCR     32

#ifndef __ASSEMBLER__
#include "arch/arch.h"

struct arm_cpu {
	uint64_t exception_top; /* stack tops, 16-byte aligned, each below a guard page */
	uint64_t panic_top;
	uint64_t thread_top;
	uint64_t payload_top;   /* 0 if the payload is a plain call */
	uint64_t payload_saved; /* our stack pointer while the payload runs, else 0 */
	uint64_t mpidr;         /* affinity fields */
	unsigned index;
	uint32_t pmu_interrupt; /* INTID; 0: none */
	bool pmu_edge;
	uint64_t thread_size, payload_size; /* sizes of those stacks in bytes */
	volatile uint8_t *gicr;             /* GICv3: this CPU's redistributor */
	uint32_t state;                     /* enum arm_cpu_state; smp.c */
	void (*work)(void *arg);            /* smp.c */
	void *work_arg;
} __attribute__((aligned(64)));
_Static_assert(offsetof(struct arm_cpu, exception_top) == CPU_EXCEPTION_TOP, "exception_top");
_Static_assert(offsetof(struct arm_cpu, panic_top) == CPU_PANIC_TOP, "panic_top");
_Static_assert(offsetof(struct arm_cpu, thread_top) == CPU_THREAD_TOP, "thread_top");
_Static_assert(offsetof(struct arm_cpu, payload_top) == CPU_PAYLOAD_TOP, "payload_top");
_Static_assert(offsetof(struct arm_cpu, payload_saved) == CPU_PAYLOAD_SAVED, "payload_saved");
_Static_assert(offsetof(struct arm_cpu, index) == ARM_CPU_INDEX, "index");

/* The registers that control address translation at the exception level that bareperf runs at. */
struct arm_mmu {
	uint64_t sctlr, tcr, ttbr0, mair;
	uint64_t hcr; /* EL2 only */
};
_Static_assert(offsetof(struct arm_mmu, sctlr) == MMU_SCTLR, "sctlr");
_Static_assert(offsetof(struct arm_mmu, tcr) == MMU_TCR, "tcr");
_Static_assert(offsetof(struct arm_mmu, ttbr0) == MMU_TTBR0, "ttbr0");
_Static_assert(offsetof(struct arm_mmu, mair) == MMU_MAIR, "mair");
_Static_assert(offsetof(struct arm_mmu, hcr) == MMU_HCR, "hcr");

/* Index 0 is the CPU that UEFI runs on. cpus.c */
extern struct arm_cpu arm_cpus[ARCH_MAX_CPUS];

/* The calling CPU's; after arm_cpu_own(). Any context. */
static inline struct arm_cpu *arm_this_cpu(void)
{
	return (struct arm_cpu *)arm_cpu_block();
}

/* takeover.c: set up the calling CPU as number cpu: its data's address, vectors, traps, and at EL2
 * the payload's level. The translation must already be ours; it is not changed. Thread. */
void arm_cpu_own(struct arm_cpu *cpu);

/* takeover.c: let traced code use SVE, if the CPU has it, with the longest vectors; after
 * arm_cpu_own(). Thread. */
void arm_vectors_longest(void);

/* timer.c: set up this CPU's timer, disarmed, with the handler of arch_timer_init(). Thread. */
void arm_timer_own(void);

/* switch.S: write all of these registers; the MMU is off meanwhile. Interrupts masked. This code
 * must lie at the same address in both translations. */
void arm_mmu_switch(const struct arm_mmu *mmu);
extern char arm_mmu_switch_end[];

/* switch.S: call fn(regs) in the translation ours, on a stack that ends at top, and return to the
 * translation theirs. All arguments must point to static variables, which have the same address in
 * both; interrupts masked. */
void arm_call_translated(const struct arm_mmu *ours, const struct arm_mmu *theirs, void *top,
                         arch_handler_fn fn, const struct arch_regs *regs);

/* switch.S: call fn(arg) as a thread on thread_top with handlers on exception_top. Returns what
 * fn returned, both stack pointers as before. */
int arm_call_on_stacks(int (*fn)(void *arg), void *arg, uint64_t thread_top,
                       uint64_t exception_top);

/* vectors.S: the tables for VBAR_ELx; the payload's. The others are in struct gic_ops. */
extern char arm_vectors_payload[];

/* payload.S: leave the payload from a handler at EL2; arm_payload_run() returns result. */
_Noreturn void arm_payload_leave(int64_t result);
#endif

#endif
