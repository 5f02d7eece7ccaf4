/* SPDX-License-Identifier: MIT */
#include "agent/volume/kept.h"

#include <errno.h>
#include <string.h>

#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/memory/address.h"
#include "lib/memory/memory.h"
#include "writer/region/region.h"

#define VARIABLE_GUID                                                  \
	{                                                              \
		0x5a1c0a7d, 0x1b52, 0x4f0e,                            \
		{                                                      \
			0x9d, 0x3a, 0x6f, 0x2b, 0x8e, 0x47, 0xc1, 0x90 \
		}                                                      \
	}
#define VARIABLE_KIND EFI_VARIABLE_BOOTSERVICE_ACCESS

static CHAR16 kept_name[] = L"BareperfKept";

/* Write the variable. count 0 deletes it. */
static int kept_set(struct kept *list, unsigned count)
{
	EFI_GUID guid = VARIABLE_GUID;

	return EFI_ERROR(efi_system->RuntimeServices->SetVariable(kept_name, &guid, VARIABLE_KIND,
	                                                          count * sizeof(*list), list))
	           ? -EIO
	           : 0;
}

static bool kept_is_usable(const struct kept *kept)
{
	const char *why = kept->address % TR_ALIGN != 0 || kept->size % TR_PAGE != 0
	                      ? "no trace region can be there"
	                      : address_refusal(kept->address, kept->size, ADDRESS_MEMORY);

	if (why)
		console_printf("variable BareperfKept: 0x%lx, 0x%lx bytes: %s: entry ignored\n",
		               kept->address, kept->size, why);
	return !why;
}

/* The variable's content is foreign bytes: an entry that cannot be used is reported once, and
 * removed. */
unsigned kept_list(struct kept list[KEPT_MAX])
{
	EFI_GUID guid = VARIABLE_GUID;
	UINTN size = KEPT_MAX * sizeof(*list);
	unsigned count, usable = 0;

	if (EFI_ERROR(
	        efi_system->RuntimeServices->GetVariable(kept_name, &guid, NULL, &size, list)))
		return 0;
	count = (unsigned)(size / sizeof(*list));
	for (unsigned i = 0; i < count; i++)
		if (kept_is_usable(&list[i]))
			list[usable++] = list[i];
	if (usable != count)
		kept_set(list, usable);
	return usable;
}

int kept_add(uint64_t address, uint64_t size, bool is_found)
{
	struct kept list[KEPT_MAX];
	unsigned count = kept_list(list);

	if (count == KEPT_MAX)
		return -ENOSPC;
	list[count] = (struct kept){ address, size, is_found };
	return kept_set(list, count + 1);
}

static void kept_remove(uint64_t address)
{
	struct kept list[KEPT_MAX];
	unsigned count = kept_list(list), left = 0;

	for (unsigned i = 0; i < count; i++)
		if (list[i].address != address)
			list[left++] = list[i];
	if (left != count)
		kept_set(list, left);
}

/* Clear the magic at the region's begin, so that no scan finds it. */
void kept_free(uint64_t address, uint64_t size)
{
	memset((void *)address, 0, sizeof(uint64_t));
	arch_memory_clean((void *)address, sizeof(uint64_t));
	kept_remove(address);
	memory_let_go(address, size);
}
