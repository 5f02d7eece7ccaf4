/* SPDX-License-Identifier: MIT */
#include "lib/efi/efi_consoles.h"

#include "lib/efi/efi_file_path.h"
#include "lib/parse/device_paths.h"

#define CONSOLES_MAX 4096U /* the largest size of a variable that is read */
#define NODE_END     4U    /* bytes of a path's end node */

bool efi_is_console(EFI_HANDLE handle)
{
	static CHAR16 input[] = u"ConIn", output[] = u"ConOut", errors[] = u"ErrOut";
	static CHAR16 *const names[] = { input, output, errors };
	static uint8_t paths[CONSOLES_MAX];
	const EFI_DEVICE_PATH *path = efi_protocol(handle, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID);
	EFI_GUID guid = EFI_GLOBAL_VARIABLE;

	if (!path)
		return true;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		UINTN size = sizeof(paths);
		EFI_STATUS status =
		    efi_system->RuntimeServices->GetVariable(names[i], &guid, NULL, &size, paths);

		if (status == EFI_NOT_FOUND)
			continue;
		if (EFI_ERROR(status) || device_paths_lead_to(paths, size, (const uint8_t *)path,
		                                              efi_file_path_size(path) - NODE_END))
			return true;
	}
	return false;
}
