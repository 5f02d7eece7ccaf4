/* SPDX-License-Identifier: MIT */
/*
 * A boot loader's own page tables. They map everything except the first GiB, where QEMU's virt has
 * its devices, and the stack at an address that the firmware's tables do not map. 4 KiB granule,
 * four levels.
 */
#ifndef TESTS_FIRMWARE_ELSEWHERE_H
#define TESTS_FIRMWARE_ELSEWHERE_H

#include <stdint.h>
#include <string.h>

#define ELSEWHERE    0x0000f00000000000ULL /* address of the second mapping */
#define ADDRESS_OF   0x0000fffffffff000ULL
#define ENTRY_OF(at) ((at) >> 39 & 511)

static inline uint64_t *stack_pointer(void)
{
	uint64_t *sp;

	__asm__ volatile("mov %0, sp" : "=r"(sp));
	return sp;
}

/* The exceptions that the CPU masks. FIQs are left out: the recording may mask them. The bit of
 * debug exceptions is inverted. */
static inline uint64_t masked_now(void)
{
	uint64_t daif;

	__asm__ volatile("mrs %0, daif" : "=r"(daif));
	return daif & ~(1UL << 6);
}

static inline void mask_otherwise(void)
{
	if (masked_now() >> 9 & 1)
		__asm__ volatile("msr daifclr, #8");
	else
		__asm__ volatile("msr daifset, #8");
}

static inline void load_root(uint64_t root)
{
	uint64_t el;

	__asm__ volatile("mrs %0, CurrentEL" : "=r"(el));
	if (el == 2 << 2)
		__asm__ volatile("msr ttbr0_el2, %0; isb; tlbi alle2; dsb nsh; isb"
		                 :
		                 : "r"(root)
		                 : "memory");
	else
		__asm__ volatile("msr ttbr0_el1, %0; isb; tlbi vmalle1; dsb nsh; isb"
		                 :
		                 : "r"(root)
		                 : "memory");
}

static inline uint64_t firmwares_root(void)
{
	uint64_t el, root;

	__asm__ volatile("mrs %0, CurrentEL" : "=r"(el));
	if (el == 2 << 2)
		__asm__ volatile("mrs %0, ttbr0_el2" : "=r"(root));
	else
		__asm__ volatile("mrs %0, ttbr0_el1" : "=r"(root));
	return root;
}

/* Call fn(argument) with these page tables; pages: room for two tables. Interrupts masked. */
static inline void call_elsewhere(uint64_t *pages, void (*fn)(uint64_t), uint64_t argument)
{
	uint64_t *root = pages, *gibibytes = pages + 512, firmwares = firmwares_root();
	const uint64_t *old = (const uint64_t *)(firmwares & ADDRESS_OF);

	memcpy(gibibytes, (const void *)(old[0] & ADDRESS_OF), 4096);
	memset(root, 0, 4096);
	gibibytes[0] = 0;
	root[0] = root[ENTRY_OF(ELSEWHERE)] = (uint64_t)gibibytes | (old[0] & ~ADDRESS_OF);
	__asm__ volatile("dsb sy" : : : "memory");
	load_root((uint64_t)root);
	__asm__ volatile(
	    "mov x19, sp\n\t"
	    "add x9, x19, %1\n\t"
	    "mov sp, x9\n\t"
	    "mov x0, %2\n\t"
	    "blr %0\n\t"
	    "mov sp, x19"
	    :
	    : "r"(fn), "r"(ELSEWHERE), "r"(argument)
	    : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
	      "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "memory", "cc");
	load_root(firmwares);
}

#endif
