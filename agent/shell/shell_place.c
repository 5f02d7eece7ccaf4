/* SPDX-License-Identifier: MIT */
#include "agent/shell/shell_place.h"

#include <string.h>

#include "agent/shell/shell_text.h"
#include "lib/print.h"

static EFI_GUID volumes = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_HANDLE home;
static struct shell_place current; /* the current directory; volume NULL: none */

/* ---- Volumes ---- */

/* Find the index of a volume, or with by_index the volume of an index. Returns false if there is
 * none. */
static bool shell_place_number(EFI_HANDLE *volume, UINTN *index, bool by_index)
{
	EFI_HANDLE *handles;
	UINTN count, number = home ? 1 : 0;
	bool found = home && (by_index ? *index == 0 : *volume == home);

	if (found) {
		*volume = home;
		*index = 0;
		return true;
	}
	if (EFI_ERROR(efi_system->BootServices->LocateHandleBuffer(ByProtocol, &volumes, NULL,
	                                                           &count, &handles)))
		return false;
	for (UINTN i = 0; i < count && !found; i++) {
		if (handles[i] == home)
			continue;
		found = by_index ? *index == number : *volume == handles[i];
		if (found) {
			*volume = handles[i];
			*index = number;
		}
		number++;
	}
	efi_system->BootServices->FreePool(handles);
	return found;
}

static void shell_place_name(struct shell_place *place, UINTN index)
{
	char text[16];

	print_text(text, sizeof(text), "FS%lu:", (unsigned long)index);
	for (unsigned i = 0; i < sizeof(text); i++)
		place->map[i] = (unsigned char)text[i];
}

static bool shell_place_is_letter(CHAR16 c, CHAR16 letter)
{
	return (c | 0x20) == letter;
}

/* Parse a map such as "fs12:". Returns the text behind it, or NULL if it is no volume of ours. */
static const CHAR16 *shell_place_map(const CHAR16 *name, struct shell_place *place)
{
	UINTN index = 0, digits = 2;

	if (!shell_place_is_letter(name[0], 'f') || !shell_place_is_letter(name[1], 's'))
		return NULL;
	for (; name[digits] >= '0' && name[digits] <= '9' && digits < 6; digits++)
		index = 10 * index + (name[digits] - '0');
	if (digits == 2 || name[digits] != ':' || !shell_place_number(&place->volume, &index, true))
		return NULL;
	shell_place_name(place, index);
	return name + digits + 1;
}

static const CHAR16 *shell_place_behind_map(const CHAR16 *name)
{
	for (; *name; name++)
		if (*name == ':')
			return name + 1;
	return NULL;
}

void shell_place_begin(EFI_HANDLE volume)
{
	UINTN index = 0;

	home = volume && efi_protocol(volume, volumes) ? volume : NULL;
	current = (struct shell_place){ .path = { '\\' } };
	if (shell_place_number(&current.volume, &index, true))
		shell_place_name(&current, index);
}

/* ---- Names ---- */

bool shell_place_of(const CHAR16 *name, struct shell_place *place)
{
	const CHAR16 *path = name;
	bool fits = true;

	*place = current;
	if (shell_place_behind_map(name))
		path = shell_place_map(name, place);
	if (!path || !place->volume)
		return false;
	if (place->volume != current.volume || *path == '\\' || *path == '/')
		place->path[0] = 0;
	fits = shell_text_append(place->path, SHELL_PLACE_PATH, u"\\") &&
	       shell_text_append(place->path, SHELL_PLACE_PATH, path);
	for (CHAR16 *at = place->path; *at; at++)
		*at = *at == '/' ? '\\' : *at;
	shell_text_simplify(place->path);
	return fits;
}

bool shell_place_of_device(const EFI_DEVICE_PATH *path, struct shell_place *place,
                           EFI_DEVICE_PATH **rest)
{
	UINTN index = 0;

	*place = (struct shell_place){ .volume = NULL };
	*rest = (EFI_DEVICE_PATH *)(uintptr_t)path;
	if (EFI_ERROR(efi_system->BootServices->LocateDevicePath(&volumes, rest, &place->volume)) ||
	    !shell_place_number(&place->volume, &index, false))
		return false;
	shell_place_name(place, index);
	return true;
}

const CHAR16 *shell_place_directory(void)
{
	static CHAR16 directory[sizeof(current.map) / sizeof(CHAR16) + SHELL_PLACE_PATH];

	if (!current.volume)
		return NULL;
	directory[0] = 0;
	shell_text_append(directory, SHELL_PLACE_PATH, current.map);
	if (current.path[1])
		shell_text_append(directory, sizeof(directory) / sizeof(*directory), current.path);
	return directory;
}

EFI_STATUS shell_place_change(const CHAR16 *name)
{
	struct shell_place place;
	EFI_FILE_INFO *info = NULL;
	EFI_FILE *file;
	bool is_directory;

	if (!shell_place_of(name, &place) ||
	    EFI_ERROR(shell_place_open(&place, EFI_FILE_MODE_READ, 0, &file)))
		return EFI_NOT_FOUND;
	info = shell_place_info(file);
	is_directory = info && info->Attribute & EFI_FILE_DIRECTORY;
	if (info)
		efi_system->BootServices->FreePool(info);
	file->Close(file);
	if (!is_directory)
		return EFI_NOT_FOUND;
	current = place;
	return EFI_SUCCESS;
}

/* ---- Files ---- */

EFI_STATUS shell_place_open(const struct shell_place *place, UINT64 mode, UINT64 attributes,
                            EFI_FILE **file)
{
	EFI_FILE_IO_INTERFACE *volume = efi_protocol(place->volume, volumes);
	EFI_STATUS status;
	EFI_FILE *root;

	if (!volume)
		return EFI_NOT_FOUND;
	status = volume->OpenVolume(volume, &root);
	if (EFI_ERROR(status))
		return status;
	status = root->Open(root, file, (CHAR16 *)(uintptr_t)place->path, mode, attributes);
	root->Close(root);
	return status;
}

EFI_FILE_INFO *shell_place_info(EFI_FILE *file)
{
	EFI_GUID type = EFI_FILE_INFO_ID;
	EFI_FILE_INFO *info = NULL;
	UINTN size = 0;

	if (file->GetInfo(file, &type, &size, NULL) != EFI_BUFFER_TOO_SMALL ||
	    EFI_ERROR(
	        efi_system->BootServices->AllocatePool(EfiBootServicesData, size, (void **)&info)))
		return NULL;
	if (!EFI_ERROR(file->GetInfo(file, &type, &size, info)))
		return info;
	efi_system->BootServices->FreePool(info);
	return NULL;
}
