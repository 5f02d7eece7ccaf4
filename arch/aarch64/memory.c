/* SPDX-License-Identifier: MIT */
/* DDI 0487, D7.5: clean by address to the point of coherency; RAM lies at that point or behind
 * it. */
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"

#define CTR_DMINLINE 16 /* CTR_EL0, 4 bits: log2 of the smallest line's words */

void arch_memory_clean_begin(const void *start, size_t size)
{
	uintptr_t line = 4UL << (read_sysreg(ctr_el0) >> CTR_DMINLINE & 0xf);
	uintptr_t end = (uintptr_t)start + size;

	for (uintptr_t at = (uintptr_t)start & ~(line - 1); at < end; at += line)
		asm volatile("dc cvac, %0" : : "r"(at) : "memory");
}

void arch_memory_cleaned(void)
{
	asm volatile("dsb sy" : : : "memory");
}

/* No register that we may read reports whether RAM is encrypted. */
const char *arch_memory_forgets(void)
{
	return NULL;
}

/* Arm has no system management mode, and EL3 does not report how often it runs. */
bool arch_smi_count(uint64_t *count)
{
	*count = 0;
	return false;
}
