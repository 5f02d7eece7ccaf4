/* SPDX-License-Identifier: MIT */
/* UEFI 2.10, 13.9 "Block I/O Protocol" of the volume that we were booted from, else of the first
 * device that has a medium; 12.4 "Simple Text Output Protocol". */
#include "agent/bench/services_case.h"

static EFI_BLOCK_IO *services_find_disk(void)
{
	EFI_GUID guid = EFI_BLOCK_IO_PROTOCOL_GUID;
	EFI_LOADED_IMAGE *image = efi_protocol(efi_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	EFI_BLOCK_IO *disk =
	    image && image->DeviceHandle
	        ? efi_protocol(image->DeviceHandle, (EFI_GUID)EFI_BLOCK_IO_PROTOCOL_GUID)
	        : NULL;
	UINTN count = 0;
	EFI_HANDLE *list = NULL;

	if ((disk && disk->Media->MediaPresent) ||
	    EFI_ERROR(efi_system->BootServices->LocateHandleBuffer(ByProtocol, &guid, NULL, &count,
	                                                           &list)))
		return disk;
	for (UINTN i = 0; i < count; i++) {
		disk = efi_protocol(list[i], guid);
		if (disk && disk->Media->MediaPresent)
			break;
		disk = NULL;
	}
	efi_system->BootServices->FreePool(list);
	return disk;
}

static EFI_BLOCK_IO *disk;

static EFI_STATUS services_find(uint64_t size)
{
	if (!disk)
		disk = services_find_disk();
	if (!disk || !disk->Media->MediaPresent)
		return EFI_NO_MEDIA;
	/* a device may want other alignment than a page's, or have large or few blocks */
	return disk->Media->IoAlign <= 4096 && disk->Media->BlockSize <= SERVICES_HALF &&
	               disk->Media->LastBlock >= size / disk->Media->BlockSize
	           ? EFI_SUCCESS
	           : EFI_UNSUPPORTED;
}

/* size 0: one block. */
static EFI_STATUS services_read(uint64_t size)
{
	return disk->ReadBlocks(disk, disk->Media->MediaId, 0, size ? size : disk->Media->BlockSize,
	                        services_room);
}

static CHAR16 text[] = u"bench\r";

static EFI_STATUS services_output(uint64_t unused)
{
	(void)unused;
	return efi_system->ConOut->OutputString(efi_system->ConOut, text);
}

static EFI_STATUS services_has_console(uint64_t unused)
{
	(void)unused;
	return efi_system->ConOut ? EFI_SUCCESS : EFI_NO_MEDIA;
}

/* clang-format off */
const struct services_case services_of_devices[] = {
	{ "BlockIo.ReadBlocks", "1 block", 0, services_find, services_read, NULL, 0 },
	{ "BlockIo.ReadBlocks", "64 KiB", 65536, services_find, services_read, NULL, 0 },
	{ 0 },
};

const struct services_case services_of_console[] = {
	{ "ConOut.OutputString", "5 letters", 0, services_has_console, services_output, NULL, 0 },
	{ 0 },
};
