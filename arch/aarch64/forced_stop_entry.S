/* SPDX-License-Identifier: MIT */
/* No register is saved: the debugger restores them. */

	.text
	.globl arm_forced_stop
	.hidden arm_forced_stop
	.type arm_forced_stop, %function
arm_forced_stop:
	msr daifset, #15
	msr spsel, #1
	adrp x0, forced_stop_stack_end
	add x0, x0, :lo12:forced_stop_stack_end
	mov sp, x0
	mov x29, xzr
	mov x30, xzr
	adrp x0, arm_forced_stop_function
	ldr x0, [x0, :lo12:arm_forced_stop_function]
	blr x0
	udf #0
	.size arm_forced_stop, . - arm_forced_stop

	.bss
	.balign 16
	.skip 16384
forced_stop_stack_end:
