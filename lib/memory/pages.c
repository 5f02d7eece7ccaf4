/* SPDX-License-Identifier: MIT */
#include "lib/memory/pages.h"

#include "arch/arch.h"
#include "lib/efi/efi.h"

#define NOTES 255U

/* A page of notes; a machine of 256 CPUs needs some 2,000 notes. */
struct notes {
	struct notes *next;
	uint64_t count;
	struct {
		uint64_t address, pages; /* pages 0: not to be freed */
	} list[NOTES];
};
_Static_assert(sizeof(struct notes) == ARCH_PAGE, "a page of notes");

static struct notes *newest;

static void pages_free(uint64_t address, uint64_t pages)
{
	efi_system->BootServices->FreePages(address, pages);
}

static bool pages_add_notes(void)
{
	EFI_PHYSICAL_ADDRESS at;
	struct notes *notes;

	if (EFI_ERROR(
	        efi_system->BootServices->AllocatePages(AllocateAnyPages, EfiLoaderData, 1, &at)))
		return false;
	notes = (struct notes *)at;
	notes->next = newest;
	notes->count = 0;
	newest = notes;
	return true;
}

bool pages_note(uint64_t address, uint64_t pages)
{
	if ((!newest || newest->count == NOTES) && !pages_add_notes()) {
		pages_free(address, pages);
		return false;
	}
	newest->list[newest->count].address = address;
	newest->list[newest->count++].pages = pages;
	return true;
}

void pages_keep(uint64_t address)
{
	for (struct notes *notes = newest; notes; notes = notes->next)
		for (uint64_t i = 0; i < notes->count; i++)
			if (notes->list[i].address == address)
				notes->list[i].pages = 0;
}

void pages_free_all(void)
{
	while (newest) {
		struct notes *notes = newest;

		for (uint64_t i = notes->count; i > 0; i--)
			if (notes->list[i - 1].pages != 0)
				pages_free(notes->list[i - 1].address, notes->list[i - 1].pages);
		newest = notes->next;
		pages_free((uint64_t)notes, 1);
	}
}
