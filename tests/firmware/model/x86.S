/* SPDX-License-Identifier: MIT */
/*
 * Entry of the x86 conformance image: a Multiboot kernel, so QEMU's -kernel
 * enters it in 32-bit protected mode, which is all that the PMU and the 64-bit
 * debug store need.
 */
#include "x86.h"

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

/* load_segments(gdtr): load our flat segments and the task register */
	.globl	load_segments
load_segments:
	movl	4(%esp), %eax
	lgdt	(%eax)
	ljmp	$KERNEL_CS, $1f
1:	movl	$KERNEL_DS, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	movl	$TASK, %eax
	ltr	%ax
	ret

/*
 * #GP: the handler returns to the address in %edi, at which the faulting access wants to continue
 * (see x86.c: wrmsr_faults()).
 */
	.globl	gp_entry
gp_entry:
	addl	$4, %esp		/* drop the error code */
	movl	%edi, (%esp)
	movl	$1, gp_taken
	iret

/* #UD, which has no error code */
	.globl	ud_entry
ud_entry:
	movl	%edi, (%esp)
	movl	$1, gp_taken
	iret

/* #DB: handle one single step, and end single-stepping */
	.globl	db_entry
db_entry:
	pusha
	cld
	movl	32(%esp), %eax		/* the address at which it would continue */
	movl	%eax, db_eip
	call	db_handler
	popa
	andl	$~0x100, 8(%esp)	/* EFLAGS.TF */
	iret

	.globl	empty_entry
empty_entry:
	iret

	.globl	nmi_entry
nmi_entry:
	incl	nmis
	iret

	.globl	fault_entry
fault_entry:
	call	image_fault

	.globl	pmi_entry
pmi_entry:
	pusha
	cld
	call	pmi_handler
	popa
	iret

/* in_ring_3(function, argument): call the function in ring 3, and return its result */
	.globl	in_ring_3
in_ring_3:
	pushl	%ebp
	pushl	%ebx
	pushl	%esi
	pushl	%edi
	movl	20(%esp), %eax
	movl	24(%esp), %ecx
	movl	%esp, task + 4		/* esp0: the stack on which ring 3 is left */
	movl	$USER_DS, %edx
	movl	%edx, %ds
	movl	%edx, %es
	pushl	%edx
	pushl	$user_stack_end
	pushf
	pushl	$USER_CS
	pushl	$user_entry
	iret
	.globl	user_entry, user_call
user_entry:
	pushl	%ecx
user_call:
	call	*%eax
	.globl	user_exit
user_exit:
	int	$RETURN_VECTOR

	.globl	return_entry
return_entry:
	addl	$20, %esp		/* drop the words that IRET would use */
	movl	$KERNEL_DS, %edx
	movl	%edx, %ds
	movl	%edx, %es
	popl	%edi
	popl	%esi
	popl	%ebx
	popl	%ebp
	sti
	ret

/* traced(n): n times a call, a return and a jump back, all near branches */
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
	.globl	traced_return
traced_return:
	ret
	.globl	traced_leaf
traced_leaf:
	ret

/*
 * stepped(): sets TF before its first NOP; #DB clears it. No branch between two labels is taken.
 */
	.globl	stepped, stepped_one, stepped_branch
stepped:
	pushl	%esi
	movl	$traced, %esi
	movl	$3, %ecx
	xorl	%eax, %eax
	pushf
	orl	$0x100, (%esp)
	popf
	nop
stepped_one:
	jnz	1f
	cld
	rep lodsb
	jmp	stepped_branch
1:	nop
stepped_branch:
	nop
	popl	%esi
	ret

/* walked(from, n): n loads, a cache line apart */
	.globl	walked
walked:
	movl	4(%esp), %edx
	movl	8(%esp), %ecx
	.globl	walked_load
walked_load:
	movl	(%edx), %eax
	addl	$64, %edx
	decl	%ecx
	jnz	walked_load
	.globl	walked_end
walked_end:
	ret

/* The second processor runs this at AP_START, in real mode: it reads PMC1, then writes it */
	.code16
	.globl	ap_start, ap_end
ap_start:
	movl	$0xc2, %ecx
	rdmsr
	movl	%eax, %cs:AP_FOUND
	movl	$AP_VALUE, %eax
	xorl	%edx, %edx
	wrmsr
	incl	%cs:AP_RUNS
1:	hlt
	jmp	1b
ap_end:
	.code32

	.bss
	.balign	16
	.skip	16384
stack_end:
	.skip	4096
user_stack_end:
	.section .note.GNU-stack, "", @progbits
