/* SPDX-License-Identifier: MIT */
/*
 * Exception entry and return (Arm ARM DDI 0487, D1.3.1 "Exception entry", "Exception vectors"),
 * and the vectors that a payload at EL1 gets.
 */
#include "arch/aarch64/cpu.h"
#include "arch/aarch64/regs.h"
#include "arch/aarch64/sysreg.h"

	.text

/* Save x0..x30 and what the exception says at [sp], REGS_SIZE below where sp was. */
.macro save_general
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	stp	x18, x19, [sp, #144]
	stp	x20, x21, [sp, #160]
	stp	x22, x23, [sp, #176]
	stp	x24, x25, [sp, #192]
	stp	x26, x27, [sp, #208]
	stp	x28, x29, [sp, #224]
	str	x30, [sp, #240]
.endm

/* One vector: at most 32 instructions. */
.macro vector el, number, handler
	.balign	0x80
	sub	sp, sp, #REGS_SIZE
	stp	x0, x1, [sp]
	mov	x0, #\number
	b	\handler
.endm

/* A fault inside a handler: the exception stack is not to be trusted. SP_EL0 is lost, which
 * nobody comes back to. */
.macro vector_fatal el, number
	.balign	0x80
	msr	tpidrro_el0, x0
	mov	x0, sp
	msr	sp_el0, x0
	mrs	x0, tpidr_\el
	ldr	x0, [x0, #CPU_PANIC_TOP]
	mov	sp, x0
	mrs	x0, tpidrro_el0
	sub	sp, sp, #REGS_SIZE
	stp	x0, x1, [sp]
	mov	x0, #\number
	b	synchronous_\el
.endm

/* x0: the vector's number. Saves the rest, calls \function(regs), resumes. */
.macro handler el, name, function
\name\()_\el:
	save_general
	str	x0, [sp, #REGS_VECTOR]
	mrs	x1, elr_\el
	mrs	x2, spsr_\el
	mrs	x3, esr_\el
	mrs	x4, far_\el
	stp	x1, x2, [sp, #REGS_PC]
	stp	x3, x4, [sp, #REGS_ESR]
	/* frame pointers lead from here to the interrupted code */
	stp	x29, x1, [sp, #REGS_FRAME]
	add	x29, sp, #REGS_FRAME
	mov	x0, sp
	bl	\function
	b	resume_\el
.endm

/* sp: struct arch_regs, with all exceptions masked */
.macro resume el
resume_\el:
	ldp	x1, x2, [sp, #REGS_PC]
	msr	elr_\el, x1
	msr	spsr_\el, x2
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x17, [sp, #128]
	ldp	x18, x19, [sp, #144]
	ldp	x20, x21, [sp, #160]
	ldp	x22, x23, [sp, #176]
	ldp	x24, x25, [sp, #192]
	ldp	x26, x27, [sp, #208]
	ldp	x28, x29, [sp, #224]
	ldr	x30, [sp, #240]
	ldp	x0, x1, [sp]
	add	sp, sp, #REGS_SIZE
	eret
.endm

.macro vectors el
	.balign	0x800
	.globl	arm_vectors_\el
	.hidden	arm_vectors_\el
arm_vectors_\el:
	/* threads of ours, on SP_EL0 */
	vector	\el, 0, synchronous_\el
	vector	\el, 1, interrupt_\el
	vector	\el, 2, interrupt_\el
	vector	\el, 3, synchronous_\el
	/* handlers of ours, on SP_ELx */
	vector_fatal \el, 4
	vector	\el, 5, interrupt_\el
	vector	\el, 6, interrupt_\el
	vector_fatal \el, 7
	/* the payload, AArch64 */
	vector	\el, 8, synchronous_\el
	vector	\el, 9, interrupt_\el
	vector	\el, 10, interrupt_\el
	vector	\el, 11, synchronous_\el
	/* the payload, AArch32 */
	vector	\el, 12, synchronous_\el
	vector	\el, 13, interrupt_\el
	vector	\el, 14, interrupt_\el
	vector	\el, 15, synchronous_\el
	.balign	0x80
	handler	\el, synchronous, arm_synchronous
	handler	\el, interrupt, arm_interrupt
	resume	\el
.endm

	vectors	el1
	vectors	el2

/* An exception that the payload itself took, at EL1: passed on to EL2 with every register as it
 * was, ELR_EL1 and its neighbours saying what happened. */
	.balign	0x800
	.globl	arm_vectors_payload
	.hidden	arm_vectors_payload
arm_vectors_payload:
	.set	number, 0
	.rept	VECTOR_COUNT
	.balign	0x80
	hvc	#(HVC_PAYLOAD_VECTOR + number)
	b	.
	.set	number, number + 1
	.endr

/* _Noreturn void arm_regs_resume(const struct arch_regs *regs): regs may lie anywhere but above
 * sp on this stack. */
	.globl	arm_regs_resume
	.hidden	arm_regs_resume
	.type	arm_regs_resume, %function
arm_regs_resume:
	mov	sp, x0
	mrs	x1, CurrentEL
	tbz	x1, #(CURRENT_EL_SHIFT + 1), resume_el1
	b	resume_el2
	.size	arm_regs_resume, . - arm_regs_resume

	.section .note.GNU-stack, "", %progbits
