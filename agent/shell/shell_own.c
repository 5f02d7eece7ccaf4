/* SPDX-License-Identifier: MIT */
#include "agent/shell/shell_own.h"

#include <stdlib.h>
#include <string.h>

#include "agent/shell/shell_list.h"
#include "agent/shell/shell_place.h"
#include "agent/shell/shell_refused.h"
#include "agent/shell/shell_text.h"
#include "agent/shell/shell_variables.h"
#include "lib/efi/efi_file_path.h"

#define NAME_ROOM 256U /* characters of a name in ASCII */

/* ---- Environment and directory ---- */

static const CHAR16 *EFIAPI shell_own_get_env_ex(const CHAR16 *name, UINT32 *attributes)
{
	if (!name || !shell_text_equals(name, u"cwd"))
		return shell_variables_get(name, attributes);
	if (attributes)
		*attributes = EFI_VARIABLE_BOOTSERVICE_ACCESS;
	return shell_place_directory();
}

static const CHAR16 *EFIAPI shell_own_get_env(const CHAR16 *name)
{
	return shell_own_get_env_ex(name, NULL);
}

static EFI_STATUS EFIAPI shell_own_set_env(const CHAR16 *name, const CHAR16 *value,
                                           BOOLEAN is_volatile)
{
	if (name && shell_text_equals(name, u"cwd"))
		return EFI_INVALID_PARAMETER; /* UEFI Shell Specification 2.2, 2.2.5, SetEnv(): cwd
		                                 is read-only */
	return shell_variables_set(name, value, is_volatile);
}

/* The directory of another volume than the current one is its root. */
static const CHAR16 *EFIAPI shell_own_get_directory(const CHAR16 *map)
{
	static struct shell_place place;

	if (!map)
		return shell_place_directory();
	if (!shell_place_of(map, &place))
		return NULL;
	if (place.path[1])
		return shell_place_directory();
	return place.map;
}

static EFI_STATUS EFIAPI shell_own_set_directory(const CHAR16 *map, const CHAR16 *directory)
{
	CHAR16 name[SHELL_PLACE_PATH] = { 0 };

	if (!directory || (map && !shell_text_append(name, SHELL_PLACE_PATH, map)) ||
	    !shell_text_append(name, SHELL_PLACE_PATH, directory))
		return EFI_INVALID_PARAMETER;
	return shell_place_change(name);
}

/* ---- Names and device paths ---- */

static const EFI_DEVICE_PATH *EFIAPI shell_own_device_of_map(const CHAR16 *map)
{
	struct shell_place place;

	if (!map || !shell_place_of(map, &place))
		return NULL;
	return efi_protocol(place.volume, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID);
}

static const CHAR16 *EFIAPI shell_own_map_of_device(EFI_DEVICE_PATH **path)
{
	static struct shell_place place;
	EFI_DEVICE_PATH *rest;

	if (!path || !shell_place_of_device(*path, &place, &rest))
		return NULL;
	*path = rest;
	return place.map;
}

static EFI_DEVICE_PATH *EFIAPI shell_own_device_of_file(const CHAR16 *name)
{
	struct shell_place place;
	char path[NAME_ROOM];

	if (!name || !shell_place_of(name, &place) ||
	    !shell_text_narrow(place.path, path, sizeof(path)))
		return NULL;
	return efi_file_path(place.volume, path);
}

static CHAR16 *EFIAPI shell_own_file_of_device(const EFI_DEVICE_PATH *path)
{
	struct shell_place place;
	EFI_DEVICE_PATH *rest;
	char text[NAME_ROOM];
	CHAR16 *name;
	UINTN at;

	if (!path || !shell_place_of_device(path, &place, &rest) ||
	    EFI_ERROR(efi_system->BootServices->AllocatePool(
	        EfiBootServicesData, (NAME_ROOM + 20) * sizeof(*name), (void **)&name)))
		return NULL;
	efi_file_path_text(rest, text, sizeof(text));
	name[0] = 0;
	shell_text_append(name, NAME_ROOM + 20, place.map);
	at = shell_text_length(name);
	if (text[0] != '\\')
		name[at++] = '\\';
	for (const char *from = text; *from; from++)
		name[at++] = (unsigned char)*from;
	name[at] = 0;
	return name;
}

/* ---- Files ---- */

/* Open directories: the full names of files in them need their paths. */
static struct shell_opened {
	struct shell_opened *next;
	EFI_FILE *file;
	struct shell_place place;
} * opened;

static void shell_own_note(EFI_FILE *file, const struct shell_place *place)
{
	struct shell_opened *one = malloc(sizeof(*one));

	if (!one)
		return;
	*one = (struct shell_opened){ opened, file, *place };
	opened = one;
}

static void shell_own_forget(const EFI_FILE *file)
{
	struct shell_opened **at = &opened, *one;

	while (*at && (*at)->file != file)
		at = &(*at)->next;
	one = *at;
	if (one)
		*at = one->next;
	free(one);
}

static EFI_STATUS shell_own_open(const CHAR16 *name, SHELL_FILE_HANDLE *to, UINT64 mode,
                                 UINT64 attributes)
{
	struct shell_place place;
	EFI_FILE *file = NULL;
	EFI_STATUS status;

	if (!name || !to)
		return EFI_INVALID_PARAMETER;
	*to = NULL;
	if (!shell_place_of(name, &place))
		return EFI_NOT_FOUND;
	status = shell_place_open(&place, mode, attributes, &file);
	if (!EFI_ERROR(status))
		shell_own_note(file, &place);
	*to = file;
	return status;
}

static EFI_STATUS EFIAPI shell_own_open_by_name(const CHAR16 *name, SHELL_FILE_HANDLE *to,
                                                UINT64 mode)
{
	return shell_own_open(name, to, mode, 0);
}

static EFI_STATUS EFIAPI shell_own_create(const CHAR16 *name, UINT64 attributes,
                                          SHELL_FILE_HANDLE *to)
{
	return shell_own_open(
	    name, to, EFI_FILE_MODE_CREATE | EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, attributes);
}

static EFI_STATUS EFIAPI shell_own_close(SHELL_FILE_HANDLE handle)
{
	EFI_FILE *file = handle;

	shell_own_forget(file);
	return file->Close(file);
}

static EFI_STATUS EFIAPI shell_own_delete(SHELL_FILE_HANDLE handle)
{
	EFI_FILE *file = handle;

	shell_own_forget(file);
	return file->Delete(file);
}

static EFI_STATUS EFIAPI shell_own_delete_by_name(const CHAR16 *name)
{
	SHELL_FILE_HANDLE file;
	EFI_STATUS status =
	    shell_own_open(name, &file, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0);

	return EFI_ERROR(status) ? status : shell_own_delete(file);
}

static EFI_STATUS EFIAPI shell_own_read(SHELL_FILE_HANDLE handle, UINTN *size, VOID *bytes)
{
	EFI_FILE *file = handle;

	return file->Read(file, size, bytes);
}

static EFI_STATUS EFIAPI shell_own_write(SHELL_FILE_HANDLE handle, UINTN *size, VOID *bytes)
{
	EFI_FILE *file = handle;

	return file->Write(file, size, bytes);
}

static EFI_STATUS EFIAPI shell_own_flush(SHELL_FILE_HANDLE handle)
{
	EFI_FILE *file = handle;

	return file->Flush(file);
}

static EFI_STATUS EFIAPI shell_own_get_position(SHELL_FILE_HANDLE handle, UINT64 *position)
{
	EFI_FILE *file = handle;

	return file->GetPosition(file, position);
}

static EFI_STATUS EFIAPI shell_own_set_position(SHELL_FILE_HANDLE handle, UINT64 position)
{
	EFI_FILE *file = handle;

	return file->SetPosition(file, position);
}

static EFI_FILE_INFO *EFIAPI shell_own_get_info(SHELL_FILE_HANDLE file)
{
	return shell_place_info(file);
}

static EFI_STATUS EFIAPI shell_own_set_info(SHELL_FILE_HANDLE handle, const EFI_FILE_INFO *info)
{
	EFI_GUID type = EFI_FILE_INFO_ID;
	EFI_FILE *file = handle;

	if (!info)
		return EFI_INVALID_PARAMETER;
	return file->SetInfo(file, &type, (UINTN)info->Size, (VOID *)(uintptr_t)info);
}

static EFI_STATUS EFIAPI shell_own_get_size(SHELL_FILE_HANDLE file, UINT64 *size)
{
	EFI_FILE_INFO *info = shell_place_info(file);

	if (!info)
		return EFI_DEVICE_ERROR;
	*size = info->FileSize;
	efi_system->BootServices->FreePool(info);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI shell_own_open_root_by_handle(EFI_HANDLE device, SHELL_FILE_HANDLE *to)
{
	EFI_FILE_IO_INTERFACE *volume =
	    efi_protocol(device, (EFI_GUID)EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID);

	return volume ? volume->OpenVolume(volume, (EFI_FILE **)to) : EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI shell_own_open_root(EFI_DEVICE_PATH *path, SHELL_FILE_HANDLE *to)
{
	struct shell_place place;
	EFI_DEVICE_PATH *rest;

	if (!shell_place_of_device(path, &place, &rest))
		return EFI_NOT_FOUND;
	return shell_own_open_root_by_handle(place.volume, to);
}

/* ---- Lists ---- */

static EFI_STATUS EFIAPI shell_own_find(const CHAR16 *pattern, EFI_SHELL_FILE_INFO **list)
{
	if (!pattern || !list)
		return EFI_INVALID_PARAMETER;
	*list = NULL;
	return shell_list_find(pattern, 0, list);
}

static EFI_STATUS EFIAPI shell_own_open_list(CHAR16 *name, UINT64 mode, EFI_SHELL_FILE_INFO **list)
{
	return name && list ? shell_list_find(name, mode, list) : EFI_INVALID_PARAMETER;
}

static EFI_STATUS EFIAPI shell_own_find_in_directory(SHELL_FILE_HANDLE directory,
                                                     EFI_SHELL_FILE_INFO **list)
{
	const struct shell_opened *one = opened;

	while (one && one->file != directory)
		one = one->next;
	if (!directory || !list)
		return EFI_INVALID_PARAMETER;
	return shell_list_directory(directory, one ? one->place.path : u"\\", list);
}

/* ---- From begin to end ---- */

static EFI_SHELL_PROTOCOL own = {
	.GetEnv = shell_own_get_env,
	.SetEnv = shell_own_set_env,
	.GetDevicePathFromMap = shell_own_device_of_map,
	.GetMapFromDevicePath = shell_own_map_of_device,
	.GetDevicePathFromFilePath = shell_own_device_of_file,
	.GetFilePathFromDevicePath = shell_own_file_of_device,
	.GetCurDir = shell_own_get_directory,
	.SetCurDir = shell_own_set_directory,
	.OpenFileList = shell_own_open_list,
	.FreeFileList = shell_list_free,
	.RemoveDupInFileList = shell_list_remove_duplicates,
	.GetFileInfo = shell_own_get_info,
	.SetFileInfo = shell_own_set_info,
	.OpenFileByName = shell_own_open_by_name,
	.CloseFile = shell_own_close,
	.CreateFile = shell_own_create,
	.ReadFile = shell_own_read,
	.WriteFile = shell_own_write,
	.DeleteFile = shell_own_delete,
	.DeleteFileByName = shell_own_delete_by_name,
	.GetFilePosition = shell_own_get_position,
	.SetFilePosition = shell_own_set_position,
	.FlushFile = shell_own_flush,
	.FindFiles = shell_own_find,
	.FindFilesInDir = shell_own_find_in_directory,
	.GetFileSize = shell_own_get_size,
	.OpenRoot = shell_own_open_root,
	.OpenRootByHandle = shell_own_open_root_by_handle,
	.MajorVersion = 2,
	.MinorVersion = 2,
	.GetEnvEx = shell_own_get_env_ex,
};
static EFI_GUID guid = EFI_SHELL_PROTOCOL_GUID;
static bool is_there;

const EFI_SHELL_PROTOCOL *shell_own_begin(EFI_HANDLE volume)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	const EFI_SHELL_PROTOCOL *running = efi_locate(guid);
	EFI_HANDLE handle = efi_image;

	if (running)
		return running;
	shell_refuse_rest(&own);
	/* never signalled: no key breaks off a program here */
	if (EFI_ERROR(services->CreateEvent(0, 0, NULL, NULL, &own.ExecutionBreak)))
		return NULL;
	shell_place_begin(volume);
	is_there = !EFI_ERROR(
	    services->InstallProtocolInterface(&handle, &guid, EFI_NATIVE_INTERFACE, &own));
	if (!is_there)
		services->CloseEvent(own.ExecutionBreak);
	return is_there ? &own : NULL;
}

/* Files that are still open are left to the firmware. */
void shell_own_end(void)
{
	if (!is_there)
		return;
	is_there = false;
	efi_system->BootServices->UninstallProtocolInterface(efi_image, &guid, &own);
	efi_system->BootServices->CloseEvent(own.ExecutionBreak);
	while (opened)
		shell_own_forget(opened->file);
	shell_variables_end();
}
