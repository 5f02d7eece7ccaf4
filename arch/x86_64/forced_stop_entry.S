/* SPDX-License-Identifier: MIT */
/* No register is saved: the debugger restores them. */

	.text
	.globl x86_forced_stop
	.hidden x86_forced_stop
	.type x86_forced_stop, @function
x86_forced_stop:
	cli
	cld
	lea forced_stop_stack_end(%rip), %rsp
	xor %ebp, %ebp
	call *x86_forced_stop_function(%rip)
	ud2
	.size x86_forced_stop, . - x86_forced_stop

	.bss
	.balign 16
	.skip 16384
forced_stop_stack_end:
