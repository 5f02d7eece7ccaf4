/* SPDX-License-Identifier: MIT */
/* A known number of instructions at a known depth: a callchain of LENGTH addresses, in whose
 * innermost function TURNS are counted down. */
#include <stdlib.h>

#define SHORTEST 2 /* the innermost function, and who began the chain */

typedef unsigned long (*function)(unsigned long, unsigned long);

/* Call f(depth, turns) with a frame pointer that ends the chain here. */
unsigned long begin_chain(function f, unsigned long depth, unsigned long turns);

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
