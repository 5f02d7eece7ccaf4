/* SPDX-License-Identifier: MIT */
/*
 * AArch64: QEMU's -kernel starts an ELF file at EL1 (machine virt), on the boot CPU. Memory is used
 * without the MMU. If there is a second CPU, the kernel starts it by PSCI (Arm DEN0022, CPU_ON).
 */
#define PL011		0x09000000
#define PSCI_CPU_ON	0xc4000003
#define PSCI_SYSTEM_OFF	0x84000008

	.text
	.globl start
	.type start, @function
start:
	adrp x0, stack_top
	add x0, x0, :lo12:stack_top
	mov sp, x0
	adrp x0, vectors
	add x0, x0, :lo12:vectors
	msr vbar_el1, x0
	mov x0, #(3 << 20)		/* CPACR_EL1.FPEN: vector registers may be used */
	msr cpacr_el1, x0
	ldr x0, =PSCI_CPU_ON
	mov x1, #1
	adr x2, second
	mov x3, #0
	hvc #0
	cbz x0, 1f
	bl second_is_done		/* there is no second CPU */
1:
	mov x29, #0			/* the end of all callchains */
	mov x30, #0
	bl kernel_main
	udf #0
	.size start, . - start

	.type second, @function
second:
	adrp x0, second_stack_top
	add x0, x0, :lo12:second_stack_top
	mov sp, x0
	mov x29, #0
	mov x30, #0
	bl kernel_second
1:	wfi
	b 1b
	.size second, . - second

	.globl enter_user
	.type enter_user, @function
enter_user:
	stp x29, x30, [sp, #-16]!
	mov x29, sp
	msr elr_el1, x0
	msr spsr_el1, xzr		/* EL0t */
	adrp x1, user_stack_top
	add x1, x1, :lo12:user_stack_top
	msr sp_el0, x1
	mov x29, #0
	mov x30, #0
	eret
	.size enter_user, . - enter_user

	.type system_call, @function
system_call:
	mov x29, sp
	ldp x29, x30, [sp], #16
	ret
	.size system_call, . - system_call

	.globl leave_user
	.type leave_user, @function
leave_user:
	svc #0
	.size leave_user, . - leave_user

	.globl put_text
	.type put_text, @function
put_text:
	ldr x1, =PL011
1:	ldrb w2, [x0], #1
	cbz w2, 2f
	str w2, [x1]
	b 1b
2:	ret
	.size put_text, . - put_text

	.globl power_off
	.type power_off, @function
power_off:
	ldr x0, =PSCI_SYSTEM_OFF
	hvc #0
1:	wfi
	b 1b
	.size power_off, . - power_off

	.balign 2048
vectors:
	.skip 0x400			/* from EL1: none is expected */
	b system_call			/* from EL0, synchronous (Arm ARM, D1.3.1.5) */
	.balign 2048

	.bss
	.balign 16
	.skip 4096
stack_top:
	.skip 4096
second_stack_top:
	.skip 4096
user_stack_top:

	.section .note.GNU-stack, "", @progbits
