/* SPDX-License-Identifier: MIT */
/*
 * Entry of the x86 conformance image: a Multiboot kernel, so QEMU's -kernel
 * enters it in 32-bit protected mode without paging, which is all that the
 * PMU and the 64-bit debug store need.
 */
	.section .multiboot, "a"
	.balign 4
	.long	0x1badb002, 0, -0x1badb002

	.text
	.globl	_start
_start:
	movl	$stack_end, %esp
	call	image_main
1:	hlt
	jmp	1b

/*
 * #GP: its handler returns to where the faulting access wants to go on, in
 * %edi (see x86.c: try_wrmsr()).
 */
	.globl	gp_entry
gp_entry:
	addl	$4, %esp		/* the error code */
	movl	%edi, (%esp)
	movl	$1, gp_taken
	iret

	.globl	pmi_entry
pmi_entry:
	pusha
	cld
	call	pmi_handler
	popa
	iret

/* traced(n): n times a call, a return and a jump back, all of them near */
	.globl	traced
traced:
	movl	4(%esp), %ecx
	.globl	traced_loop
traced_loop:
	call	traced_leaf
	.globl	traced_after
traced_after:
	decl	%ecx
	.globl	traced_jump
traced_jump:
	jnz	traced_loop
	ret
	.globl	traced_leaf
traced_leaf:
	ret

	.bss
	.balign	16
	.skip	16384
stack_end:
	.section .note.GNU-stack, "", @progbits
