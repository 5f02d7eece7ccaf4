/* SPDX-License-Identifier: MIT */
/* Page tables: SDM volume 3A, 4.5. */
#include "arch/x86_64/paging.h"

#include <errno.h>

#include "arch/arch.h"
#include "arch/hosted.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/registers.h"

#define ENTRIES 512

static struct {
	uint64_t *root;
	unsigned levels;
	unsigned largest_leaf; /* level: 2 is 2 MiB, 3 is 1 GiB */
	arch_alloc_pages_fn alloc;
} paging;

#define ADDRESS_SIZES   0x80000008U /* CPUID's leaf; EAX[7:0]: physical width */
#define ADDRESS_LEAST   36U         /* SDM volume 3A, 4.1.4: for CPUs without that leaf */
#define ADDRESS_4_LEVEL 47U         /* identity map: only the lower half of linear addresses */
#define ADDRESS_5_LEVEL 56U

unsigned arch_address_bits(void)
{
	unsigned bits = cpuid(0x80000000, 0).eax >= ADDRESS_SIZES
	                    ? cpuid(ADDRESS_SIZES, 0).eax & 0xff
	                    : ADDRESS_LEAST;
	unsigned most = x86_read_cr4() & CR4_LA57 ? ADDRESS_5_LEVEL : ADDRESS_4_LEVEL;

	return bits < most ? bits : most;
}

/* Bytes that one entry of a table at this level spans; level 1 maps pages. */
static uint64_t paging_span(unsigned level)
{
	return ARCH_PAGE << (9 * (level - 1));
}

static bool paging_is_leaf(uint64_t entry, unsigned level)
{
	return level == 1 || entry & PTE_PS;
}

/* SDM volume 3A, 4.5. Page tables of an encrypted guest have address bits that are no memory. */
bool arch_can_read(uint64_t address, bool (*is_memory)(uint64_t address, uint64_t size))
{
	uint64_t entry = x86_read_cr3();

	for (unsigned level = x86_read_cr4() & CR4_LA57 ? 5 : 4; level > 0; level--) {
		uint64_t table = entry & PTE_ADDRESS;

		if (!is_memory(table, ARCH_PAGE))
			return false;
		entry = ((const uint64_t *)table)[address / paging_span(level) % ENTRIES];
		if (!(entry & PTE_P))
			return false;
		if (level < 4 && paging_is_leaf(entry, level))
			return true;
	}
	return true;
}

static uint64_t *paging_new_table(void)
{
	return paging.alloc(1);
}

int paging_init(arch_alloc_pages_fn alloc)
{
	bool huge = cpuid(0x80000000, 0).eax >= 0x80000001 &&
	            cpuid(0x80000001, 0).edx & (1U << 26); /* 1-GByte pages */

	paging.alloc = alloc;
	paging.levels = x86_read_cr4() & CR4_LA57 ? 5 : 4;
	paging.largest_leaf = huge ? 3 : 2;
	paging.root = paging_new_table();
	return paging.root ? 0 : -ENOMEM;
}

/* The table that this entry points to. If there is none, it is made; a large page is split. */
static uint64_t *paging_descend(uint64_t *entry, unsigned level)
{
	uint64_t *table;
	uint64_t leaf = *entry;

	if (leaf & PTE_P && !paging_is_leaf(leaf, level))
		return (uint64_t *)(leaf & PTE_ADDRESS);
	table = paging_new_table();
	if (!table)
		return NULL;
	if (leaf & PTE_P) {
		uint64_t flags = level == 2 ? leaf & ~PTE_PS : leaf;

		for (unsigned i = 0; i < ENTRIES; i++)
			table[i] = flags + i * paging_span(level - 1);
	}
	*entry = (uint64_t)table | PTE_P | PTE_RW | PTE_US; /* the leaf decides */
	return table;
}

/* Map [address, end), which lies within the span of table. flags 0 unmaps. */
static int paging_map_range(uint64_t *table, unsigned level, uint64_t address, uint64_t end,
                            uint64_t flags)
{
	uint64_t size = paging_span(level);

	while (address < end) {
		uint64_t *entry = &table[address / size % ENTRIES];
		uint64_t next = (address & ~(size - 1)) + size;
		bool whole = address % size == 0 && end - address >= size;
		uint64_t *below;
		int code;

		if (level == 1 || (whole && level <= paging.largest_leaf)) {
			*entry = flags == 0 ? 0 : address | flags | (level > 1 ? PTE_PS : 0);
			address = next;
			continue;
		}
		below = paging_descend(entry, level);
		if (!below)
			return -ENOMEM;
		code = paging_map_range(below, level - 1, address, next < end ? next : end, flags);
		if (code != 0)
			return code;
		address = next;
	}
	return 0;
}

int paging_map(const struct arch_mapping *mapping)
{
	static const uint64_t flags[] = {
		[ARCH_MAP_CODE] = PTE_P,
		[ARCH_MAP_RODATA] = PTE_P | PTE_XD,
		[ARCH_MAP_DATA] = PTE_P | PTE_RW | PTE_XD,
		[ARCH_MAP_DEVICE] = PTE_P | PTE_RW | PTE_XD | PTE_PCD | PTE_PWT,
		[ARCH_MAP_FRAMEBUFFER] = PTE_P | PTE_RW | PTE_XD | PTE_PWT,
		[ARCH_MAP_SNIPPETS] = PTE_P | PTE_RW | PTE_US,
		[ARCH_MAP_USER_DATA] = PTE_P | PTE_RW | PTE_US | PTE_XD,
	};
	uint64_t end = (mapping->address + mapping->size + ARCH_PAGE - 1) & ~(ARCH_PAGE - 1);

	return paging_map_range(paging.root, paging.levels, mapping->address & ~(ARCH_PAGE - 1),
	                        end, flags[mapping->type]);
}

int paging_unmap_page(uint64_t address)
{
	return paging_map_range(paging.root, paging.levels, address, address + ARCH_PAGE, 0);
}

uint64_t paging_root(void)
{
	return (uint64_t)paging.root;
}
