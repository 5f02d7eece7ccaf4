/* SPDX-License-Identifier: MIT */
/*
 * SDM volume 2A, CLFLUSH, CLWB: the line is written back from any cache where it is dirty, and with
 * CLWB it stays in the cache. MFENCE waits for that.
 */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"

#define LINES      8 /* CPUID.01H:EBX[15:8], in units of 8 bytes */
#define LEAST_LINE 16U
#define HAS_CLWB   (1U << 24) /* CPUID.07H:EBX */

/* Read once: CPUID may be slow under a hypervisor. */
static size_t line_size;
static bool has_clwb;

static void memory_identify(void)
{
	size_t size = (cpuid(1, 0).ebx >> LINES & 0xff) * 8UL;

	has_clwb = cpuid(0, 0).eax >= 7 && cpuid(7, 0).ebx & HAS_CLWB;
	__atomic_store_n(&line_size, size < LEAST_LINE ? LEAST_LINE : size, __ATOMIC_RELEASE);
}

void arch_memory_clean_begin(const void *start, size_t size)
{
	uintptr_t at, end = (uintptr_t)start + size;

	if (!__atomic_load_n(&line_size, __ATOMIC_ACQUIRE))
		memory_identify();
	for (at = (uintptr_t)start & ~(line_size - 1); at < end; at += line_size) {
		if (has_clwb)
			__asm__ volatile("clwb (%0)" : : "r"(at) : "memory");
		else
			__asm__ volatile("clflush (%0)" : : "r"(at) : "memory");
	}
}

void arch_memory_cleaned(void)
{
	__asm__ volatile("mfence" : : : "memory");
}
