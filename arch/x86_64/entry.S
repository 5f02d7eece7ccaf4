/* SPDX-License-Identifier: MIT */
/*
 * Where the CPU enters us: interrupts and exceptions, and the change of stacks.
 *
 * General registers are saved, nothing else: handlers use no others, so vector and x87 state of the
 * interrupted code is never touched.
 */
#include "arch/x86_64/perfmon.h"
#include "arch/x86_64/regs.h"
#include "arch/x86_64/trace.h"

	.equ GDT_TSS, 0x20	/* descriptors.h */
	.equ VECTOR_NMI, 2	/* registers.h */
	.equ VECTOR_TIMER, 0xf0	/* interrupts.h */

	.text

/* One 16-byte stub a vector. Vectors with an error code: SDM volume 3A, table 6-1. */
	.balign 16
	.globl x86_vectors
	.hidden x86_vectors
	.type x86_vectors, @function
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
	.size x86_vectors, . - x86_vectors

/*
 * Between the two macros the CPU neither traces nor counts, on CPUs that hide their handlers
 * (trace.h). No branch is taken before the registers are written, and none after but IRET; TR's
 * selector says which CPU this is. Handlers nest (an interrupt's and an NMI's), so the outermost
 * one's end puts the registers back.
 *
 * An NMI in the midst of either, where depth and the registers disagree, finds the step not yet
 * begun: trace.c puts depth back, and the NMI returns to the step's first instruction. So whatever
 * it changed of what is kept is seen. entry: that of an interrupt whose handler is told of it.
 */
	.macro trace_hold entry=.Lnone
.Lhold\@:
	str %ecx
	lea x86_trace(%rip), %rax
	lea -2*GDT_TSS(%rax, %rcx, 2), %rax
	cmpl $0, TRACE_HIDE(%rax)
	je .Lheld\@
	incl TRACE_DEPTH(%rax)
.Lholding\@:
	mov $IA32_DEBUGCTL, %ecx
	xor %eax, %eax
	xor %edx, %edx
.Lstill_traced\@:
	wrmsr
	mov $IA32_PERF_GLOBAL_CTRL, %ecx
	wrmsr
.Lheld\@:
	step .Lhold\@, .Lholding\@, .Lstill_traced\@, 2, 1, \entry
	.endm

	.macro trace_release	/* uses rax, rcx, rdx, rdi */
.Lrelease\@:
	str %ecx
	lea x86_trace(%rip), %rdi
	lea -2*GDT_TSS(%rdi, %rcx, 2), %rdi
	cmpl $0, TRACE_HIDE(%rdi)
	je .Lreleased\@
	decl TRACE_DEPTH(%rdi)
.Lreleasing\@:
	jne .Lreleased\@
	mov TRACE_GLOBAL_CTRL(%rdi), %eax
	mov TRACE_GLOBAL_CTRL+4(%rdi), %edx
	mov $IA32_PERF_GLOBAL_CTRL, %ecx
	wrmsr
	mov TRACE_DEBUGCTL(%rdi), %eax
	xor %edx, %edx
	mov $IA32_DEBUGCTL, %ecx
.Lnot_yet_traced\@:
	wrmsr
.Lreleased\@:
	step .Lrelease\@, .Lreleasing\@, .Lnot_yet_traced\@, 1, 2
	.endm

	.equ .Lnone, x86_vectors - 1
	.macro step begin, first, last, found, undone, entry=.Lnone
	.pushsection .rodata.x86_trace_steps, "a", @progbits
	.long \begin - x86_vectors, \first - x86_vectors, \last - x86_vectors
	.long \found, \undone, \entry - x86_vectors
	.popsection
	.endm

	.pushsection .rodata.x86_trace_steps, "a", @progbits
	.balign 4
	.globl x86_trace_steps
	.hidden x86_trace_steps
x86_trace_steps:
	.popsection

/*
 * Of struct arch_regs, from its end: what C functions may change, and the frame pointer. The CPU
 * aligned the stack to 16 bytes and the struct's 22 words keep that. hidden: on CPUs that may hide
 * their handlers.
 */
	.macro save_regs hidden, entry=.Lnone
	push %rax
	push %rcx
	push %rdx
	.if \hidden
	trace_hold \entry
	.endif
	push %rsi
	push %rdi
	push %r8
	push %r9
	push %r10
	push %r11
	push %rbp
	.endm

	.macro restore_regs_and_return hidden
	pop %rbp
	pop %r11
	pop %r10
	pop %r9
	.if \hidden
	trace_release
	.endif
	pop %r8
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rcx
	pop %rax
	add $16, %rsp		/* vector and error code */
	iretq
	.endm

	.macro enter_and_leave function, entry
	save_regs 1, \entry
	push %r15
	push %r14
	push %r13
	push %r12
	push %rbx
	cld
	xor %ebp, %ebp		/* our frames end here */
	mov %rsp, %rdi
	call \function
	pop %rbx
	pop %r12
	pop %r13
	pop %r14
	pop %r15
	restore_regs_and_return 1
	.endm

	.balign 16
	.type interrupt, @function
interrupt:
	enter_and_leave x86_interrupt, x86_vectors
	.size interrupt, . - interrupt

/* What comes all the time while the CPU traces has no jump before trace_hold. */
	.macro own_entry name, vector, function
	.balign 16
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	push $0
	push $\vector
	enter_and_leave \function, \name
	.size \name, . - \name
	.endm

/*
 * The NMI. The rest of struct arch_regs, which only a signal's handler may look at, is filled in
 * for one: the registers that C functions preserve are still the interrupted code's.
 */
	.macro nmi_entry name, hidden
	.balign 16
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	sub $16, %rsp		/* vector and error code */
	save_regs \hidden
	sub $8*REGS_PRESERVED, %rsp
	cld
	xor %ebp, %ebp
	mov %rsp, %rdi
	.if \hidden
	call x86_nmi_hidden
	test %al, %al
	jne .Lhandled\@
	mov %rsp, %rdi
	.endif
	call *x86_pmi_handler(%rip)
.Lhandled\@:
	str %eax
	lea x86_signals-GDT_TSS(%rip), %rcx
	cmpl $0, (%rcx, %rax)
	jne .Lsignal\@
.Ldone\@:
	add $8*REGS_PRESERVED, %rsp
	restore_regs_and_return \hidden
.Lsignal\@:
	mov %rsp, %rdi
	mov %rbx, (%rdi)
	mov %r12, 8(%rdi)
	mov %r13, 16(%rdi)
	mov %r14, 24(%rdi)
	mov %r15, 32(%rdi)
	movq $VECTOR_NMI, REGS_VECTOR(%rdi)
	movq $0, REGS_VECTOR+8(%rdi)
	call x86_signal
	jmp .Ldone\@
	.size \name, . - \name
	.endm

	.balign 1024
nmi_entries:			/* in one page, wherever that is */
	nmi_entry x86_nmi_entry, 1
	nmi_entry x86_plain_nmi_entry, 0
	.org nmi_entries + 1024	/* an error if they take more */

	own_entry x86_timer_entry, VECTOR_TIMER, x86_interrupt

	.globl arch_trace_hold
	.hidden arch_trace_hold
	.type arch_trace_hold, @function
arch_trace_hold:
	trace_hold
	ret
	.size arch_trace_hold, . - arch_trace_hold

	.globl arch_trace_release
	.hidden arch_trace_release
	.type arch_trace_release, @function
arch_trace_release:
	trace_release
	ret
	.size arch_trace_release, . - arch_trace_release

	.globl x86_entries_end
	.hidden x86_entries_end
x86_entries_end:

	.pushsection .rodata.x86_trace_steps, "a", @progbits
	.globl x86_trace_steps_end
	.hidden x86_trace_steps_end
x86_trace_steps_end:
	.popsection

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
