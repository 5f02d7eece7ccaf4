/* SPDX-License-Identifier: MIT */
	.text
	.globl arch_spin_with_frame_pointer
	.hidden arch_spin_with_frame_pointer
	.type arch_spin_with_frame_pointer, %function
arch_spin_with_frame_pointer: /* x0: frame pointer, x1: iterations */
	stp x29, x30, [sp, #-16]!
	mov x29, x0
1:	subs x1, x1, #1
	b.ne 1b
	ldp x29, x30, [sp], #16
	ret
	.size arch_spin_with_frame_pointer, . - arch_spin_with_frame_pointer

	.section .note.GNU-stack, "", %progbits
