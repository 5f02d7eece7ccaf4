/* SPDX-License-Identifier: MIT */
/* DDI 0487, D7.5: cleaned by address to the point of coherency, which RAM lies at or behind. */
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

/* Whether RAM is encrypted no register of ours tells. */
const char *arch_memory_forgets(void)
{
	return NULL;
}

/* There is no system management mode; EL3 does not say how often it runs. */
bool arch_smi_count(uint64_t *count)
{
	*count = 0;
	return false;
}
