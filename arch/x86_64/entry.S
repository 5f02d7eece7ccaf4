/* SPDX-License-Identifier: MIT */
/*
 * Where the CPU enters us: interrupts and exceptions, and the change of stacks.
 *
 * General registers are saved, nothing else: handlers use no others (DESIGN: "a handler is
 * alone"), so vector and x87 state of the interrupted code is never touched.
 */
	.text

/* One 16-byte stub a vector. Vectors with an error code: SDM volume 3A, table 6-1. */
	.balign 16
	.globl x86_vectors
	.hidden x86_vectors
x86_vectors:
	.set vector, 0
	.rept 256
	.balign 16
	.if vector != 8 && (vector < 10 || vector > 14) && vector != 17 && vector != 21 && vector != 29 && vector != 30
	push $0
	.endif
	push $vector
	jmp interrupt
	.set vector, vector + 1
	.endr

/* struct arch_regs, from its end. The CPU aligned the stack to 16 bytes and 22 words keep that. */
	.balign 16
	.type interrupt, @function
interrupt:
	push %rax
	push %rcx
	push %rdx
	push %rbx
	push %rbp
	push %rsi
	push %rdi
	push %r8
	push %r9
	push %r10
	push %r11
	push %r12
	push %r13
	push %r14
	push %r15
	cld
	xor %ebp, %ebp		/* our frames end here */
	mov %rsp, %rdi
	call x86_interrupt
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %r11
	pop %r10
	pop %r9
	pop %r8
	pop %rdi
	pop %rsi
	pop %rbp
	pop %rbx
	pop %rdx
	pop %rcx
	pop %rax
	add $16, %rsp		/* vector and error code */
	iretq
	.size interrupt, . - interrupt

/* int x86_call_on_stack(function rdi, argument rsi, top rdx) */
	.globl x86_call_on_stack
	.hidden x86_call_on_stack
	.type x86_call_on_stack, @function
x86_call_on_stack:
	push %rbp
	push %rbx
	mov %rsp, %rbx
	mov %rdx, %rsp
	mov %rdi, %rax
	mov %rsi, %rdi
	xor %ebp, %ebp		/* frames of the other stack are none of ours */
	call *%rax
	mov %rbx, %rsp
	pop %rbx
	pop %rbp
	ret
	.size x86_call_on_stack, . - x86_call_on_stack

/* void x86_load_segments(code di, data si) */
	.globl x86_load_segments
	.hidden x86_load_segments
	.type x86_load_segments, @function
x86_load_segments:
	movzwl %di, %edi
	push %rdi
	lea 1f(%rip), %rax
	push %rax
	lretq
1:	mov %esi, %ds
	mov %esi, %es
	mov %esi, %ss
	xor %eax, %eax
	mov %eax, %fs
	mov %eax, %gs
	ret
	.size x86_load_segments, . - x86_load_segments

	.section .note.GNU-stack, "", @progbits
