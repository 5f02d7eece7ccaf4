/* SPDX-License-Identifier: MIT */
/* UEFI 2.10, 7.2 "Memory Allocation Services", 7.5 "Miscellaneous Boot Services". */
#include "agent/bench/services_case.h"

#include "arch/arch.h"

uint8_t *services_room;

static struct {
	void *pool;
	EFI_PHYSICAL_ADDRESS pages;
	UINT32 crc;
} memory;

/* ---- Pool ---- */

static EFI_STATUS services_allocate_pool(uint64_t size)
{
	return efi_system->BootServices->AllocatePool(EfiBootServicesData, size, &memory.pool);
}

static EFI_STATUS services_free_pool(uint64_t size)
{
	(void)size;
	return efi_system->BootServices->FreePool(memory.pool);
}

/* ---- Pages ---- */

static EFI_STATUS services_allocate_pages(uint64_t pages)
{
	return efi_system->BootServices->AllocatePages(AllocateAnyPages, EfiBootServicesData, pages,
	                                               &memory.pages);
}

static EFI_STATUS services_free_pages(uint64_t pages)
{
	return efi_system->BootServices->FreePages(memory.pages, pages);
}

static EFI_STATUS services_get_memory_map(uint64_t unused)
{
	UINTN size = SERVICES_ROOM, key, descriptor;
	UINT32 version;

	(void)unused;
	return efi_system->BootServices->GetMemoryMap(
	    &size, (EFI_MEMORY_DESCRIPTOR *)(void *)services_room, &key, &descriptor, &version);
}

/* ---- Bytes ---- */

static EFI_STATUS services_copy(uint64_t size)
{
	efi_system->BootServices->CopyMem(services_room, services_room + SERVICES_HALF, size);
	return EFI_SUCCESS;
}

static EFI_STATUS services_set(uint64_t size)
{
	efi_system->BootServices->SetMem(services_room, size, 0x5a);
	return EFI_SUCCESS;
}

static EFI_STATUS services_crc(uint64_t size)
{
	return efi_system->BootServices->CalculateCrc32(services_room, size, &memory.crc);
}

/* clang-format off */
const struct services_case services_of_memory[] = {
	{ "AllocatePool", "64 B", 64, NULL, services_allocate_pool, services_free_pool, 0 },
	{ "AllocatePool", "16 KiB", 16384, NULL, services_allocate_pool, services_free_pool, 0 },
	{ "FreePool", "64 B", 64, services_allocate_pool, services_free_pool, NULL, 0 },
	{ "FreePool", "16 KiB", 16384, services_allocate_pool, services_free_pool, NULL, 0 },
	{ "AllocatePages", "4 KiB", 1, NULL, services_allocate_pages, services_free_pages, 0 },
	{ "AllocatePages", "1 MiB", 256, NULL, services_allocate_pages, services_free_pages, 0 },
	{ "FreePages", "4 KiB", 1, services_allocate_pages, services_free_pages, NULL, 0 },
	{ "FreePages", "1 MiB", 256, services_allocate_pages, services_free_pages, NULL, 0 },
	{ "GetMemoryMap", "", 0, NULL, services_get_memory_map, NULL, 0 },
	{ "CopyMem", "64 B", 64, NULL, services_copy, NULL, 0 },
	{ "CopyMem", "4 KiB", 4096, NULL, services_copy, NULL, 0 },
	{ "CopyMem", "1 MiB", SERVICES_HALF, NULL, services_copy, NULL, 0 },
	{ "SetMem", "64 B", 64, NULL, services_set, NULL, 0 },
	{ "SetMem", "4 KiB", 4096, NULL, services_set, NULL, 0 },
	{ "SetMem", "1 MiB", SERVICES_HALF, NULL, services_set, NULL, 0 },
	{ "CalculateCrc32", "4 KiB", 4096, NULL, services_crc, NULL, 0 },
	{ 0 },
};
