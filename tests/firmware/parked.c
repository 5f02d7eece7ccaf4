/* SPDX-License-Identifier: MIT */
/*
 * A machine is parked in this application after its firmware has started, so that it can be saved
 * and resumed many times (tests/firmware/parked.py). The application waits until QEMU's command
 * line is not "parked" any more. Then it starts the kernel that QEMU has, with that command line
 * and initrd, as the firmware would have done: QEMU's docs/specs/fw_cfg.rst, and its headers for
 * the items.
 */
#include <string.h>

#include "boot/start.h"
#include "fw_cfg.h"
#include "lib/efi/efi.h"
#include "lib/efi/efi_initrd.h"

enum {
	INITRD_SIZE = 0x0b,
	INITRD_DATA = 0x12,
	KERNEL_SIZE = 0x08,
	KERNEL_DATA = 0x11,
	COMMAND_SIZE = 0x14,
	COMMAND_DATA = 0x15,
	SETUP_SIZE = 0x17,
	SETUP_DATA = 0x18,
};

#define DMA_ERROR  1U
#define DMA_READ   2U
#define DMA_SELECT 8U

#define MOST_WORDS 4096U /* the longest command line, with its NUL */

#define PARKED "parked"

/* a value in a register, by which QEMU's monitor recognises the wait loop */
#define IN_REGISTER 0x6261726570657266U
#define TURNS       20000U /* turns of the wait loop between two reads of fw_cfg, which is slow */

static EFI_GUID load_file2 = LOAD_FILE2_GUID;
static struct efi_initrd_path initrd_path = EFI_INITRD_PATH;

static struct {
	uint64_t size;
	void *bytes;
} initrd;

static void item_read(uint16_t item, void *to, uint32_t size)
{
	volatile struct __attribute__((packed)) {
		uint32_t control, length;
		uint64_t address;
	} access = {
		.control = __builtin_bswap32((uint32_t)item << 16 | DMA_SELECT | DMA_READ),
		.length = __builtin_bswap32(size),
		.address = __builtin_bswap64((uintptr_t)to),
	};

	fw_cfg_dma((uintptr_t)&access);
	while (__builtin_bswap32(access.control) & ~DMA_ERROR)
		;
}

static uint32_t item_size(uint16_t item)
{
	uint32_t size = 0;

	item_read(item, &size, sizeof(size));
	return size;
}

static void *pages_for(uint64_t size)
{
	EFI_PHYSICAL_ADDRESS address = 0;

	if (EFI_ERROR(efi_system->BootServices->AllocatePages(AllocateAnyPages, EfiBootServicesData,
	                                                      EFI_SIZE_TO_PAGES(size), &address)))
		return NULL;
	return (void *)(uintptr_t)address;
}

/* The text is read twice from QEMU; it is valid only if both are equal. */
static bool is_parked(void)
{
	char line[sizeof(PARKED)] = "";

	if (item_size(COMMAND_SIZE) != sizeof(line))
		return false;
	item_read(COMMAND_DATA, line, sizeof(line));
	return !memcmp(line, PARKED, sizeof(line));
}

static void park(void)
{
	uint64_t seen = IN_REGISTER;

	for (unsigned i = 0; i < TURNS; i++)
		__asm__ volatile("" : "+r"(seen));
}

static EFI_STATUS EFIAPI load_initrd(EFI_LOAD_FILE_PROTOCOL *self, EFI_DEVICE_PATH *path,
                                     BOOLEAN boot, UINTN *size, VOID *buffer)
{
	UINTN room = *size;

	(void)self, (void)path;
	if (boot)
		return EFI_UNSUPPORTED;
	*size = initrd.size;
	if (!buffer || room < initrd.size)
		return EFI_BUFFER_TOO_SMALL;
	memcpy(buffer, initrd.bytes, initrd.size);
	return EFI_SUCCESS;
}

static EFI_LOAD_FILE_PROTOCOL loader = { .LoadFile = load_initrd };

static EFI_STATUS hand_over_initrd(void)
{
	EFI_GUID device_path = EFI_DEVICE_PATH_PROTOCOL_GUID;
	EFI_HANDLE handle = NULL;

	initrd.size = item_size(INITRD_SIZE);
	if (!initrd.size)
		return EFI_SUCCESS;
	initrd.bytes = pages_for(initrd.size);
	if (!initrd.bytes)
		return EFI_OUT_OF_RESOURCES;
	item_read(INITRD_DATA, initrd.bytes, (uint32_t)initrd.size);
	return efi_system->BootServices->InstallMultipleProtocolInterfaces(
	    &handle, &load_file2, &loader, &device_path, &initrd_path, NULL);
}

/* The options end in " initrd=initrd" if there is an initrd, as EDK2's loader passes them. */
static void give_options(EFI_LOADED_IMAGE *image)
{
	static char line[MOST_WORDS];
	static CHAR16 options[MOST_WORDS + sizeof(" initrd=initrd")];
	uint32_t size = item_size(COMMAND_SIZE);
	UINTN count = 0;

	item_read(COMMAND_DATA, line, size < MOST_WORDS ? size : MOST_WORDS - 1);
	while (line[count]) {
		options[count] = (unsigned char)line[count];
		count++;
	}
	if (initrd.size) {
		memcpy(options + count, u" initrd=initrd", sizeof(u" initrd=initrd"));
		count += sizeof("initrd=initrd");
	}
	image->LoadOptions = options;
	image->LoadOptionsSize = (UINT32)((count + 1) * sizeof(*options));
}

static EFI_STATUS start_kernel(EFI_HANDLE self)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	uint32_t setup = item_size(SETUP_SIZE), kernel = item_size(KERNEL_SIZE);
	uint8_t *bytes = pages_for((uint64_t)setup + kernel);
	EFI_HANDLE image = NULL;
	EFI_STATUS status;

	if (!bytes)
		return EFI_OUT_OF_RESOURCES;
	item_read(SETUP_DATA, bytes, setup);
	item_read(KERNEL_DATA, bytes + setup, kernel);
	status = services->LoadImage(
	    FALSE, self, efi_protocol(self, (EFI_GUID)EFI_LOADED_IMAGE_DEVICE_PATH_PROTOCOL_GUID),
	    bytes, (UINTN)setup + kernel, &image);
	services->FreePages((uintptr_t)bytes, EFI_SIZE_TO_PAGES((UINTN)setup + kernel));
	if (EFI_ERROR(status))
		return status;
	give_options(efi_protocol(image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID));
	return services->StartImage(image, NULL, NULL);
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *system)
{
	EFI_STATUS status;

	efi_image = self;
	efi_system = system;
	while (is_parked())
		park();
	status = hand_over_initrd();
	return EFI_ERROR(status) ? status : start_kernel(self);
}
