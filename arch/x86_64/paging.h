/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_PAGING_H
#define ARCH_X86_64_PAGING_H

#include "arch/arch.h"

/*
 * Our PAT (SDM volume 3A, 11.12): entry 1 is write-combining instead of write-through, the others
 * have their reset values. So the firmware's tables, which never use write-through, keep their
 * meaning.
 */
#define PAGING_PAT 0x0007040600070106ULL

/* Begin with an empty tree of as many levels as the CPU's mode has (CR4.LA57: five). Returns 0 or
 * -ENOMEM. */
int paging_init(arch_alloc_pages_fn alloc);

/* Identity map, with pages as large as alignment allows; replaces earlier mappings. Returns 0 or
 * -ENOMEM. */
int paging_map(const struct arch_mapping *mapping);

/* Unmap one page; a large page is split. Returns 0 or -ENOMEM. */
int paging_unmap_page(uint64_t address);

/* The value for CR3. */
uint64_t paging_root(void);

#endif
