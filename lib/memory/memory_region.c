/* SPDX-License-Identifier: MIT */
/* Places a trace region in RAM, and reserves memory against other writers. */
#include "lib/efi/efi.h"
#include "lib/memory/memory.h"
#include "lib/memory/pages.h"

bool memory_hold(uint64_t address, uint64_t size)
{
	EFI_PHYSICAL_ADDRESS at = address;

	return !EFI_ERROR(efi_system->BootServices->AllocatePages(
	    AllocateAddress, EfiReservedMemoryType, size / ARCH_PAGE, &at));
}

void memory_let_go(uint64_t address, uint64_t size)
{
	efi_system->BootServices->FreePages(address, size / ARCH_PAGE);
}

/* Intersect two ranges, in whole pages; false: they have none in common. */
static bool memory_common(uint64_t *start, uint64_t *end, uint64_t other, uint64_t other_end)
{
	*start = *start > other ? *start : other;
	*end = *end < other_end ? *end : other_end;
	return *start < *end;
}

void memory_keep_off(uint64_t address, uint64_t size)
{
	uint64_t from = address & ~(ARCH_PAGE - 1), start, bytes;
	uint64_t to = (address + size + ARCH_PAGE - 1) & ~(ARCH_PAGE - 1);
	bool held = false;

	if (to < from)
		return; /* beyond all memory */
	for (unsigned i = 0; memory_unused(i, &start, &bytes); i++) {
		uint64_t end = start + bytes;

		if (memory_common(&start, &end, from, to) && memory_hold(start, end - start))
			held |= pages_note(start, (end - start) / ARCH_PAGE);
	}
	if (held)
		memory_init();
}

/* Firmware allocates from the top and unpacks itself at the bottom, or the other way round. So its
 * next start does not use the lower middle of the free memory. 0: that place is not available. */
static uint64_t memory_lower_middle(uint64_t size, uint64_t align)
{
	uint64_t start, block, at;

	memory_largest(&start, &block);
	if (block < size)
		return 0;
	at = (start + (block - size) / 4 + align - 1) & ~(align - 1);
	return at + size <= start + block && memory_hold(at, size) ? at : 0;
}

static uint64_t memory_anywhere(uint64_t size, uint64_t align)
{
	uint64_t slack = align > ARCH_PAGE ? align - ARCH_PAGE : 0;
	EFI_PHYSICAL_ADDRESS start;
	uint64_t aligned;

	if (EFI_ERROR(efi_system->BootServices->AllocatePages(
	        AllocateAnyPages, EfiReservedMemoryType, (size + slack) / ARCH_PAGE, &start)))
		return 0;
	aligned = (start + align - 1) & ~(align - 1);
	if (aligned > start)
		memory_let_go(start, aligned - start);
	if (aligned < start + slack)
		memory_let_go(aligned + size, start + slack - aligned);
	return aligned;
}

void *memory_alloc_region(uint64_t size, uint64_t align)
{
	uint64_t address = memory_lower_middle(size, align);

	if (address == 0)
		address = memory_anywhere(size, align);
	if (address == 0 || !pages_note(address, size / ARCH_PAGE) ||
	    memory_add_mapping(address, size, ARCH_MAP_DATA) != 0)
		return NULL;
	return (void *)address;
}

uint64_t memory_largest_free(void)
{
	uint64_t start, size;

	memory_largest(&start, &size);
	return size;
}
