/* SPDX-License-Identifier: MIT */
/* Included before kernel.c: executes 2 instructions, loops times. */
#ifndef __ASSEMBLER__
static inline void spin(unsigned long loops)
{
	__asm__ volatile(
	    "1: subs %0, %0, #1\n\t"
	    "b.ne 1b"
	    : "+r"(loops)
	    :
	    : "cc");
}
#endif
