/* SPDX-License-Identifier: MIT */
/* Reads the payload's bytes: the boot loader's initrd, or \payload.elf. */
#include <errno.h>
#include <string.h>

#include "agent/payload/payload.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/efi/efi_initrd.h"
#include "lib/memory/memory.h"
#include "lib/platform.h"

#define MAX_SIZE (256ULL << 20)

static const struct efi_initrd_path initrd_path = EFI_INITRD_PATH;

static CHAR16 file_path[] = u"\\payload.elf";

static int payload_allocate(struct payload_file *file, uint64_t size)
{
	if (size == 0)
		return -ENODATA;
	if (size > MAX_SIZE)
		return -EFBIG;
	file->bytes = memory_alloc_pages((size + ARCH_PAGE - 1) / ARCH_PAGE);
	file->size = size;
	return file->bytes ? 0 : -ENOMEM;
}

static int payload_file_read_initrd(struct payload_file *file)
{
	EFI_GUID guid = LOAD_FILE2_GUID;
	EFI_DEVICE_PATH *path = (EFI_DEVICE_PATH *)(uintptr_t)&initrd_path;
	EFI_LOAD_FILE_INTERFACE *loader;
	EFI_HANDLE handle;
	UINTN size = 0;
	EFI_STATUS status;
	int code;

	if (EFI_ERROR(efi_system->BootServices->LocateDevicePath(&guid, &path, &handle)))
		return -ENOENT;
	loader = efi_protocol(handle, guid);
	if (!loader)
		return -ENOENT;
	status = loader->LoadFile(loader, path, FALSE, &size, NULL);
	if (status != EFI_BUFFER_TOO_SMALL)
		return !EFI_ERROR(status)                     ? -ENODATA
		       : status == EFI_NOT_FOUND || size == 0 ? -ENOENT
		                                              : -EIO;
	code = payload_allocate(file, size);
	if (code != 0)
		return code;
	status = loader->LoadFile(loader, path, FALSE, &size, file->bytes);
	return EFI_ERROR(status) || size != file->size ? -EIO : 0;
}

static int payload_file_read_open_file(struct payload_file *file, EFI_FILE *from)
{
	UINT64 end = ~0ULL; /* UEFI 2.10, 13.5.11: the end of the file */
	UINTN size;
	int code;

	if (EFI_ERROR(from->SetPosition(from, end)) || EFI_ERROR(from->GetPosition(from, &end)) ||
	    EFI_ERROR(from->SetPosition(from, 0)))
		return -EIO;
	code = payload_allocate(file, end);
	if (code != 0)
		return code;
	size = file->size;
	if (EFI_ERROR(from->Read(from, &size, file->bytes)) || size != file->size)
		return -EIO;
	return 0;
}

static int payload_file_read_volume(struct payload_file *file)
{
	EFI_LOADED_IMAGE *image = efi_protocol(efi_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	EFI_FILE_IO_INTERFACE *volume;
	EFI_FILE *root, *from;
	int code = -ENOENT;

	if (!image)
		return -ENOENT;
	volume = efi_protocol(image->DeviceHandle, (EFI_GUID)EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID);
	if (!volume || EFI_ERROR(volume->OpenVolume(volume, &root)))
		return -ENOENT;
	if (!EFI_ERROR(root->Open(root, &from, file_path, EFI_FILE_MODE_READ, 0))) {
		code = payload_file_read_open_file(file, from);
		from->Close(from);
	}
	root->Close(root);
	return code;
}

int payload_file_read(struct payload_file *file)
{
	int code;

	*file = (struct payload_file){ .name = "the initrd" };
	code = payload_file_read_initrd(file);
	if (code != -ENOENT)
		return code;
	file->name = "\\payload.elf";
	return payload_file_read_volume(file);
}
