/* SPDX-License-Identifier: MIT */
/*
 * x86-64: QEMU's -kernel starts an ELF file by the PVH protocol, in 32-bit protected mode without
 * paging (Xen's docs/misc/pvh.pandoc). The kernel maps the first GiB to itself with pages that user
 * mode may use, too, and goes to long mode (SDM 3, 10.8.5).
 */
#define CR0_PE		(1 << 0)
#define CR0_PG		(1 << 31)
#define CR4_PAE		(1 << 5)
#define MSR_EFER	0xc0000080
#define MSR_STAR	0xc0000081
#define MSR_LSTAR	0xc0000082
#define MSR_FMASK	0xc0000084
#define EFER_SCE	(1 << 0)
#define EFER_LME	(1 << 8)
#define PAGE_RWU	7
#define PAGE_LARGE	(1 << 7)
#define KERNEL_CODE	0x08
#define KERNEL_DATA	0x10
#define USER_DATA	0x1b
#define USER_CODE	0x23
#define SERIAL		0x3f8
#define ISA_DEBUG_EXIT	0xf4

	.section .note.pvh, "a", @note
	.long 4, 4, 18			/* XEN_ELFNOTE_PHYS32_ENTRY */
	.asciz "Xen"
	.long start32

	.text
	.code32
	.globl start32
	.type start32, @function
start32:
	mov $stack_top, %esp
	movl $(page_directory + PAGE_RWU), page_pointers
	movl $(page_pointers + PAGE_RWU), page_root
	mov $page_directory, %edi
	mov $(PAGE_LARGE + PAGE_RWU), %eax
	mov $512, %ecx
1:	mov %eax, (%edi)
	add $0x200000, %eax
	add $8, %edi
	loop 1b
	mov $page_root, %eax
	mov %eax, %cr3
	mov %cr4, %eax
	or $CR4_PAE, %eax
	mov %eax, %cr4
	mov $MSR_EFER, %ecx
	rdmsr
	or $(EFER_LME | EFER_SCE), %eax
	wrmsr
	mov %cr0, %eax
	or $(CR0_PG | CR0_PE), %eax
	mov %eax, %cr0
	lgdt gdt_pointer
	ljmp $KERNEL_CODE, $start64
	.size start32, . - start32

	.code64
	.type start64, @function
start64:
	mov $KERNEL_DATA, %eax
	mov %eax, %ds
	mov %eax, %es
	mov %eax, %ss
	mov $MSR_STAR, %ecx		/* SYSCALL: kernel's CS; SYSRET is not used */
	xor %eax, %eax
	mov $KERNEL_CODE, %edx
	wrmsr
	mov $MSR_LSTAR, %ecx
	mov $system_call, %eax
	xor %edx, %edx
	wrmsr
	mov $MSR_FMASK, %ecx
	xor %eax, %eax
	wrmsr
	xor %ebp, %ebp			/* the end of all callchains */
	call second_is_done		/* it is never started */
	call kernel_main
	ud2
	.size start64, . - start64

	.globl enter_user
	.type enter_user, @function
enter_user:
	push %rbp
	mov %rsp, %rbp
	mov %rsp, kernel_stack
	mov %rbp, kernel_frame
	xor %ebp, %ebp
	push $USER_DATA
	push $(user_stack_top - 8)
	push $2				/* RFLAGS: interrupts are off */
	push $USER_CODE
	push %rdi
	iretq
	.size enter_user, . - enter_user

	.type system_call, @function
system_call:
	mov kernel_stack, %rsp
	mov kernel_frame, %rbp
	pop %rbp
	ret
	.size system_call, . - system_call

	.globl leave_user
	.type leave_user, @function
leave_user:
	syscall
	.size leave_user, . - leave_user

	.globl put_text
	.type put_text, @function
put_text:
	mov $SERIAL, %dx
1:	mov (%rdi), %al
	test %al, %al
	jz 2f
	out %al, %dx
	inc %rdi
	jmp 1b
2:	ret
	.size put_text, . - put_text

	.globl power_off
	.type power_off, @function
power_off:
	mov $ISA_DEBUG_EXIT, %dx	/* QEMU's exit status becomes 2 * 16 + 1 */
	mov $16, %al
	out %al, %dx
1:	hlt
	jmp 1b
	.size power_off, . - power_off

	.section .rodata
	.balign 8
gdt:	.quad 0
	.quad 0x00af9b000000ffff	/* kernel's code, 64 bits */
	.quad 0x00cf93000000ffff	/* kernel's data */
	.quad 0x00cff3000000ffff	/* user's data */
	.quad 0x00affb000000ffff	/* user's code, 64 bits */
gdt_pointer:
	.word . - gdt - 1
	.long gdt

	.bss
	.balign 4096
page_root:
	.skip 4096
page_pointers:
	.skip 4096
page_directory:
	.skip 4096
	.skip 4096
stack_top:
	.skip 4096
user_stack_top:
kernel_stack:
	.skip 8
kernel_frame:
	.skip 8

	.section .note.GNU-stack, "", @progbits
