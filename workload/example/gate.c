/* SPDX-License-Identifier: MIT */
/* A program to measure: three functions of known weight. */
#include <stdio.h>

#define ROUNDS 400000U

#ifndef HASH_STEPS
#define HASH_STEPS 40U
#endif

static volatile unsigned sink;

__attribute__((noinline)) static void parse(unsigned seed)
{
	for (unsigned i = 0; i < 40; i++)
		sink = seed + i;
}

__attribute__((noinline)) static void hash(unsigned seed)
{
	for (unsigned i = 0; i < HASH_STEPS; i++)
		sink = seed * 31 + i;
}

__attribute__((noinline)) static void emit(unsigned seed)
{
	for (unsigned i = 0; i < 20; i++)
		sink = seed ^ i;
}

int main(void)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		parse(round);
		hash(round);
		emit(round);
	}
	printf("%u\n", sink);
	return 0;
}
