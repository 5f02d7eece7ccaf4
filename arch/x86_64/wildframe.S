/* SPDX-License-Identifier: MIT */
	.text
	.globl arch_spin_with_frame_pointer
	.hidden arch_spin_with_frame_pointer
	.type arch_spin_with_frame_pointer, @function
arch_spin_with_frame_pointer: /* rdi: frame pointer, rsi: iterations */
	push %rbp
	mov %rdi, %rbp
1:	dec %rsi
	jnz 1b
	pop %rbp
	ret
	.size arch_spin_with_frame_pointer, . - arch_spin_with_frame_pointer

	.section .note.GNU-stack, "", @progbits
