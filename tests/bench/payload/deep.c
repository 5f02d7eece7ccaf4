/* SPDX-License-Identifier: MIT */
/* Code with a known number of instructions at a known depth: a callchain of LENGTH addresses, whose
 * innermost function counts down from TURNS. */
#include <stdlib.h>

#define SHORTEST 2 /* the innermost function and the function that began the chain */

typedef unsigned long (*function)(unsigned long, unsigned long);

/* Call f(depth, turns) with a frame pointer that ends the chain here. */
unsigned long begin_chain(function f, unsigned long depth, unsigned long turns);

static unsigned long deep(unsigned long depth, unsigned long turns);

/* volatile: if the compiler knew the called function, it would make a loop of the recursion. */
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
