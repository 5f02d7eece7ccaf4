/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_PAGING_H
#define ARCH_X86_64_PAGING_H

#include "arch/arch.h"

/*
 * Our PAT (SDM volume 3A, 11.12): entry 1 is write-combining in place of write-through, the rest
 * is as at reset, so that the firmware's tables, which never ask for write-through, mean the same.
 */
#define PAGING_PAT 0x0007040600070106ULL

/* Start with an empty tree of as many levels as the CPU is in (CR4.LA57: five). 0 or -ENOMEM. */
int paging_init(arch_alloc_pages_fn alloc);

/* Identity map, with pages as large as alignment allows; replaces what was mapped. 0 or -ENOMEM. */
int paging_map(const struct arch_mapping *mapping);

/* Unmap one page. 0 or -ENOMEM (a large page is split for it). */
int paging_unmap_page(uint64_t address);

/* What CR3 gets. */
uint64_t paging_root(void);

#endif
