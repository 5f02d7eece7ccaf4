/* SPDX-License-Identifier: MIT */
#include "lib/memory/memory.h"

#include <errno.h>
#include <string.h>

#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/image.h"
#include "lib/memory/address.h"
#include "lib/memory/pages.h"

#define MAP_SLACK   16U /* descriptors that may be added between two calls */
#define EXIT_TRIES  8
/* The largest heap from the firmware: selftest's latency ladder takes 256 MiB of it. */
#define HEAP_MAX    (272ULL << 20)
#define IMAGE_PARTS 5U

/* UEFI 2.10, 7.2.3. Special-purpose memory is conventional memory that is reserved for a particular
 * use. */
#define MEMORY_CACHEABILITY    (EFI_MEMORY_UC | EFI_MEMORY_WC | EFI_MEMORY_WT | EFI_MEMORY_WB)
#define MEMORY_SPECIAL_PURPOSE (1ULL << 18)

static struct {
	uint8_t *bytes;
	UINTN capacity;
	UINTN size;
	/* distance of two descriptors; some firmware has larger descriptors than our type */
	UINTN stride;
	UINTN key;
} map;

/* The firmware's RAM first, then the requested mappings, so that the latter override it. As many as
 * the memory map may need: a map with holes has thousands. */
static struct arch_mapping *mappings;
static struct arch_mapping extras[64];
static unsigned nr_mappings, max_mappings, nr_extras;

static void *heap_start;
static uint64_t heap_size;
static bool heap_is_firmwares;

static const EFI_MEMORY_DESCRIPTOR *memory_descriptor(UINTN i)
{
	return (const EFI_MEMORY_DESCRIPTOR *)(map.bytes + i * map.stride);
}

static UINTN memory_nr_descriptors(void)
{
	return map.stride == 0 ? 0 : map.size / map.stride;
}

static EFI_STATUS memory_get_map(void)
{
	UINT32 version;

	map.size = map.capacity;
	return efi_system->BootServices->GetMemoryMap(&map.size, (EFI_MEMORY_DESCRIPTOR *)map.bytes,
	                                              &map.key, &map.stride, &version);
}

int memory_init(void)
{
	EFI_STATUS status = memory_get_map();

	for (int tries = 0; status == EFI_BUFFER_TOO_SMALL && tries < EXIT_TRIES; tries++) {
		if (map.bytes)
			efi_system->BootServices->FreePool(map.bytes);
		map.capacity = map.size + MAP_SLACK * map.stride;
		status = efi_system->BootServices->AllocatePool(EfiLoaderData, map.capacity,
		                                                (void **)&map.bytes);
		if (EFI_ERROR(status)) {
			map.bytes = NULL;
			map.capacity = 0;
			return -ENOMEM;
		}
		status = memory_get_map();
	}
	return EFI_ERROR(status) ? -EIO : 0;
}

/* Memory without write-back caching is not used; without any cacheability attribute it is RAM. */
static bool memory_is_ram(const EFI_MEMORY_DESCRIPTOR *area)
{
	if (area->Attribute & MEMORY_CACHEABILITY && !(area->Attribute & EFI_MEMORY_WB))
		return false;
	switch (area->Type) {
	case EfiLoaderCode:
	case EfiLoaderData:
	case EfiBootServicesCode:
	case EfiBootServicesData:
	case EfiRuntimeServicesCode:
	case EfiRuntimeServicesData:
	case EfiConventionalMemory:
	case EfiACPIReclaimMemory:
	case EfiACPIMemoryNVS:
		return true;
	default:
		return false;
	}
}

uint64_t memory_size(void)
{
	uint64_t pages = 0;

	for (UINTN i = 0; i < memory_nr_descriptors(); i++)
		pages += memory_is_ram(memory_descriptor(i)) ? memory_descriptor(i)->NumberOfPages
		                                             : 0;
	return pages * ARCH_PAGE;
}

bool memory_is_known(uint64_t address, uint64_t size)
{
	uint64_t end = address + size;
	bool found = true;

	if (address == 0 || end < address)
		return false;
	while (address < end && found) {
		found = false;
		for (UINTN i = 0; i < memory_nr_descriptors() && !found; i++) {
			const EFI_MEMORY_DESCRIPTOR *area = memory_descriptor(i);
			uint64_t area_end = area->PhysicalStart + area->NumberOfPages * ARCH_PAGE;

			found = (memory_is_ram(area) || area->Type == EfiReservedMemoryType) &&
			        address >= area->PhysicalStart && address < area_end;
			if (found)
				address = area_end;
		}
	}
	return found;
}

bool memory_has_ram(uint64_t address, uint64_t size)
{
	for (UINTN i = 0; i < memory_nr_descriptors(); i++) {
		const EFI_MEMORY_DESCRIPTOR *area = memory_descriptor(i);
		uint64_t area_size = area->NumberOfPages * ARCH_PAGE;

		if (memory_is_ram(area) &&
		    (address >= area->PhysicalStart ? address - area->PhysicalStart < area_size
		                                    : area->PhysicalStart - address < size))
			return true;
	}
	return false;
}

/* limit 0: anywhere */
static void *memory_alloc(EFI_MEMORY_TYPE type, size_t pages, uint64_t limit)
{
	EFI_PHYSICAL_ADDRESS address = limit - 1;

	if (EFI_ERROR(efi_system->BootServices->AllocatePages(
	        limit == 0 ? AllocateAnyPages : AllocateMaxAddress, type, pages, &address)))
		return NULL;
	return (void *)address;
}

/* Note these pages for memory_free_all(). Returns memory, or NULL: memory was NULL, or there is no
 * memory for the note. */
static void *memory_noted(void *memory, uint64_t pages)
{
	return memory && pages_note((uint64_t)memory, pages) ? memory : NULL;
}

void *memory_alloc_pages_below(size_t pages, uint64_t limit)
{
	void *memory = memory_noted(memory_alloc(EfiLoaderData, pages, limit), pages);

	return memory ? memset(memory, 0, pages * ARCH_PAGE) : NULL;
}

void *memory_alloc_pages(size_t pages)
{
	return memory_alloc_pages_below(pages, 0);
}

void memory_largest(uint64_t *start, uint64_t *size)
{
	*start = *size = 0;
	for (UINTN i = 0; i < memory_nr_descriptors(); i++) {
		const EFI_MEMORY_DESCRIPTOR *area = memory_descriptor(i);

		if (area->Type == EfiConventionalMemory && memory_is_ram(area) &&
		    !(area->Attribute & MEMORY_SPECIAL_PURPOSE) &&
		    area->PhysicalStart >= 1U << 20 && area->NumberOfPages * ARCH_PAGE > *size) {
			*start = area->PhysicalStart;
			*size = area->NumberOfPages * ARCH_PAGE;
		}
	}
}

void *memory_alloc_at(uint64_t address, size_t pages)
{
	EFI_PHYSICAL_ADDRESS at = address;

	if (EFI_ERROR(efi_system->BootServices->AllocatePages(AllocateAddress, EfiLoaderData, pages,
	                                                      &at)) ||
	    !memory_noted((void *)at, pages))
		return NULL;
	if (memory_add_mapping(address, pages * ARCH_PAGE, ARCH_MAP_DATA) != 0)
		return NULL;
	return memset((void *)address, 0, pages * ARCH_PAGE);
}

int memory_add_mapping(uint64_t address, uint64_t size, enum arch_map_type type)
{
	if (address_refusal(address, size, ADDRESS_ANY))
		return -EINVAL;
	if (nr_extras == sizeof(extras) / sizeof(extras[0]))
		return -ENOSPC;
	extras[nr_extras++] = (struct arch_mapping){ address, size, type };
	return 0;
}

static int memory_append(uint64_t start, uint64_t end, enum arch_map_type type)
{
	struct arch_mapping *last = mappings && nr_mappings > 0 ? &mappings[nr_mappings - 1] : NULL;

	if (start >= end)
		return 0;
	if (last && last->type == type && last->address + last->size == start) {
		last->size += end - start;
		return 0;
	}
	if (!mappings || nr_mappings == max_mappings)
		return -ENOSPC;
	mappings[nr_mappings++] = (struct arch_mapping){ start, end - start, type };
	return 0;
}

static int memory_append_ram(void)
{
	int code = 0;

	for (UINTN i = 0; i < memory_nr_descriptors() && code == 0; i++) {
		const EFI_MEMORY_DESCRIPTOR *area = memory_descriptor(i);
		uint64_t start = area->PhysicalStart < ARCH_PAGE ? ARCH_PAGE : area->PhysicalStart;

		if (memory_is_ram(area))
			code = memory_append(start,
			                     area->PhysicalStart + area->NumberOfPages * ARCH_PAGE,
			                     ARCH_MAP_DATA);
	}
	return code;
}

static int memory_append_image(void)
{
	const struct {
		const char *start, *end;
		enum arch_map_type type;
	} parts[IMAGE_PARTS] = {
		{ __image_start, __text_start, ARCH_MAP_RODATA },
		{ __text_start, __text_end, ARCH_MAP_CODE },
		{ __text_end, __data_start, ARCH_MAP_RODATA },
		{ __relro_start, __relro_end, ARCH_MAP_RODATA },
		{ __relro_end, __data_end, ARCH_MAP_DATA },
	};
	int code = 0;

	for (unsigned i = 0; i < IMAGE_PARTS && code == 0; i++)
		code =
		    memory_append((uint64_t)parts[i].start, (uint64_t)parts[i].end, parts[i].type);
	return code;
}

/* Allocate the list of mappings, then read the memory map again. */
static int memory_begin_mappings(void)
{
	int code = memory_init();

	if (code != 0)
		return code;
	nr_mappings = 0;
	max_mappings = (unsigned)memory_nr_descriptors() + MAP_SLACK + IMAGE_PARTS + nr_extras;
	mappings =
	    memory_alloc_pages((max_mappings * sizeof(*mappings) + ARCH_PAGE - 1) / ARCH_PAGE);
	return mappings ? memory_init() : -ENOMEM;
}

int memory_prepare(const struct arch_platform *platform)
{
	int code = memory_begin_mappings();

	if (code == 0)
		code = memory_append_ram();
	if (code == 0)
		code = memory_append_image();
	for (unsigned i = 0; i < nr_extras && code == 0; i++)
		code = memory_append(extras[i].address, extras[i].address + extras[i].size,
		                     extras[i].type);
	if (code == 0)
		code = arch_prepare(platform, mappings, nr_mappings, memory_alloc_pages);
	memory_report(code, platform->tables);
	return code;
}

static void memory_find_heap(void)
{
	uint64_t start;

	memory_largest(&start, &heap_size);
	heap_start = (void *)start;
}

int memory_exit_boot_services(void)
{
	EFI_STATUS status = EFI_SUCCESS;

	if (memory_init() != 0)
		return -EIO;
	/* After the first try only the memory services may be called (UEFI 2.10, 7.4.6). So nothing
	 * is printed, and a map that has outgrown its buffer is fatal. */
	for (int tries = 0; tries < EXIT_TRIES; tries++) {
		status = memory_get_map();
		if (EFI_ERROR(status))
			break;
		efi_boot_services = false;
		status = efi_system->BootServices->ExitBootServices(efi_image, map.key);
		if (!EFI_ERROR(status))
			break;
	}
	if (EFI_ERROR(status))
		return -EIO;
	if (!heap_is_firmwares)
		memory_find_heap();
	return 0;
}

bool memory_unused(unsigned i, uint64_t *start, uint64_t *size)
{
	for (UINTN at = 0; at < memory_nr_descriptors(); at++) {
		const EFI_MEMORY_DESCRIPTOR *area = memory_descriptor(at);

		if (area->Type != EfiConventionalMemory || i--)
			continue;
		*start = area->PhysicalStart;
		*size = area->NumberOfPages * ARCH_PAGE;
		return true;
	}
	return false;
}

/* Only a quarter of the largest block: the rest is for the firmware when it continues, or for the
 * region. */
int memory_firmware_heap(void)
{
	int code = heap_is_firmwares ? 0 : memory_init();

	if (code != 0 || heap_is_firmwares)
		return code;
	memory_find_heap();
	heap_size = heap_size / 4 < HEAP_MAX ? heap_size / 4 & ~(ARCH_PAGE - 1) : HEAP_MAX;
	heap_start = memory_noted(memory_alloc(EfiLoaderData, heap_size / ARCH_PAGE, 0),
	                          heap_size / ARCH_PAGE);
	heap_is_firmwares = heap_start;
	return heap_is_firmwares ? 0 : -ENOMEM;
}

void memory_keep(const void *memory)
{
	pages_keep((uint64_t)memory);
}

void memory_free_all(void)
{
	pages_free_all();
	if (map.bytes)
		efi_system->BootServices->FreePool(map.bytes);
	map.bytes = NULL;
	map.capacity = map.size = 0;
}

void memory_heap(void **start, uint64_t *size)
{
	*start = heap_start;
	*size = heap_size;
}
