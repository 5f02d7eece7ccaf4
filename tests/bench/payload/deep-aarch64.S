/* SPDX-License-Identifier: MIT */
	.text
	.globl	begin_chain
	.type	begin_chain, %function
begin_chain:
	stp	x29, x30, [sp, #-16]!
	mov	x29, #0
	mov	x9, x0
	mov	x0, x1
	mov	x1, x2
	blr	x9
	ldp	x29, x30, [sp], #16
	ret
	.size	begin_chain, . - begin_chain
