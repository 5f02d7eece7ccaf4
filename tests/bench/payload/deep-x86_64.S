/* SPDX-License-Identifier: MIT */
	.text
	.globl	begin_chain
	.type	begin_chain, @function
begin_chain:
	push	%rbp
	xor	%ebp, %ebp
	mov	%rdi, %rax
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	call	*%rax
	pop	%rbp
	ret
	.size	begin_chain, . - begin_chain
