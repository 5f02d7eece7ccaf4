/* SPDX-License-Identifier: MIT */
#include "agent/volume/volume_where.h"

#include <errno.h>

#define NAME_MAX_LENGTH 31U

/* UEFI Shell Specification 2.2, 4.1.1; GNU-EFI does not declare it. Members that are not called
 * have no type. */
#define SHELL_GUID                                                     \
	{                                                              \
		0x6302d008, 0x7f9b, 0x4f30,                            \
		{                                                      \
			0x87, 0xac, 0x60, 0xc9, 0xfe, 0xf5, 0xda, 0x4e \
		}                                                      \
	}
struct shell {
	VOID *execute, *get_env, *set_env, *get_alias, *set_alias, *get_help_text;
	const EFI_DEVICE_PATH *(EFIAPI *device_path_from_map)(const CHAR16 *name);
};

static EFI_HANDLE chosen; /* NULL: our image's volume */

int volume_choose(const char *name, size_t length, struct error *error)
{
	EFI_GUID guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
	struct shell *shell = efi_locate((EFI_GUID)SHELL_GUID);
	EFI_DEVICE_PATH *path = NULL;
	CHAR16 map[NAME_MAX_LENGTH + 1] = { 0 };

	chosen = NULL;
	if (length == 0)
		return 0;
	for (size_t i = 0; i < length && i < NAME_MAX_LENGTH; i++)
		map[i] = (unsigned char)name[i];
	if (!shell)
		return error_set(error, -EINVAL,
		                 "%.*s: is a volume's name in the firmware's shell, which is not "
		                 "running",
		                 (int)length, name);
	path = (EFI_DEVICE_PATH *)(uintptr_t)shell->device_path_from_map(map);
	if (path && !EFI_ERROR(efi_system->BootServices->LocateDevicePath(&guid, &path, &chosen)))
		return 0;
	chosen = NULL;
	return error_set(error, -EINVAL,
	                 "%.*s: no such volume (the shell's command map lists them)", (int)length,
	                 name);
}

EFI_HANDLE volume_handle(void)
{
	EFI_LOADED_IMAGE *image = efi_protocol(efi_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);

	return chosen ? chosen : image ? image->DeviceHandle : NULL;
}

EFI_FILE *volume_root(struct error *error)
{
	EFI_HANDLE device = volume_handle();
	EFI_FILE_IO_INTERFACE *volume = NULL;
	EFI_FILE *root = NULL;

	if (device)
		volume = efi_protocol(device, (EFI_GUID)EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID);
	if (volume && !EFI_ERROR(volume->OpenVolume(volume, &root)))
		return root;
	error_set(error, -ENODEV, "%s",
	          chosen ? "the volume is gone"
	                 : "bareperf was loaded from no volume (network, -kernel), "
	                   "or the volume was pulled out");
	return NULL;
}
