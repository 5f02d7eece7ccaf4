/* SPDX-License-Identifier: MIT */
/* Included before kernel.c: executes 2 instructions, loops times. */
#ifndef __ASSEMBLER__
static inline void spin(unsigned long loops)
{
	__asm__ volatile(
	    "1: dec %0\n\t"
	    "jnz 1b"
	    : "+r"(loops)
	    /* so that the caller has a frame: gcc makes none for code without memory */
	    : "r"(__builtin_frame_address(0))
	    : "cc");
}
#endif
