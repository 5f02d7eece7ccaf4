/* SPDX-License-Identifier: MIT */
/*
 * Exception entry and return (Arm ARM DDI 0487, D1.3.1 "Exception entry", "Exception vectors"), and
 * the vectors for a payload at EL1.
 */
#include "arch/aarch64/cpu.h"
#include "arch/aarch64/regs.h"
#include "arch/aarch64/sysreg.h"

	.text

/*
 * A struct arch_regs lies on the stack. For an interrupt only these parts are filled in: the
 * registers that a function may change (AAPCS64, 6.1.1), and the frame record that leads from the
 * handler to the interrupted code. All others keep their values until the return: x19 to x28
 * because the handler preserves them; ELR, SPSR and the other stack pointers because an exception
 * inside a handler never returns to it.
 *
 * stopped: counters are stopped from an interrupt's second instruction to its last but two. They
 * are disabled one by one, through PMCNTENCLR_EL0: with PMCR_EL0.E clear the overflow interrupt
 * would vanish before it is acknowledged (AArch64.CheckForPMUOverflow). The return from the
 * exception synchronizes the write that enables them.
 */

/* x0, x1: saved already */
.macro save el
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	mrs	x1, elr_\el
	stp	x29, x1, [sp, #REGS_FRAME]
	stp	x30, x18, [sp, #REGS_X30]
	add	x29, sp, #REGS_FRAME
.endm

.macro restore
	ldr	x29, [sp, #REGS_FRAME]
	ldp	x30, x18, [sp, #REGS_X30]
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x17, [sp, #128]
.endm

.macro resume
	ldp	x0, x1, [sp], #REGS_SIZE
	eret
.endm

/* Each vector: at most 32 instructions. */
.macro vector_interrupt el, function, counters
	.balign	0x80
	stp	x0, x1, [sp, #-REGS_SIZE]!
	.ifc \counters, stopped
	mrs	x0, pmcntenset_el0
	msr	pmcntenclr_el0, x0
	.endif
	save	\el
	stp	x0, xzr, [sp, #REGS_COUNTERS] /* and VECTOR_INTERRUPT */
	mov	x0, sp
	bl	\function
	restore
	.ifc \counters, stopped
	ldr	x0, [sp, #REGS_COUNTERS]
	msr	pmcntenset_el0, x0
	.endif
	resume
.endm

.macro vector_synchronous el, number
	.balign	0x80
	stp	x0, x1, [sp, #-REGS_SIZE]!
	mov	x0, #(VECTOR_EXCEPTION + \number)
	b	synchronous_\el
.endm

/* An exception inside a handler: the exception stack may be damaged. SP_EL0 is overwritten, because
 * nothing returns to it. */
.macro vector_fatal el, number
	.balign	0x80
	msr	tpidrro_el0, x0
	mov	x0, sp
	msr	sp_el0, x0
	mrs	x0, tpidr_\el
	ldr	x0, [x0, #CPU_PANIC_TOP]
	mov	sp, x0
	mrs	x0, tpidrro_el0
	stp	x0, x1, [sp, #-REGS_SIZE]!
	mov	x0, #(VECTOR_EXCEPTION + \number)
	b	synchronous_\el
.endm

/* x0: struct arch_regs' vector */
.macro synchronous el
	.type	synchronous_\el, %function
synchronous_\el:
	save	\el
	stp	x19, x20, [sp, #(REGS_X19 + 0)]
	stp	x21, x22, [sp, #(REGS_X19 + 16)]
	stp	x23, x24, [sp, #(REGS_X19 + 32)]
	stp	x25, x26, [sp, #(REGS_X19 + 48)]
	stp	x27, x28, [sp, #(REGS_X19 + 64)]
	mrs	x1, spsr_\el
	mrs	x2, esr_\el
	mrs	x3, far_\el
	stp	x1, x2, [sp, #REGS_PSTATE]
	stp	x3, x0, [sp, #REGS_FAR]
	mov	x0, sp
	bl	arm_synchronous
	restore
	resume
	.size	synchronous_\el, . - synchronous_\el
.endm

/* The table for an exception level and an interrupt controller; counters: run or stopped in
 * handlers. */
.macro vectors el, gic, counters
	.balign	0x800
	.globl	arm_vectors_\el\()_\gic\()_\counters
	.hidden	arm_vectors_\el\()_\gic\()_\counters
	.type	arm_vectors_\el\()_\gic\()_\counters, %function
arm_vectors_\el\()_\gic\()_\counters:
	/* threads of ours, on SP_EL0 */
	vector_synchronous \el, 0
	vector_interrupt   \el, \gic\()_interrupt, \counters
	vector_interrupt   \el, \gic\()_interrupt, \counters
	vector_synchronous \el, 3
	/* handlers of ours, on SP_ELx, which mask every interrupt that can be masked */
	vector_fatal       \el, 4
	vector_fatal       \el, 5
	vector_fatal       \el, 6
	vector_fatal       \el, 7
	/* the payload, AArch64 */
	vector_synchronous \el, 8
	vector_interrupt   \el, \gic\()_interrupt, \counters
	vector_interrupt   \el, \gic\()_interrupt, \counters
	vector_synchronous \el, 11
	/* the payload, AArch32 */
	vector_synchronous \el, 12
	vector_interrupt   \el, \gic\()_interrupt, \counters
	vector_interrupt   \el, \gic\()_interrupt, \counters
	vector_synchronous \el, 15
	.balign	0x80
	.size	arm_vectors_\el\()_\gic\()_\counters, . - arm_vectors_\el\()_\gic\()_\counters
.endm

	vectors	el1, gicv2, run
	vectors	el1, gicv2, stopped
	vectors	el1, gicv3, run
	vectors	el1, gicv3, stopped
	vectors	el2, gicv2, run
	vectors	el2, gicv3, run
	synchronous el1
	synchronous el2

/* An exception that the payload took itself, at EL1: passed on to EL2 with every register as it
 * was; ELR_EL1, ESR_EL1 and FAR_EL1 describe it. */
	.balign	0x800
	.globl	arm_vectors_payload
	.hidden	arm_vectors_payload
	.type	arm_vectors_payload, %function
arm_vectors_payload:
	.set	number, 0
	.rept	VECTOR_COUNT
	.balign	0x80
	hvc	#(HVC_PAYLOAD_VECTOR + number)
	b	.
	.set	number, number + 1
	.endr
	.size	arm_vectors_payload, . - arm_vectors_payload

	.section .note.GNU-stack, "", %progbits
