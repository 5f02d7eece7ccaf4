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

/* Linux's, for linux_init.c */
#define SYS_WRITE  1
#define SYS_MOUNT  165
#define SYS_REBOOT 169
#define SYS_OPENAT 257
#define SYS_READ   0

static inline long system_call(long number, long a, long b, long c, long d)
{
	register long fourth __asm__("r10") = d;
	register long fifth __asm__("r8") = 0;
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
	                 : "rcx", "r11", "memory");
	return result;
}
#endif
