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

	.bss
	.balign	16
	.globl	cell
cell:	.skip	16
	.skip	16384
stack_end:
	.section .note.GNU-stack, "", @progbits
