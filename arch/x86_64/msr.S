/* SPDX-License-Identifier: MIT */
/*
 * Access MSRs and counters that may not exist: a hypervisor or an old CPU raises #GP, whose handler
 * (pmu.c) continues at the landing below.
 */
	.text

/* uint64_t x86_rdmsr_safe(uint32_t msr edi): 0 if it does not exist */
	.globl x86_rdmsr_safe
	.hidden x86_rdmsr_safe
	.type x86_rdmsr_safe, @function
x86_rdmsr_safe:
	mov %edi, %ecx
	.globl x86_rdmsr_may_fault
	.hidden x86_rdmsr_may_fault
x86_rdmsr_may_fault:
	rdmsr
	shl $32, %rdx
	or %rdx, %rax
	ret
	.size x86_rdmsr_safe, . - x86_rdmsr_safe

/* uint64_t x86_rdpmc_safe(uint32_t selector edi): the same of RDPMC */
	.globl x86_rdpmc_safe
	.hidden x86_rdpmc_safe
	.type x86_rdpmc_safe, @function
x86_rdpmc_safe:
	mov %edi, %ecx
	.globl x86_rdpmc_may_fault
	.hidden x86_rdpmc_may_fault
x86_rdpmc_may_fault:
	rdpmc
	shl $32, %rdx
	or %rdx, %rax
	ret
	.size x86_rdpmc_safe, . - x86_rdpmc_safe

/* void x86_wrmsr_safe(uint32_t msr edi, uint64_t value rsi): nothing if it does not exist */
	.globl x86_wrmsr_safe
	.hidden x86_wrmsr_safe
	.type x86_wrmsr_safe, @function
x86_wrmsr_safe:
	mov %edi, %ecx
	mov %esi, %eax
	mov %rsi, %rdx
	shr $32, %rdx
	.globl x86_wrmsr_may_fault
	.hidden x86_wrmsr_may_fault
x86_wrmsr_may_fault:
	wrmsr
	ret
	.size x86_wrmsr_safe, . - x86_wrmsr_safe

/* Execution continues here after #GP. */
	.globl x86_msr_landing
	.hidden x86_msr_landing
	.type x86_msr_landing, @function
x86_msr_landing:
	xor %eax, %eax
	ret
	.size x86_msr_landing, . - x86_msr_landing

	.section .note.GNU-stack, "", @progbits
