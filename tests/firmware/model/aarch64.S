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

/* Calls x0 at the lower EL of SPSR x1, with its own stack. */
	.macro	below el, call, return=eret
	stp	x29, x30, [sp, #-96]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	adrp	x2, vectors_el\el
	add	x2, x2, :lo12:vectors_el\el
	msr	vbar_el\el, x2
	msr	spsr_el\el, x1
	adr	x2, 1f
	msr	elr_el\el, x2
	\return
1:	adrp	x2, lower_stack_end
	add	x2, x2, :lo12:lower_stack_end
	mov	sp, x2
	blr	x0
	\call	#0
	.endm

/*
 * Meanwhile a trap to that EL is noted in `trapped` and stepped over; the call's class means that
 * the function has returned. To EL1 a software step may come as well, which ends the stepping.
 */
	.macro	from_below el, class
	stp	x0, x1, [sp, #-16]!
	mrs	x0, esr_el\el
	lsr	x1, x0, #26
	cmp	x1, #\class
	b.eq	2f
	.if	\el == 1
	cmp	x1, #0x32
	b.eq	3f
	.endif
	adrp	x1, trapped
	str	x0, [x1, :lo12:trapped]
	mrs	x0, elr_el\el
	add	x0, x0, #4
	msr	elr_el\el, x0
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
	.if	\el == 1
3:	adrp	x1, trapped
	str	x0, [x1, :lo12:trapped]
	mrs	x0, mdscr_el1
	bic	x0, x0, #1
	msr	mdscr_el1, x0
	ldp	x0, x1, [sp], #16
	eret
	.endif
	.endm

	.globl	below_el1, below_el2, below_el3, below_el2_aa, below_el2_ab
below_el1:
	below	1, svc
below_el2:
	below	2, hvc
below_el3:
	below	3, smc
/* ... by ERETAA and ERETAB */
below_el2_aa:
	below	2, hvc, ".inst 0xd69f0bff"
below_el2_ab:
	below	2, hvc, ".inst 0xd69f0fff"

	.balign	0x800
	.globl	vectors
	.set	vectors_el1, vectors
vectors:
	.space	0x200
	/* from EL1 to EL1, synchronous: noted and stepped over as well */
	stp	x0, x1, [sp, #-16]!
	mrs	x0, esr_el1
	adrp	x1, trapped
	str	x0, [x1, :lo12:trapped]
	mrs	x0, elr_el1
	add	x0, x0, #4
	msr	elr_el1, x0
	ldp	x0, x1, [sp], #16
	eret

	/* The third quarter of the vector table: from a lower EL, AArch64, synchronous */
	.balign	0x200
	from_below 1, 0x15
	.balign	0x800
vectors_el2:
	.space	0x400
	from_below 2, 0x16
	.balign	0x800
vectors_el3:
	.space	0x400
	from_below 3, 0x17

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
lower_stack_end:
	.section .note.GNU-stack, "", @progbits
