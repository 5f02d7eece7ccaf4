/* SPDX-License-Identifier: MIT */
#include "agent/shell/shell_start.h"

#include <efi.h>
#include <efishell.h>
#include <stdlib.h>
#include <string.h>

#include "agent/shell/shell_console.h"
#include "agent/shell/shell_own.h"

#define NAME_ROOM 512U /* characters of a file's name, with the NUL */

static EFI_GUID guid = EFI_SHELL_PARAMETERS_PROTOCOL_GUID;
static EFI_SHELL_PARAMETERS_PROTOCOL parameters;
static EFI_HANDLE started; /* the application that has the parameters, or NULL */
static CHAR16 *full_name;  /* argv[0] from FreePool()'s pool, or NULL */

EFI_DEVICE_PATH *shell_start_find(const char *name)
{
	const EFI_SHELL_PROTOCOL *shell = efi_locate((EFI_GUID)EFI_SHELL_PROTOCOL_GUID);
	CHAR16 wide[NAME_ROOM];
	SHELL_FILE_HANDLE file;
	size_t length = 0;

	while (name[length] && length + 1 < NAME_ROOM) {
		wide[length] = (CHAR16)(name[length] == '/' ? '\\' : (unsigned char)name[length]);
		length++;
	}
	wide[length] = 0;
	if (!shell || name[length] ||
	    EFI_ERROR(shell->OpenFileByName(wide, &file, EFI_FILE_MODE_READ)))
		return NULL;
	shell->CloseFile(file);
	return shell->GetDevicePathFromFilePath(wide);
}

/* The list of arguments with their text behind it, in one block from malloc(). */
static CHAR16 **shell_start_arguments(int argc, char **argv)
{
	size_t size = (size_t)(argc + 1) * sizeof(CHAR16 *);
	CHAR16 **list, *to;

	for (int i = 0; i < argc; i++)
		size += (strlen(argv[i]) + 1) * sizeof(CHAR16);
	list = malloc(size);
	if (!list)
		return NULL;
	to = (CHAR16 *)(list + argc + 1);
	for (int i = 0; i < argc; i++) {
		list[i] = to;
		for (const char *at = argv[i]; *at; at++)
			*to++ = (unsigned char)*at;
		*to++ = 0;
	}
	list[argc] = NULL;
	return list;
}

/* "The first entry in the array is always the full file path of the executable": 2.1.3. */
static void shell_start_name(const EFI_SHELL_PROTOCOL *shell, const EFI_DEVICE_PATH *path)
{
	full_name = path ? shell->GetFilePathFromDevicePath(path) : NULL;
	if (full_name)
		parameters.Argv[0] = full_name;
}

/* If a shell started bareperf, the application gets bareperf's streams, which may be files
 * (bareperf.efi ... > a.txt). */
static void shell_start_streams(void)
{
	const EFI_SHELL_PARAMETERS_PROTOCOL *own = efi_protocol(efi_image, guid);

	parameters.StdIn = own ? own->StdIn : shell_console_in();
	parameters.StdOut = own ? own->StdOut : shell_console_out();
	parameters.StdErr = own ? own->StdErr : shell_console_error();
}

EFI_STATUS shell_start_begin(EFI_HANDLE image, const EFI_DEVICE_PATH *path, int argc, char **argv)
{
	const EFI_LOADED_IMAGE *loaded =
	    efi_protocol(image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	const EFI_SHELL_PROTOCOL *shell;

	if (!loaded || loaded->ImageCodeType != EfiLoaderCode)
		return EFI_SUCCESS;
	parameters.Argv = shell_start_arguments(argc, argv);
	parameters.Argc = (UINTN)argc;
	started = image;
	shell = shell_own_begin(loaded->DeviceHandle);
	if (!parameters.Argv || !shell) {
		shell_start_end();
		return EFI_OUT_OF_RESOURCES;
	}
	shell_start_name(shell, path);
	shell_start_streams();
	if (!EFI_ERROR(efi_system->BootServices->InstallProtocolInterface(
	        &started, &guid, EFI_NATIVE_INTERFACE, &parameters)))
		return EFI_SUCCESS;
	shell_start_end();
	return EFI_OUT_OF_RESOURCES;
}

/* A handle exists until its last protocol is removed. */
void shell_start_end(void)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;

	if (!started)
		return;
	services->UninstallProtocolInterface(started, &guid, &parameters);
	started = NULL;
	if (full_name)
		services->FreePool(full_name);
	full_name = NULL;
	free(parameters.Argv);
	parameters.Argv = NULL;
	shell_own_end();
}
