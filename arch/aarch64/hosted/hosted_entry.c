/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/hosted/hosted_entry.h"

#include "arch/aarch64/cpu.h"
#include "arch/aarch64/interrupt/gicv3_group0.h"
#include "arch/aarch64/saved.h"
#include "arch/aarch64/sysreg.h"

/* EFI_SYSTEM_CONTEXT_AARCH64 (PI 1.7, volume 2, 12.3.4.3; EDK2's DebugSupport.h): 64-bit words */
#define CONTEXT_FP  29
#define CONTEXT_LR  30
#define CONTEXT_SP  31
#define CONTEXT_ELR 96

static struct {
	const struct arch_hosted_interrupts *interrupts;
	struct arm_saved firmware; /* only the translation is saved */
	uint32_t number;           /* the number of the IRQ that is being handled */
} entry;

/* Data that cannot be on the interrupted stack, because the firmware's translation, in which our
 * handlers run, need not map that. */
static struct {
	struct arm_saved theirs;
	struct arch_regs regs;
	uint8_t stack[16384] __attribute__((aligned(16)));
} elsewhere;

void hosted_entry_begin(const struct arch_hosted_interrupts *interrupts)
{
	entry.interrupts = interrupts;
	hosted_entry_again();
}

void hosted_entry_again(void)
{
	arm_save_translation(&entry.firmware);
}

static bool hosted_entry_is_elsewhere(const struct arm_mmu *now)
{
	const struct arm_mmu *usual = &entry.firmware.mmu;

	return now->ttbr0 != usual->ttbr0 || now->tcr != usual->tcr || now->mair != usual->mair;
}

static void hosted_entry_handle(const struct arch_regs *regs, arch_handler_fn handler)
{
	arm_save_translation(&elsewhere.theirs);
	if (!hosted_entry_is_elsewhere(&elsewhere.theirs.mmu)) {
		handler(regs);
		return;
	}
	elsewhere.regs = *regs;
	arm_call_translated(&entry.firmware.mmu, &elsewhere.theirs.mmu,
	                    elsewhere.stack + sizeof(elsewhere.stack), handler, &elsewhere.regs);
}

/* arch_regs_sp() looks for a thread's stack pointer in SP_EL0, but firmware uses SP_ELx, so it is
 * copied. */
static void hosted_entry_come(const uint64_t *context, arch_handler_fn handler)
{
	struct arch_regs regs;

	regs.fp = context[CONTEXT_FP];
	regs.pc = context[CONTEXT_ELR];
	regs.x30 = context[CONTEXT_LR];
	regs.vector = VECTOR_INTERRUPT;
	write_sysreg(sp_el0, context[CONTEXT_SP]);
	hosted_entry_handle(&regs, handler);
}

void hosted_entry_fiq(intptr_t type, void *context)
{
	(void)type;
	hosted_entry_come(context, gicv3_group0_interrupt);
}

/* The firmware's driver has already acknowledged the interrupt. */
static void hosted_entry_interrupt(const struct arch_regs *regs)
{
	if (arm_interrupt(regs, entry.number))
		entry.interrupts->end(entry.number);
}

void hosted_entry_irq(intptr_t number, void *context)
{
	entry.number = (uint32_t)number;
	hosted_entry_come(context, hosted_entry_interrupt);
}
