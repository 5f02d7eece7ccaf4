/* SPDX-License-Identifier: MIT */
/*
 * A copy of the interrupt descriptor table, as firmware may load one. NMIs go through the copy's
 * own gate, which counts them and continues at the original gate's address.
 */
#ifndef TESTS_FIRMWARE_DESCRIPTORS_H
#define TESTS_FIRMWARE_DESCRIPTORS_H

#include <stdint.h>
#include <string.h>

#define DESCRIPTORS_SIZE 4096U /* bytes: 256 gates (SDM volume 3, 6.10) */
#define NMI_GATE         4     /* index of the NMI's gate in words of 64 bits */

struct descriptors {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

extern uint64_t descriptors_nmis, descriptors_nmi_next;
void descriptors_nmi(void);

/* The flags are restored before it returns. */
__asm__(
    ".bss\n"
    ".balign 8\n"
    ".global descriptors_nmis, descriptors_nmi_next\n"
    ".hidden descriptors_nmis, descriptors_nmi_next\n"
    "descriptors_nmis: .skip 8\n"
    "descriptors_nmi_next: .skip 8\n"
    ".text\n"
    ".global descriptors_nmi\n"
    ".hidden descriptors_nmi\n"
    "descriptors_nmi:\n"
    "	incq	descriptors_nmis(%rip)\n"
    "	jmp	*descriptors_nmi_next(%rip)\n");

static inline struct descriptors descriptors_now(void)
{
	struct descriptors now;

	__asm__ volatile("sidt %0" : "=m"(now));
	return now;
}

static inline void descriptors_use(const struct descriptors *these)
{
	__asm__ volatile("lidt %0" : : "m"(*these) : "memory");
}

/* Memory of DESCRIPTORS_SIZE bytes at a multiple of 8, which stays valid. */
static inline struct descriptors descriptors_copy(uint64_t *gates)
{
	struct descriptors now = descriptors_now();
	uint64_t *nmi = gates + NMI_GATE, to = (uint64_t)descriptors_nmi;

	memcpy(gates, (const void *)now.base, (size_t)now.limit + 1);
	descriptors_nmi_next = (nmi[0] & 0xffff) | (nmi[0] >> 32 & 0xffff0000) | nmi[1] << 32;
	nmi[0] = (nmi[0] & 0x0000ffffffff0000) | (to & 0xffff) | (to >> 16 & 0xffff) << 48;
	nmi[1] = to >> 32;
	return (struct descriptors){ now.limit, (uint64_t)gates };
}

#endif
