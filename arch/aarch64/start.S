/* SPDX-License-Identifier: MIT */
/*
 * Where PSCI starts another CPU (DEN0022, 6.4 "Initial core state"): MMU and caches off, all
 * exceptions masked, x0 = its struct arm_cpu, at the exception level of the CPU that called PSCI.
 * Data that it reads before its MMU is on was cleaned to the point of coherency.
 */
#include "arch/aarch64/cpu.h"
#include "arch/aarch64/sysreg.h"

	.text
	.balign	64
	.globl	arm_secondary_start
	.hidden	arm_secondary_start
	.type	arm_secondary_start, %function
arm_secondary_start:
	adrp	x1, arm_machine
	add	x1, x1, :lo12:arm_machine
	ldp	x2, x3, [x1, #(MACHINE_MMU + MMU_SCTLR)] /* and TCR */
	ldp	x4, x5, [x1, #(MACHINE_MMU + MMU_TTBR0)] /* and MAIR */
	ldr	x6, [x1, #(MACHINE_MMU + MMU_HCR)]
	mrs	x7, CurrentEL
	tbz	x7, #(CURRENT_EL_SHIFT + 1), 1f

	msr	hcr_el2, x6
	isb
	msr	mair_el2, x5
	msr	tcr_el2, x3
	msr	ttbr0_el2, x4
	isb
	tlbi	alle2
	tlbi	alle1
	ic	iallu
	dsb	nsh
	isb
	msr	sctlr_el2, x2
	isb
	b	2f

1:	msr	mair_el1, x5
	msr	tcr_el1, x3
	msr	ttbr0_el1, x4
	isb
	tlbi	vmalle1
	ic	iallu
	dsb	nsh
	isb
	msr	sctlr_el1, x2
	isb

2:	msr	spsel, #1
	ldr	x1, [x0, #CPU_EXCEPTION_TOP]
	mov	sp, x1
	msr	spsel, #0
	ldr	x1, [x0, #CPU_THREAD_TOP]
	mov	sp, x1
	mov	x29, xzr
	mov	x30, xzr
	b	arm_secondary_main
	.globl	arm_secondary_end
	.hidden	arm_secondary_end
arm_secondary_end:
	.size	arm_secondary_start, . - arm_secondary_start

	.section .note.GNU-stack, "", %progbits
