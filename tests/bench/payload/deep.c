/* SPDX-License-Identifier: MIT */
/* A known number of instructions at a known depth: a callchain of LENGTH addresses, in whose
 * innermost function TURNS are counted down. */
#include <stdlib.h>

#define SHORTEST 2 /* the innermost function, and who began the chain */

typedef unsigned long (*function)(unsigned long, unsigned long);

/* Call f(depth, turns) with a frame pointer that ends the chain here. */
unsigned long begin_chain(function f, unsigned long depth, unsigned long turns);

#if defined(__x86_64__)
__asm__(
    "begin_chain:\n\tpush %rbp\n\txor %ebp, %ebp\n\tmov %rdi, %rax\n\tmov %rsi, %rdi\n\t"
    "mov %rdx, %rsi\n\tcall *%rax\n\tpop %rbp\n\tret");
#else
__asm__(
    "begin_chain:\n\tstp x29, x30, [sp, #-16]!\n\tmov x29, #0\n\tmov x9, x0\n\tmov x0, x1\n\t"
    "mov x1, x2\n\tblr x9\n\tldp x29, x30, [sp], #16\n\tret");
#endif

static unsigned long deep(unsigned long depth, unsigned long turns);

/* The compiler may not know whom it calls, or it would make a loop of it. */
static volatile function deeper = deep;

static unsigned long deep(unsigned long depth, unsigned long turns)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	if (depth)
		return deeper(depth - 1, turns) + 1;
	for (; turns; turns--)
		__asm__ volatile("");
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long depth;

	if (argc != 3)
		return 2;
	depth = strtoul(argv[1], NULL, 10) - SHORTEST;
	return begin_chain(deeper, depth, strtoul(argv[2], NULL, 10)) != depth;
}
