/* SPDX-License-Identifier: MIT */
/*
 * A boot loader's own page tables. They map everything except the addresses from 3 GiB on, where a
 * PC's devices are, and the stack at an address that the firmware's tables do not map. 4-level
 * paging, RAM below 3 GiB.
 */
#ifndef TESTS_FIRMWARE_ELSEWHERE_H
#define TESTS_FIRMWARE_ELSEWHERE_H

#include <stdint.h>
#include <string.h>

#define ELSEWHERE      0xffff900000000000ULL /* address of the second mapping */
#define ADDRESS_OF     0x000ffffffffff000ULL
#define ENTRY_OF(at)   ((at) >> 39 & 511)
#define GIBIBYTES_KEPT 3U

static inline uint64_t *stack_pointer(void)
{
	uint64_t *sp;

	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
	return sp;
}

/* On x86_64 a recording masks no exceptions. */
static inline uint64_t masked_now(void)
{
	return 0;
}

static inline void mask_otherwise(void)
{
}

/* Call fn(argument) with these page tables; pages: room for two tables. Interrupts masked. */
static inline void call_elsewhere(uint64_t *pages, void (*fn)(uint64_t), uint64_t argument)
{
	uint64_t *root = pages, *gibibytes = pages + 512, firmwares;
	const uint64_t *old;

	__asm__ volatile("mov %%cr3, %0" : "=r"(firmwares));
	old = (const uint64_t *)(firmwares & ADDRESS_OF);
	memset(pages, 0, 8192);
	memcpy(gibibytes, (const void *)(old[0] & ADDRESS_OF), GIBIBYTES_KEPT * sizeof(*gibibytes));
	root[0] = root[ENTRY_OF(ELSEWHERE)] = (uint64_t)gibibytes | (old[0] & ~ADDRESS_OF);
	__asm__ volatile(
	    "mov %%rsp, %%rbx\n\t"
	    "mov %0, %%cr3\n\t"
	    "add %1, %%rsp\n\t"
	    "and $-16, %%rsp\n\t"
	    "call *%2\n\t"
	    "mov %%rbx, %%rsp\n\t"
	    "mov %3, %%cr3"
	    :
	    : "r"(root), "r"(ELSEWHERE), "r"(fn), "r"(firmwares), "D"(argument)
	    : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

#endif
