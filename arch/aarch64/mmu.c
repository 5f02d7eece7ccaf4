/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/mmu.h"

#include <errno.h>

#include "arch/aarch64/sysreg.h"
#include "arch/hosted.h"

#define PAGE_SHIFT    12
#define PAGE_SIZE     (1UL << PAGE_SHIFT)
#define INDEX_BITS    9
#define ENTRIES       (1U << INDEX_BITS)
#define LAST_LEVEL    3
#define ADDRESS_LIMIT (1UL << 48)

/* Descriptors: DDI 0487, D8.3.1 and D8.3.2 */
#define DESC_VALID        (1UL << 0)
#define DESC_TABLE        (1UL << 1) /* at level 3 the same bit means a page */
#define DESC_ATTR(index)  ((uint64_t)(index) << 2)
#define DESC_AP1          (1UL << 6) /* RES1 with one privilege level, else EL0 access */
#define DESC_READ_ONLY    (1UL << 7)
#define DESC_SH_INNER     (3UL << 8)
#define DESC_AF           (1UL << 10)
#define DESC_PXN          (1UL << 53)
#define DESC_UXN          (1UL << 54) /* XN with one privilege level */
#define DESC_ADDRESS_MASK 0x0000fffffffff000UL

#define PAR_F (1UL << 0) /* the translation failed */

enum { ATTR_DEVICE, ATTR_NORMAL, ATTR_NON_CACHEABLE };

/* DDI 0487, ID_AA64MMFR0_EL1.PARange; our page tables cannot address more than 48 bits. */
unsigned arch_address_bits(void)
{
	static const uint8_t bits[PARANGE_48 + 1] = { 32, 36, 40, 42, 44, 48 };
	uint64_t range = read_sysreg(id_aa64mmfr0_el1) & PARANGE_MASK;

	return bits[range < PARANGE_48 ? range : PARANGE_48];
}

/* DDI 0487, AT S1E1R, AT S1E2R, PAR_EL1.F: the CPU translates the address itself. */
bool arch_can_read(uint64_t address, bool (*is_memory)(uint64_t address, uint64_t size))
{
	uint64_t before = read_sysreg(par_el1), after;

	(void)is_memory;
	if (current_el() == 2)
		asm volatile("at s1e2r, %0" : : "r"(address) : "memory");
	else
		asm volatile("at s1e1r, %0" : : "r"(address) : "memory");
	isb();
	after = read_sysreg(par_el1);
	write_sysreg(par_el1, before);
	return !(after & PAR_F);
}

uint64_t mmu_mair(void)
{
	return 0x04UL << (8 * ATTR_DEVICE) | /* Device-nGnRE */
	       0xffUL << (8 * ATTR_NORMAL) | /* write-back, read and write allocate */
	       0x44UL << (8 * ATTR_NON_CACHEABLE);
}

uint64_t mmu_tcr(enum mmu_regime regime)
{
	uint64_t range = read_sysreg(id_aa64mmfr0_el1) & PARANGE_MASK;
	uint64_t tcr = TCR_T0SZ_48 | TCR_IRGN0_WBWA | TCR_ORGN0_WBWA | TCR_SH0_INNER;

	if (range > PARANGE_48)
		range = PARANGE_48;
	if (regime == MMU_EL2)
		return tcr | TCR_EL2_RES1 | range << TCR_EL2_PS;
	return tcr | TCR_EL1_EPD1 | range << TCR_EL1_IPS;
}

static uint64_t mmu_leaf_attributes(enum mmu_regime regime, enum arch_map_type type)
{
	uint64_t never = regime == MMU_EL2 ? DESC_UXN : DESC_UXN | DESC_PXN;
	uint64_t run = regime == MMU_EL2 ? 0 : DESC_UXN; /* no code runs at EL0 but snippets */
	uint64_t base = DESC_VALID | DESC_AF | DESC_SH_INNER;

	if (regime == MMU_EL2)
		base |= DESC_AP1;
	switch (type) {
	case ARCH_MAP_CODE:
		return base | DESC_ATTR(ATTR_NORMAL) | DESC_READ_ONLY | run;
	case ARCH_MAP_RODATA:
		return base | DESC_ATTR(ATTR_NORMAL) | DESC_READ_ONLY | never;
	case ARCH_MAP_DATA:
		return base | DESC_ATTR(ATTR_NORMAL) | never;
	case ARCH_MAP_SNIPPETS: /* EL0 executes and cannot read or write: D8.4.1 */
		return base | DESC_ATTR(ATTR_NORMAL);
	case ARCH_MAP_USER_DATA:
		return base | DESC_ATTR(ATTR_NORMAL) | DESC_AP1 | never;
	case ARCH_MAP_FRAMEBUFFER:
		return base | DESC_ATTR(ATTR_NON_CACHEABLE) | never;
	case ARCH_MAP_DEVICE:
		break;
	}
	return base | DESC_ATTR(ATTR_DEVICE) | never;
}

static unsigned mmu_level_shift(unsigned level)
{
	return PAGE_SHIFT + INDEX_BITS * (LAST_LEVEL - level);
}

static bool mmu_is_table(uint64_t entry, unsigned level)
{
	return level < LAST_LEVEL &&
	       (entry & (DESC_VALID | DESC_TABLE)) == (DESC_VALID | DESC_TABLE);
}

/* An entry that maps memory at this level; 0 means unmapped and stays 0. */
static uint64_t mmu_leaf(uint64_t address, uint64_t attributes, unsigned level)
{
	if (!attributes)
		return 0;
	return address | attributes | (level == LAST_LEVEL ? DESC_TABLE : 0);
}

/* The table that *entry points to; a block is first split into 512 entries of the same kind. */
static uint64_t *mmu_table_below(struct mmu_tables *tables, uint64_t *entry, unsigned level)
{
	uint64_t old = *entry, step = 1UL << mmu_level_shift(level + 1);
	uint64_t *table;

	if (mmu_is_table(old, level))
		return (uint64_t *)(old & DESC_ADDRESS_MASK);
	table = tables->alloc(1);
	if (!table)
		return NULL;
	for (unsigned i = 0; old && i < ENTRIES; i++)
		table[i] = mmu_leaf((old & DESC_ADDRESS_MASK) + i * step, old & ~DESC_ADDRESS_MASK,
		                    level + 1);
	*entry = (uint64_t)table | DESC_VALID | DESC_TABLE;
	return table;
}

/* Level 0 has no blocks. An existing table is kept, so that its page is not leaked. */
static bool mmu_fits_block(uint64_t start, uint64_t end, uint64_t entry, unsigned level)
{
	uint64_t size = 1UL << mmu_level_shift(level);

	if (level == LAST_LEVEL)
		return true;
	return level > 0 && start % size == 0 && end - start >= size && !mmu_is_table(entry, level);
}

static int mmu_map_level(struct mmu_tables *tables, uint64_t *table, unsigned level, uint64_t start,
                         uint64_t end, uint64_t attributes)
{
	uint64_t size = 1UL << mmu_level_shift(level);

	while (start < end) {
		uint64_t *entry = &table[start >> mmu_level_shift(level) & (ENTRIES - 1)];
		uint64_t next = (start & ~(size - 1)) + size;
		uint64_t *below;
		int code;

		if (next > end)
			next = end;
		if (mmu_fits_block(start, end, *entry, level)) {
			*entry = mmu_leaf(start, attributes, level);
		} else {
			below = mmu_table_below(tables, entry, level);
			if (!below)
				return -ENOMEM;
			code = mmu_map_level(tables, below, level + 1, start, next, attributes);
			if (code)
				return code;
		}
		start = next;
	}
	return 0;
}

int mmu_tables_init(struct mmu_tables *tables, enum mmu_regime regime, arch_alloc_pages_fn alloc)
{
	tables->regime = regime;
	tables->alloc = alloc;
	tables->root = alloc(1);
	return tables->root ? 0 : -ENOMEM;
}

int mmu_map(struct mmu_tables *tables, const struct arch_mapping *map)
{
	uint64_t start = map->address & ~(PAGE_SIZE - 1);
	uint64_t end = (map->address + map->size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);

	if (map->size > ADDRESS_LIMIT || map->address > ADDRESS_LIMIT - map->size)
		return -EINVAL;
	return mmu_map_level(tables, tables->root, 0, start, end,
	                     mmu_leaf_attributes(tables->regime, map->type));
}

int mmu_unmap_page(struct mmu_tables *tables, uint64_t address)
{
	return mmu_map_level(tables, tables->root, 0, address, address + PAGE_SIZE, 0);
}

void mmu_clean(const void *start, const void *end)
{
	uint64_t line = 4UL << (read_sysreg(ctr_el0) >> 16 & 0xf);

	for (uint64_t p = (uint64_t)start & ~(line - 1); p < (uint64_t)end; p += line)
		asm volatile("dc cvac, %0" : : "r"(p) : "memory");
	asm volatile("dsb sy" : : : "memory");
}
