/* SPDX-License-Identifier: MIT */
/*
 * Changes the firmware before it starts an image: \image.efi on the volume of this image. The words
 * in \chain.cfg beside it choose the changes; the words behind "-- " are the started image's load
 * options.
 *
 *	pci, gop, mp, font	the firmware lacks this protocol
 *	holes			free memory has thousands of holes
 *	uncached		a piece of memory must not be cached
 *	noise, garbage		the load options are another program's: words, bytes
 */
#ifndef TESTS_FIRMWARE_CHAIN_H
#define TESTS_FIRMWARE_CHAIN_H

#include "lib/console/hii_font.h"
#include "tests/firmware/image.h"

#define CHAIN_HOLES 3000U

/* ---- Protocols that are not there ---- */

static EFI_GUID chain_hidden[8];
static unsigned chain_nr_hidden;
static EFI_LOCATE_PROTOCOL chain_locate_protocol;
static EFI_LOCATE_HANDLE_BUFFER chain_locate_handles;
static EFI_HANDLE_PROTOCOL chain_handle_protocol;

static inline bool chain_hides(const EFI_GUID *guid)
{
	for (unsigned i = 0; guid && i < chain_nr_hidden; i++)
		if (memcmp(&chain_hidden[i], guid, sizeof(*guid)) == 0)
			return true;
	return false;
}

static EFI_STATUS EFIAPI chain_no_protocol(EFI_GUID *guid, VOID *registration, VOID **interface)
{
	return chain_hides(guid) ? EFI_NOT_FOUND
	                         : chain_locate_protocol(guid, registration, interface);
}

static EFI_STATUS EFIAPI chain_no_handles(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *guid, VOID *key,
                                          UINTN *count, EFI_HANDLE **handles)
{
	return chain_hides(guid) ? EFI_NOT_FOUND
	                         : chain_locate_handles(type, guid, key, count, handles);
}

static EFI_STATUS EFIAPI chain_no_interface(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
	return chain_hides(guid) ? EFI_UNSUPPORTED : chain_handle_protocol(handle, guid, interface);
}

static inline void chain_hide(const char *word, EFI_GUID guid)
{
	if (test_asked(word))
		chain_hidden[chain_nr_hidden++] = guid;
}

static inline void chain_hide_protocols(EFI_BOOT_SERVICES *boot)
{
	chain_hide("pci", (EFI_GUID)EFI_PCI_IO_PROTOCOL_GUID);
	chain_hide("gop", (EFI_GUID)EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID);
	chain_hide("font", (EFI_GUID)EFI_HII_FONT_PROTOCOL_GUID);
	chain_hide("mp", (EFI_GUID){ 0x3fdda605,
	                             0xa76e,
	                             0x4f46,
	                             { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 } });
	chain_locate_protocol = boot->LocateProtocol;
	chain_locate_handles = boot->LocateHandleBuffer;
	chain_handle_protocol = boot->HandleProtocol;
	boot->LocateProtocol = chain_no_protocol;
	boot->LocateHandleBuffer = chain_no_handles;
	boot->HandleProtocol = chain_no_interface;
}

/* ---- Memory as machines have it ---- */

static EFI_GET_MEMORY_MAP chain_get_map;

/* The first free piece of at least 1 MiB that the firmware does not allocate from. */
static EFI_STATUS EFIAPI chain_uncached_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                            UINTN *stride, UINT32 *version)
{
	EFI_STATUS status = chain_get_map(size, map, key, stride, version);

	for (UINTN at = 0; !EFI_ERROR(status) && at < *size; at += *stride) {
		EFI_MEMORY_DESCRIPTOR *area = (void *)((uint8_t *)map + at);

		if (area->Type != EfiConventionalMemory || area->NumberOfPages < 256)
			continue;
		area->Attribute = EFI_MEMORY_UC;
		break;
	}
	return status;
}

/* Allocate one page of every four in the middle of free memory. */
static inline void chain_make_holes(EFI_BOOT_SERVICES *boot)
{
	uint64_t start, size, at;
	unsigned made = 0;

	memory_largest(&start, &size);
	for (at = start + (size / 2 & ~4095ULL); made < CHAIN_HOLES && at < start + size;
	     at += 16384) {
		EFI_PHYSICAL_ADDRESS page = at;

		made += !EFI_ERROR(
		    boot->AllocatePages(AllocateAddress, EfiReservedMemoryType, 1, &page));
	}
	console_printf("# %u holes\n", made);
}

static inline void chain_change_memory(EFI_BOOT_SERVICES *boot)
{
	if (test_asked("holes"))
		chain_make_holes(boot);
	if (test_asked("uncached")) {
		chain_get_map = boot->GetMemoryMap;
		boot->GetMemoryMap = chain_uncached_map;
	}
}

/* ---- The image ---- */

static CHAR16 chain_options[512];

static inline void chain_set_options(EFI_LOADED_IMAGE *loaded)
{
	const char *rest = strstr(test_command, "-- ");
	const char *text = test_asked("noise")     ? "quiet splash"
	                   : test_asked("garbage") ? "\x01\x7f\x1b garbage"
	                   : rest                  ? rest + 3
	                                           : "";
	size_t length = strlen(text);

	for (size_t i = 0; i <= length && i < 511; i++)
		chain_options[i] = (unsigned char)text[i];
	loaded->LoadOptions = chain_options;
	loaded->LoadOptionsSize = length ? (UINT32)(2 * (length + 1)) : 0;
}

static inline void chain_read_words(EFI_LOADED_IMAGE *self)
{
	static CHAR16 name[] = u"\\chain.cfg";
	EFI_FILE_IO_INTERFACE *volume =
	    efi_protocol(self->DeviceHandle, (EFI_GUID)EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID);
	UINTN size = sizeof(test_command) - 1;
	EFI_FILE *root, *file;

	if (!volume || EFI_ERROR(volume->OpenVolume(volume, &root)))
		return;
	if (!EFI_ERROR(root->Open(root, &file, name, EFI_FILE_MODE_READ, 0))) {
		if (EFI_ERROR(file->Read(file, &size, test_command)))
			size = 0;
		test_command[size] = 0;
		file->Close(file);
	}
	root->Close(root);
}

/* The path of \image.efi on the volume of this image: UEFI 2.10, 10.3.5.4. */
static inline EFI_DEVICE_PATH *chain_path(EFI_LOADED_IMAGE *self)
{
	static const CHAR16 name[] = u"\\image.efi";
	static uint8_t path[1024];
	const uint8_t *volume =
	    efi_protocol(self->DeviceHandle, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID);
	size_t at = 0;

	while (volume && volume[at] != 0x7f)
		at += volume[at + 2] | volume[at + 3] << 8;
	if (volume)
		memcpy(path, volume, at);
	memcpy(path + at, (const uint8_t[]){ 4, 4, 4 + sizeof(name), 0 }, 4);
	memcpy(path + at + 4, name, sizeof(name));
	memcpy(path + at + 4 + sizeof(name), (const uint8_t[]){ 0x7f, 0xff, 4, 0 }, 4);
	return (EFI_DEVICE_PATH *)path;
}

/* An ISA's changes before the image runs, and after it. */
typedef void (*chain_change_fn)(const EFI_LOADED_IMAGE *image);

/* Call the image without StartImage(), so that this code can undo its changes before the firmware
 * frees the pages. PE format: the entry point is the optional header's fifth word. */
static inline EFI_STATUS chain_call(EFI_HANDLE child, const EFI_LOADED_IMAGE *loaded)
{
	uint8_t *base = loaded->ImageBase;
	const uint8_t *pe = base + *(const uint32_t *)(base + 0x3c);
	EFI_STATUS(EFIAPI * entry)(EFI_HANDLE, EFI_SYSTEM_TABLE *);

	entry = (EFI_STATUS(EFIAPI *)(EFI_HANDLE, EFI_SYSTEM_TABLE *))(
	    base + *(const uint32_t *)(pe + 24 + 16));
	return entry(child, efi_system);
}

static inline EFI_STATUS chain_run(EFI_HANDLE image, EFI_SYSTEM_TABLE *system,
                                   chain_change_fn change, chain_change_fn undo)
{
	EFI_BOOT_SERVICES *boot = system->BootServices;
	EFI_LOADED_IMAGE *self, *loaded;
	EFI_BOOT_SERVICES before;
	EFI_HANDLE child = NULL;
	EFI_STATUS status;

	efi_begin(image, system);
	self = efi_protocol(image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	if (!self || memory_init() != 0)
		return EFI_OUT_OF_RESOURCES;
	chain_read_words(self);
	status = boot->LoadImage(FALSE, image, chain_path(self), NULL, 0, &child);
	if (EFI_ERROR(status)) {
		console_printf("# \\image.efi: the firmware says %lx\n", status);
		return status;
	}
	before = *boot;
	loaded = efi_protocol(child, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	chain_set_options(loaded);
	chain_change_memory(boot);
	chain_hide_protocols(boot);
	if (change)
		change(loaded);
	status = chain_call(child, loaded);
	*boot = before;
	if (undo)
		undo(loaded);
	boot->UnloadImage(child);
	console_printf("# back with %lx\n", status);
	return status;
}

#endif
