/* SPDX-License-Identifier: MIT */
/*
 * Boot services stay. \region.bin, a whole trace region, is read from this image's volume and saved
 * there (agent/volume/volume.h), once for each word of the command line: the word is a name, or "-"
 * for the next number. Each result is printed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "agent/crash_store.h"
#include "agent/volume/volume.h"
#include "agent/volume/volume_file.h"
#include "tests/firmware/image.h"

#define HEAP_PAGES 4096U
#define MAX_SIZE   (64ULL << 20)

static void *volume_region_read(uint64_t *size)
{
	EFI_LOADED_IMAGE *image = efi_protocol(efi_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	EFI_FILE_IO_INTERFACE *volume =
	    efi_protocol(image->DeviceHandle, (EFI_GUID)EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID);
	static CHAR16 name[] = u"\\region.bin";
	void *bytes = memory_alloc_region(MAX_SIZE, 1U << 21);
	EFI_FILE *root, *file;
	UINTN got = MAX_SIZE;

	*size = 0;
	if (!bytes || !volume || EFI_ERROR(volume->OpenVolume(volume, &root)) ||
	    EFI_ERROR(root->Open(root, &file, name, EFI_FILE_MODE_READ, 0)))
		return bytes;
	if (!EFI_ERROR(file->Read(file, &got, bytes)))
		*size = got;
	file->Close(file);
	root->Close(root);
	return bytes;
}

static void volume_try(const void *region, uint64_t size, const char *word)
{
	const char *name = strcmp(word, "-") == 0 ? NULL : word;
	struct error error = { "" };
	char path[VOLUME_PATH_MAX];
	int code = volume_check(size, name, &error);

	console_printf("check %s: %d %s\n", word, code, error.text);
	error.text[0] = 0;
	code = volume_save(region, size, name, path, &error);
	console_printf("save %s: %d %s\n", word, code, error.text);
}

/* Setting this variable fails on OVMF, but not on other firmware. */
static uint8_t volume_control;

static EFI_STATUS EFIAPI volume_get_variable(CHAR16 *name, EFI_GUID *guid, UINT32 *attributes,
                                             UINTN *size, VOID *data)
{
	static const char wanted[] = "MemoryOverwriteRequestControl";

	(void)attributes;
	for (size_t i = 0; i < sizeof(wanted); i++)
		if (name[i] != (CHAR16)wanted[i])
			return EFI_NOT_FOUND;
	if (guid->Data1 != 0xe20939be || *size != 1)
		return EFI_NOT_FOUND;
	*(uint8_t *)data = volume_control;
	return EFI_SUCCESS;
}

static void volume_warn(uint8_t control)
{
	EFI_GET_VARIABLE before = efi_system->RuntimeServices->GetVariable;

	volume_control = control;
	efi_system->RuntimeServices->GetVariable = volume_get_variable;
	console_printf("control 0x%x: ", control);
	crash_store_warn();
	console_printf("\n");
	efi_system->RuntimeServices->GetVariable = before;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	struct arch_clock clock = { .frequency = 1 };
	uint64_t size, sum = 0;
	const uint64_t *words;
	char *rest = test_command;

	efi_begin(image, system);
	test_read_command();
	if (memory_init() != 0)
		return EFI_OUT_OF_RESOURCES;
	syscalls_init(memory_alloc_pages(HEAP_PAGES), HEAP_PAGES * 4096ULL, &clock);
	words = volume_region_read(&size);
	for (uint64_t i = 0; i < size / 8; i++)
		sum += words[i];
	for (char *word = strtok_r(test_command, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		volume_try(words, size, word);
	for (uint64_t i = 0; i < size / 8; i++)
		sum -= words[i];
	volume_warn(0x01);
	volume_warn(0x10); /* an earlier boot has already done this */
	console_printf("region changed: %s\ndone\n", sum != 0 ? "yes" : "no");
	system->RuntimeServices->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
	return EFI_SUCCESS;
}
