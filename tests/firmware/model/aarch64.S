/* SPDX-License-Identifier: MIT */
/* Entry of the Arm conformance image: an ELF that QEMU's -kernel enters, MMU off. */
	.text
	.globl	_start
_start:
	adrp	x0, stack_end
	add	x0, x0, :lo12:stack_end
	mov	sp, x0
	bl	image_main
1:	wfi
	b	1b

/* profiled(n): n times a load, a store, a subtraction and a jump back */
	.globl	profiled
profiled:
	adrp	x1, cell
	add	x1, x1, :lo12:cell
	.globl	profiled_loop
profiled_loop:
	ldr	x2, [x1]
	str	x2, [x1, #8]
	nop
	subs	x0, x0, #1
	b.ne	profiled_loop
	.globl	profiled_end
profiled_end:
	ret

/*
 * at_el1(function): from EL2, calls it at EL1 with a stack of its own. Accesses that trap to EL2
 * meanwhile are noted in `trapped` and stepped over.
 */
	.globl	at_el1
at_el1:
	stp	x29, x30, [sp, #-96]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	adrp	x1, vectors
	add	x1, x1, :lo12:vectors
	msr	vbar_el2, x1
	adrp	x1, el1_stack_end
	add	x1, x1, :lo12:el1_stack_end
	msr	sp_el1, x1
	mov	x1, #0x3c5		/* EL1h, everything masked */
	msr	spsr_el2, x1
	adr	x1, 1f
	msr	elr_el2, x1
	eret
1:	blr	x0
	hvc	#0

	.balign	0x800
	.globl	vectors
vectors:
	.space	0x200
	/* from EL1 to EL1, synchronous: noted and stepped over, too */
	stp	x0, x1, [sp, #-16]!
	mrs	x0, esr_el1
	adrp	x1, trapped
	str	x0, [x1, :lo12:trapped]
	mrs	x0, elr_el1
	add	x0, x0, #4
	msr	elr_el1, x0
	ldp	x0, x1, [sp], #16
	eret
	.balign	0x400
	/* from EL1 to EL2, AArch64, synchronous */
	stp	x0, x1, [sp, #-16]!
	mrs	x0, esr_el2
	lsr	x1, x0, #26
	cmp	x1, #0x16		/* HVC: the function has returned */
	b.eq	2f
	adrp	x1, trapped
	str	x0, [x1, :lo12:trapped]
	mrs	x0, elr_el2
	add	x0, x0, #4
	msr	elr_el2, x0
	ldp	x0, x1, [sp], #16
	eret
2:	add	sp, sp, #16
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #96
	ret

	.bss
	.balign	16
	.globl	trapped
trapped:
	.skip	8
	.balign	16
	.globl	cell
cell:	.skip	16
	.skip	16384
stack_end:
	.skip	8192
el1_stack_end:
	.section .note.GNU-stack, "", @progbits
