/* SPDX-License-Identifier: MIT */
/* SDM volume 2A, CLFLUSH: the line is written back wherever it is dirty; MFENCE waits for it. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"

#define LINES      8 /* CPUID.01H:EBX[15:8], in units of 8 bytes */
#define LEAST_LINE 16U

void arch_memory_clean(const void *start, size_t size)
{
	size_t line = (cpuid(1, 0).ebx >> LINES & 0xff) * 8UL;
	uintptr_t end = (uintptr_t)start + size;

	if (line < LEAST_LINE)
		line = LEAST_LINE;
	for (uintptr_t at = (uintptr_t)start & ~(line - 1); at < end; at += line)
		__asm__ volatile("clflush (%0)" : : "r"(at) : "memory");
	__asm__ volatile("mfence" : : : "memory");
}
