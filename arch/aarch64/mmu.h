/* SPDX-License-Identifier: MIT */
/*
 * Page tables: 4 KiB granule, 48-bit input addresses, identity mapped (Arm ARM DDI 0487, D8.3
 * "Translation table descriptor formats").
 */
#ifndef ARCH_AARCH64_MMU_H
#define ARCH_AARCH64_MMU_H

#include "arch/arch.h"

/* The translation regime of the descriptors: one privilege level (EL2) or two (EL1&0). */
enum mmu_regime { MMU_EL1, MMU_EL2 };

struct mmu_tables {
	uint64_t *root;
	enum mmu_regime regime;
	arch_alloc_pages_fn alloc;
};

/* Begin with an empty set. Returns 0 or -ENOMEM. Thread. */
int mmu_tables_init(struct mmu_tables *tables, enum mmu_regime regime, arch_alloc_pages_fn alloc);

/* Map memory, replacing earlier mappings. Returns 0, -ENOMEM, or -EINVAL beyond 48 bits. Thread. */
int mmu_map(struct mmu_tables *tables, const struct arch_mapping *map);

/* Unmap one page (a stack's guard). Returns 0 or -ENOMEM. Thread. */
int mmu_unmap_page(struct mmu_tables *tables, uint64_t address);

/* Values of MAIR_ELx and TCR_ELx for these tables. */
uint64_t mmu_mair(void);
uint64_t mmu_tcr(enum mmu_regime regime);

/* Clean [start, end) to the point of coherency, for CPUs that read it with the MMU off. */
void mmu_clean(const void *start, const void *end);

#endif
