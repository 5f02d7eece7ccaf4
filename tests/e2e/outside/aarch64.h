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

/* Linux's, for linux_init.c */
#define SYS_WRITE  64
#define SYS_MOUNT  40
#define SYS_REBOOT 142
#define SYS_OPENAT 56
#define SYS_READ   63

static inline long system_call(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = 0;

	__asm__ volatile("svc #0"
	                 : "+r"(x0)
	                 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
	                 : "memory");
	return x0;
}
#endif
