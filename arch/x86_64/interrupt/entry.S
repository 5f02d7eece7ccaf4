/* SPDX-License-Identifier: MIT */
/*
 * Where the CPU enters our code: interrupts and exceptions, and the change of stacks.
 *
 * Only general registers are saved: handlers use no others, so vector and x87 state of the
 * interrupted code is never changed.
 */
#include "arch/x86_64/pmu/perfmon.h"
#include "arch/x86_64/pmu/trace.h"
#include "arch/x86_64/regs.h"

	.equ GDT_TSS, 0x20	/* descriptors.h */
	.equ VECTOR_DB, 1	/* registers.h */
	.equ VECTOR_NMI, 2
	.equ VECTOR_GP, 13
	.equ VECTOR_TIMER, 0xf0	/* interrupts.h */

	.equ FIRMWARES_STACK, 2	/* own_stack's value if the interrupted stack is used: hosted.c */

	.text

/* One 16-byte stub per vector. Vectors with an error code: SDM volume 3A, table 6-1. */
	.balign 16
	.globl x86_vectors
	.hidden x86_vectors
	.type x86_vectors, @function
x86_vectors:
	.set vector, 0
	.rept 256
	.balign 16
	.set pushed, vector == 8 || (vector >= 10 && vector <= 14)
	.set pushed, pushed || vector == 17 || vector == 21 || vector == 29 || vector == 30
	.if !pushed
	push $0
	.endif
	push $vector
	jmp interrupt
	.set vector, vector + 1
	.endr
	.size x86_vectors, . - x86_vectors

/*
 * Between these two macros the CPU neither traces nor counts, on CPUs that hide their handlers
 * (trace.h). No branch is taken before the counters stop, and only IRET after they count again.
 * Handlers nest (an NMI's inside an interrupt's), so only the outermost one restores the registers.
 * rdi: this CPU's struct x86_trace.
 *
 * An NMI may come in the middle of a macro, when depth and the registers disagree. While branches
 * are traced, trace.c then undoes the step: it restores depth, and the NMI returns to the step's
 * first instruction. So changes that the NMI made to the saved values are seen. If only counters
 * are hidden that is not needed: the interrupted handler stops them, or starts them, once more.
 * entry: the interrupt's entry, if its handler is informed of the step.
 */
	.macro trace_hold own_stack, entry=.Lnone	/* uses rax, rcx, rdx, rdi */
.Lhold\@:
	find_trace \own_stack
	incl TRACE_DEPTH(%rdi)
.Lholding\@:
	js .Lheld\@
	mov TRACE_SWITCH(%rdi), %ecx
	xor %eax, %eax
	xor %edx, %edx
	wrmsr
	mov TRACE_HIDES(%rdi), %ecx
	jrcxz .Lheld\@
	movzwl TRACE_OFF(%rdi), %eax
.Lstill_traced\@:
	wrmsr
.Lheld\@:
	step .Lhold\@, .Lholding\@, .Lstill_traced\@, 2, 1, \entry
	.endm

	.macro trace_release own_stack	/* uses rax, rcx, rdx, rdi */
.Lrelease\@:
	find_trace \own_stack
	decl TRACE_DEPTH(%rdi)
.Lreleasing\@:
	jne .Lreleased\@
	mov TRACE_HIDES(%rdi), %ecx
	jrcxz .Luntraced\@
	mov TRACE_CONTROL(%rdi), %eax
	xor %edx, %edx
.Lnot_yet_traced\@:
	wrmsr
.Luntraced\@:
	mov TRACE_GLOBAL_CTRL(%rdi), %eax
	mov TRACE_GLOBAL_CTRL+4(%rdi), %edx
	mov TRACE_SWITCH(%rdi), %ecx
	wrmsr
.Lreleased\@:
	step .Lrelease\@, .Lreleasing\@, .Lnot_yet_traced\@, 1, 2
	.endm

/* An entry's own stack has the address of struct x86_trace above its top (descriptors.c), behind
 * seven words that save_regs and the entry pushed and the CPU's five. The firmware's stack means
 * the boot CPU; otherwise TR's selector identifies the CPU. Above the NMI's stack lies also the
 * function that it calls, behind all that x86_nmi_entry has pushed by then. */
	.equ PMI_HANDLER, 8*(12 + 5 + REGS_PRESERVED + 1)
	.macro find_trace own_stack
	.if \own_stack == FIRMWARES_STACK
	lea x86_trace(%rip), %rdi
	.elseif \own_stack
	mov 8*12(%rsp), %rdi
	.else
	str %ecx
	lea x86_trace(%rip), %rdi
	lea -2*GDT_TSS(%rdi, %rcx, 2), %rdi
	.endif
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
 * Saves the end of struct arch_regs: the registers that C functions may change, and the frame
 * pointer. The CPU aligned the stack to 16 bytes, and the struct's 22 words keep that.
 */
	.macro save_regs own_stack, entry=.Lnone
	push %rax
	push %rcx
	push %rdx
	push %rsi
	push %rdi
	trace_hold \own_stack, \entry
	push %r8
	push %r9
	push %r10
	push %r11
	push %rbp
	.endm

	.macro restore_regs own_stack
	pop %rbp
	pop %r11
	pop %r10
	pop %r9
	pop %r8
	trace_release \own_stack
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rcx
	pop %rax
	.endm

	.macro restore_regs_and_return own_stack
	restore_regs \own_stack
	add $16, %rsp		/* vector and error code */
	iretq
	.endm

	.macro enter_and_leave own_stack, function, entry
	save_regs \own_stack, \entry
	push %r15
	push %r14
	push %r13
	push %r12
	push %rbx
	cld
	xor %ebp, %ebp		/* ends the chain of our frame records */
	mov %rsp, %rdi
	call \function
	pop %rbx
	pop %r12
	pop %r13
	pop %r14
	pop %r15
	restore_regs_and_return \own_stack
	.endm

	.balign 16
	.type interrupt, @function
interrupt:
	enter_and_leave 0, x86_interrupt, x86_vectors
	.size interrupt, . - interrupt

/* Entries of frequent interrupts have no jump before trace_hold. */
	.macro own_entry name, vector, function
	.balign 16
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	push $0
	push $\vector
	enter_and_leave 1, \function, \name
	.size \name, . - \name
	.endm

	own_entry x86_timer_entry, VECTOR_TIMER, x86_interrupt
	own_entry x86_step_entry, VECTOR_DB, x86_interrupt

/*
 * The NMI. The rest of struct arch_regs, which only a signal's handler may read, is saved only for
 * a signal: until then the registers that C functions preserve still have the interrupted code's
 * values. The called function returns enum arch_pmi; bit 0 is set as well if a signal was sent.
 */
	.balign 16
	.globl x86_nmi_entry
	.hidden x86_nmi_entry
	.type x86_nmi_entry, @function
x86_nmi_entry:
	sub $16, %rsp		/* vector and error code */
	save_regs 1
	sub $8*REGS_PRESERVED, %rsp
	cld
	xor %ebp, %ebp
	cmpb $0, TRACE_INFORMS(%rdi)
	mov %rsp, %rdi
	jne .Lhidden
.Lvisible:
	call *PMI_HANDLER(%rsp)
	str %ecx
	lea x86_signals-GDT_TSS(%rip), %rdx
	or (%rdx, %rcx), %eax
	jne .Lrest
.Ldone:
	add $8*REGS_PRESERVED, %rsp
	restore_regs_and_return 1
.Lhidden:
	call x86_nmi_hidden
	test %al, %al
	je .Lseen
	str %ecx
	lea x86_signals-GDT_TSS(%rip), %rdx
	cmpl $0, (%rdx, %rcx)
	je .Ldone
	mov $1, %eax
.Lrest:
	mov %rsp, %rdi
	mov %eax, %esi
	mov %rbx, (%rdi)
	mov %r12, 8(%rdi)
	mov %r13, 16(%rdi)
	mov %r14, 24(%rdi)
	mov %r15, 32(%rdi)
	movq $VECTOR_NMI, REGS_VECTOR(%rdi)
	movq $0, REGS_VECTOR+8(%rdi)
	call x86_nmi_rest
	jmp .Ldone
.Lseen:
	mov %rsp, %rdi
	jmp .Lvisible
	.size x86_nmi_entry, . - x86_nmi_entry

/*
 * Hosted mode: entered by gates of the firmware's tables. An exception that is not ours continues
 * at the gate's former target, with all registers and the stack as they came. error 0: the CPU
 * pushes no error code.
 *
 * Code with page tables of its own must have this image and the gates' table mapped, or the CPU
 * itself could not enter here. Our devices and rings need not be mapped in them, and its stack may
 * not be mapped in the firmware's. So an NMI is handled in the firmware's translation, on a stack
 * of ours; NMIs are blocked until IRET, so one stack is enough. Our own code never faults in
 * another translation.
 */
	.macro hosted_entry name, vector, function, foreign, error=0
	.balign 16
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	.if \error == 0
	push $0
	.endif
	push $\vector
	save_regs FIRMWARES_STACK
	sub $8*REGS_PRESERVED, %rsp
	cld
	xor %ebp, %ebp
	mov %rbx, (%rsp)
	mov %cr3, %rbx
	cmp x86_hosted_cr3(%rip), %rbx
	jne .Lelsewhere\@
	mov %rsp, %rdi
	call \function
.Lcalled\@:
	mov (%rsp), %rbx
	.if \error
	mov %rax, REGS_VECTOR(%rsp)
	.else
	mov %rax, REGS_VECTOR+8(%rsp)
	.endif
	add $8*REGS_PRESERVED, %rsp
	test %rax, %rax
	jne .Lforeign\@
	restore_regs_and_return FIRMWARES_STACK
.Lelsewhere\@:
	.if \error
	call \foreign
	.else
	mov x86_hosted_cr3(%rip), %rax
	mov %rax, %cr3
	mov %rsp, %rdi
	call \function
	mov %rbx, %cr3
	.endif
	jmp .Lcalled\@
.Lforeign\@:
	restore_regs FIRMWARES_STACK
	.if \error == 0
	add $8, %rsp		/* the vector */
	.endif
	ret
	.size \name, . - \name
	.endm

	hosted_entry x86_hosted_nmi_entry, VECTOR_NMI, x86_hosted_nmi
	hosted_entry x86_hosted_gp_entry, VECTOR_GP, x86_hosted_gp, x86_hosted_foreign_gp, 1

	.globl arch_trace_hold
	.hidden arch_trace_hold
	.type arch_trace_hold, @function
arch_trace_hold:
	trace_hold 0
	ret
	.size arch_trace_hold, . - arch_trace_hold

	.globl arch_trace_release
	.hidden arch_trace_release
	.type arch_trace_release, @function
arch_trace_release:
	trace_release 0
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
	xor %ebp, %ebp		/* frame records of the other stack are not ours */
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
