/* SPDX-License-Identifier: MIT */
/*
 * Enters the payload at EL1, and returns from it.
 */
#include "arch/aarch64/cpu.h"
#include "arch/aarch64/regs.h"
#include "arch/aarch64/sysreg.h"

	.text

/*
 * int64_t arm_payload_run(int (*fn)(void *), void *arg)
 *
 * A thread of ours at EL2 (on SP_EL0, with the handlers' SP_EL2 at its top) saves the registers
 * that the ABI preserves, and enters EL1 with interrupts unmasked there. Vector registers are not
 * saved here: no code of ours at EL2 uses them.
 */
	.globl	arm_payload_run
	.hidden	arm_payload_run
	.type	arm_payload_run, %function
arm_payload_run:
	stp	x29, x30, [sp, #-112]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	mrs	x2, daif
	str	x2, [sp, #96]
	msr	daifset, #15

	mrs	x2, tpidr_el2
	mov	x3, sp
	str	x3, [x2, #CPU_PAYLOAD_SAVED]
	ldr	x3, [x2, #CPU_PAYLOAD_TOP]
	msr	sp_el1, x3
	msr	tpidr_el1, x2
	adr	x3, payload_start
	msr	elr_el2, x3
	mov	x3, #PSTATE_EL1H
	msr	spsr_el2, x3
	msr	spsel, #1 /* handlers run on SP_EL2 */
	eret

	/* Runs at EL1 */
payload_start:
	mov	x9, x0
	mov	x0, x1
	mov	x29, xzr
	mov	x30, xzr
	blr	x9
	hvc	#HVC_PAYLOAD_RETURN
	.size	arm_payload_run, . - arm_payload_run

/* _Noreturn void arm_payload_leave(int64_t result): a handler at EL2 makes arm_payload_run()
 * return result. */
	.globl	arm_payload_leave
	.hidden	arm_payload_leave
	.type	arm_payload_leave, %function
arm_payload_leave:
	mrs	x2, tpidr_el2
	ldr	x3, [x2, #CPU_EXCEPTION_TOP]
	mov	sp, x3
	ldr	x3, [x2, #CPU_PAYLOAD_SAVED]
	str	xzr, [x2, #CPU_PAYLOAD_SAVED]
	msr	spsel, #0
	mov	sp, x3
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldr	x2, [sp, #96]
	msr	daif, x2
	ldp	x29, x30, [sp], #112
	ret
	.size	arm_payload_leave, . - arm_payload_leave

	.section .note.GNU-stack, "", %progbits
