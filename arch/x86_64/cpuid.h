/* SPDX-License-Identifier: MIT */
/* SDM volume 2A, CPUID. */
#ifndef ARCH_X86_64_CPUID_H
#define ARCH_X86_64_CPUID_H

#include <stdint.h>

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid id;

	__asm__ volatile("cpuid"
	                 : "=a"(id.eax), "=b"(id.ebx), "=c"(id.ecx), "=d"(id.edx)
	                 : "a"(leaf), "c"(subleaf));
	return id;
}

#endif
