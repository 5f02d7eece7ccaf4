/* SPDX-License-Identifier: MIT */
/*
 * Switches the address translation while running, and switches stacks.
 */
#include "arch/aarch64/cpu.h"
#include "arch/aarch64/sysreg.h"

	.text

/*
 * void arm_mmu_switch(const struct arm_mmu *mmu)
 *
 * The firmware's granule, attributes and E2H may differ from ours, so no order of writes is safe
 * while translation is on (DDI 0487, D8.14 "TLB maintenance", break-before-make). Translation is
 * off from the first MSR SCTLR to the second, and no instruction in between accesses memory. The
 * caller has cleaned these instructions to the point of coherency.
 */
	.balign	64
	.globl	arm_mmu_switch
	.hidden	arm_mmu_switch
	.type	arm_mmu_switch, %function
arm_mmu_switch:
	ldp	x1, x2, [x0, #MMU_SCTLR] /* and TCR */
	ldp	x3, x4, [x0, #MMU_TTBR0] /* and MAIR */
	ldr	x5, [x0, #MMU_HCR]
	dsb	sy
	mov	x7, #(SCTLR_M | SCTLR_C)
	orr	x7, x7, #SCTLR_WXN
	mrs	x6, CurrentEL
	tbz	x6, #(CURRENT_EL_SHIFT + 1), 1f

	mrs	x6, sctlr_el2
	bic	x6, x6, x7
	msr	sctlr_el2, x6
	isb
	tlbi	alle2 /* of the regime that the new E2H selects */
	dsb	nsh
	msr	hcr_el2, x5
	isb
	msr	mair_el2, x4
	msr	tcr_el2, x2
	msr	ttbr0_el2, x3
	isb
	tlbi	alle2
	tlbi	alle1
	ic	iallu
	dsb	nsh
	isb
	msr	sctlr_el2, x1
	isb
	ret

1:	mrs	x6, sctlr_el1
	bic	x6, x6, x7
	msr	sctlr_el1, x6
	isb
	msr	mair_el1, x4
	msr	tcr_el1, x2
	msr	ttbr0_el1, x3
	isb
	tlbi	vmalle1
	ic	iallu
	dsb	nsh
	isb
	msr	sctlr_el1, x1
	isb
	ret
	.globl	arm_mmu_switch_end
	.hidden	arm_mmu_switch_end
arm_mmu_switch_end:
	.size	arm_mmu_switch, . - arm_mmu_switch

/* int arm_call_on_stacks(int (*fn)(void *), void *arg, uint64_t thread_top,
 *                        uint64_t exception_top) */
	.globl	arm_call_on_stacks
	.hidden	arm_call_on_stacks
	.type	arm_call_on_stacks, %function
arm_call_on_stacks:
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	mov	x9, x0
	mov	x0, x1
	mov	x10, sp
	mov	sp, x3
	msr	spsel, #0
	mov	sp, x2
	stp	x10, xzr, [sp, #-16]!
	blr	x9
	ldp	x10, xzr, [sp], #16
	msr	spsel, #1
	mov	sp, x10
	ldp	x29, x30, [sp], #16
	ret
	.size	arm_call_on_stacks, . - arm_call_on_stacks

/* void arm_call_translated(const struct arm_mmu *ours, const struct arm_mmu *theirs, void *top,
 *                          void (*fn)(const struct arch_regs *), const struct arch_regs *regs) */
	.globl	arm_call_translated
	.hidden	arm_call_translated
	.type	arm_call_translated, %function
arm_call_translated:
	stp	x29, x30, [sp, #-48]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	mov	x19, sp
	mov	x20, x1
	mov	x21, x3
	mov	x22, x4
	mov	sp, x2
	bl	arm_mmu_switch
	mov	x0, x22
	blr	x21
	mov	x0, x20
	bl	arm_mmu_switch
	mov	sp, x19
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x29, x30, [sp], #48
	ret
	.size	arm_call_translated, . - arm_call_translated

	.section .note.GNU-stack, "", %progbits
