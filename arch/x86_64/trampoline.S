/* SPDX-License-Identifier: MIT */
/*
 * Where a CPU starts after SIPI: in real mode, at the beginning of a page below 1 MiB (SDM volume
 * 3A, 9.4). smp.c copies [x86_trampoline, x86_trampoline_end) there and fills in the words at the
 * end. The code goes from real mode directly to 64-bit mode: CR0.PE and CR0.PG are set by one write
 * (9.8.5).
 */
	.text
	.globl x86_trampoline, x86_trampoline_end, x86_trampoline_words
	.hidden x86_trampoline, x86_trampoline_end, x86_trampoline_words

#define AT(label) label - x86_trampoline

	.balign 16
	.code16
	.type x86_trampoline, @function
x86_trampoline:
	cli
	cld
	mov %cs, %ax
	mov %ax, %ds
	lgdtl AT(gdt_operand)
	mov AT(cr4), %eax
	mov %eax, %cr4
	mov AT(cr3), %eax
	mov %eax, %cr3
	mov $0xc0000080, %ecx	/* IA32_EFER */
	rdmsr
	or $0x900, %eax		/* LME, NXE */
	wrmsr
	mov AT(cr0), %eax
	mov %eax, %cr0
	ljmpl *AT(far)
	.code64
in_64_bits:
	jmp *entry(%rip)

	/* struct trampoline in smp.c, packed */
	.balign 8
x86_trampoline_words:
gdt:	.quad 0, 0x00af9b000000ffff, 0x00cf93000000ffff
gdt_operand:
	.word 23
	.long AT(gdt)		/* + the page's address */
far:	.long AT(in_64_bits)	/* + the page's address */
	.word 8
cr0:	.long 0
cr3:	.long 0
cr4:	.long 0
entry:	.quad 0
x86_trampoline_end:
	.size x86_trampoline, . - x86_trampoline

/* Entered from the trampoline: switches to our stack and calls C code, which does not return. */
	.globl x86_ap_entry
	.hidden x86_ap_entry
	.type x86_ap_entry, @function
x86_ap_entry:
	mov $0x10, %eax
	mov %eax, %ds
	mov %eax, %es
	mov %eax, %ss
	mov x86_ap_stack(%rip), %rsp
	xor %ebp, %ebp
	fninit
	push $0x1f80		/* MXCSR as at reset */
	ldmxcsr (%rsp)
	pop %rax
	call x86_ap_main
	ud2
	.size x86_ap_entry, . - x86_ap_entry

	.section .note.GNU-stack, "", @progbits
