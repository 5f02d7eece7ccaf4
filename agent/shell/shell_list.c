/* SPDX-License-Identifier: MIT */
#include "agent/shell/shell_list.h"

#include <string.h>

#include "agent/shell/shell_text.h"

/* ---- Entries ---- */

static VOID *shell_list_room(UINTN size)
{
	VOID *room;

	if (EFI_ERROR(efi_system->BootServices->AllocatePool(EfiBootServicesData, size, &room)))
		return NULL;
	memset(room, 0, size);
	return room;
}

static void shell_list_free_one(EFI_SHELL_FILE_INFO *entry)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;

	if (entry->Handle)
		((EFI_FILE *)entry->Handle)->Close(entry->Handle);
	if (entry->Info)
		services->FreePool(entry->Info);
	if (entry->FullName)
		services->FreePool((VOID *)(uintptr_t)entry->FullName);
	if (entry->FileName)
		services->FreePool((VOID *)(uintptr_t)entry->FileName);
	services->FreePool(entry);
}

static void shell_list_unlink(EFI_SHELL_FILE_INFO *entry)
{
	entry->Link.Blink->Flink = entry->Link.Flink;
	entry->Link.Flink->Blink = entry->Link.Blink;
}

static CHAR16 *shell_list_text(const CHAR16 *directory, const CHAR16 *name)
{
	UINTN front = shell_text_length(directory), room = front + shell_text_length(name) + 2;
	CHAR16 *text = shell_list_room(room * sizeof(*text));

	if (!text)
		return NULL;
	shell_text_append(text, room, directory);
	if (front && directory[front - 1] != '\\')
		shell_text_append(text, room, u"\\");
	shell_text_append(text, room, name);
	return text;
}

static EFI_SHELL_FILE_INFO *shell_list_head(EFI_SHELL_FILE_INFO **list)
{
	if (!*list) {
		*list = shell_list_room(sizeof(**list));
		if (*list)
			(*list)->Link.Flink = (*list)->Link.Blink = &(*list)->Link;
	}
	return *list;
}

/* Add an entry. The list takes info, also on an error. file NULL: it is not open. */
static EFI_STATUS shell_list_add(EFI_SHELL_FILE_INFO **list, const CHAR16 *directory,
                                 EFI_FILE_INFO *info, EFI_FILE *file)
{
	EFI_SHELL_FILE_INFO *head = shell_list_head(list), *entry = shell_list_room(sizeof(*entry));

	if (!head || !entry) {
		if (entry)
			efi_system->BootServices->FreePool(entry);
		efi_system->BootServices->FreePool(info);
		return EFI_OUT_OF_RESOURCES;
	}
	entry->Info = info;
	entry->Handle = file;
	entry->FileName = shell_list_text(u"", info->FileName);
	entry->FullName = shell_list_text(directory, info->FileName);
	if (!entry->FileName || !entry->FullName) {
		entry->Handle = NULL;
		shell_list_free_one(entry);
		return EFI_OUT_OF_RESOURCES;
	}
	entry->Link.Flink = &head->Link;
	entry->Link.Blink = head->Link.Blink;
	head->Link.Blink->Flink = &entry->Link;
	head->Link.Blink = &entry->Link;
	return EFI_SUCCESS;
}

/* ---- Directories ---- */

/* Returns the next entry's information, in the firmware's pool, or NULL at the end or without
 * memory. */
static EFI_FILE_INFO *shell_list_next(EFI_FILE *directory)
{
	EFI_FILE_INFO *info;
	UINTN size = 0;
	EFI_STATUS status = directory->Read(directory, &size, NULL);

	if (status != EFI_BUFFER_TOO_SMALL)
		return NULL;
	info = shell_list_room(size);
	if (info && !EFI_ERROR(directory->Read(directory, &size, info)) && size)
		return info;
	if (info)
		efi_system->BootServices->FreePool(info);
	return NULL;
}

static EFI_FILE *shell_list_open(const struct shell_place *place, const CHAR16 *name, UINT64 mode)
{
	struct shell_place file = *place;
	EFI_FILE *opened = NULL;

	if ((file.path[1] && !shell_text_append(file.path, SHELL_PLACE_PATH, u"\\")) ||
	    !shell_text_append(file.path, SHELL_PLACE_PATH, name) ||
	    EFI_ERROR(shell_place_open(&file, mode, 0, &opened)))
		return NULL;
	return opened;
}

/* Read the directory at place. pattern NULL: all files. mode 0: no file is opened; else each file
 * that can be is opened with it. */
static EFI_STATUS shell_list_read(EFI_FILE *directory, const CHAR16 *path, const CHAR16 *pattern,
                                  UINT64 mode, const struct shell_place *place,
                                  EFI_SHELL_FILE_INFO **list)
{
	EFI_STATUS status = EFI_SUCCESS;
	EFI_FILE_INFO *info;

	directory->SetPosition(directory, 0);
	while (!EFI_ERROR(status) && (info = shell_list_next(directory))) {
		EFI_FILE *file = NULL;

		if (pattern && !shell_text_matches(pattern, info->FileName)) {
			efi_system->BootServices->FreePool(info);
			continue;
		}
		if (mode)
			file = shell_list_open(place, info->FileName, mode);
		status = shell_list_add(list, path, info, file);
		if (EFI_ERROR(status) && file)
			file->Close(file);
	}
	return status;
}

EFI_STATUS shell_list_directory(EFI_FILE *directory, const CHAR16 *path, EFI_SHELL_FILE_INFO **list)
{
	EFI_STATUS status;

	*list = NULL;
	status = shell_list_read(directory, path, NULL, 0, NULL, list);
	if (EFI_ERROR(status))
		shell_list_free(list);
	return status;
}

/* ---- Names ---- */

/* Cut off the last part of a path, and return it in last; of a root "\" stays. */
static void shell_list_cut(CHAR16 *path, CHAR16 *last)
{
	UINTN at = shell_text_length(path);

	while (at > 0 && path[at - 1] != '\\')
		at--;
	memcpy(last, path + at, (shell_text_length(path + at) + 1) * sizeof(*last));
	path[at > 1 ? at - 1 : at] = 0;
}

/* Find a file by its name; mode may create it. */
static EFI_STATUS shell_list_find_one(const struct shell_place *place, const CHAR16 *directory,
                                      UINT64 mode, EFI_SHELL_FILE_INFO **list)
{
	EFI_FILE_INFO *info;
	EFI_FILE *file;
	EFI_STATUS status = shell_place_open(place, mode ? mode : EFI_FILE_MODE_READ, 0, &file);

	if (EFI_ERROR(status))
		return status;
	info = shell_place_info(file);
	status = info ? shell_list_add(list, directory, info, mode ? file : NULL)
	              : EFI_OUT_OF_RESOURCES;
	if (!mode || EFI_ERROR(status))
		file->Close(file);
	return status;
}

EFI_STATUS shell_list_find(const CHAR16 *name, UINT64 mode, EFI_SHELL_FILE_INFO **list)
{
	static CHAR16 full[SHELL_PLACE_PATH + 16], last[SHELL_PLACE_PATH];
	struct shell_place place;
	const EFI_LIST_ENTRY *before = *list ? (*list)->Link.Blink : NULL;
	EFI_FILE *directory;
	EFI_STATUS status;

	if (!shell_place_of(name, &place))
		return EFI_NOT_FOUND;
	shell_list_cut(place.path, last);
	full[0] = 0;
	shell_text_append(full, sizeof(full) / sizeof(*full), place.map);
	shell_text_append(full, sizeof(full) / sizeof(*full), place.path);
	if (!shell_text_is_pattern(last)) {
		shell_place_of(name, &place);
		return shell_list_find_one(&place, full, mode, list);
	}
	status = shell_place_open(&place, EFI_FILE_MODE_READ, 0, &directory);
	if (EFI_ERROR(status))
		return status;
	status = shell_list_read(directory, full, last, mode, &place, list);
	directory->Close(directory);
	if (!EFI_ERROR(status) && (!*list || before == (*list)->Link.Blink))
		status = EFI_NOT_FOUND;
	return status;
}

EFI_STATUS EFIAPI shell_list_free(EFI_SHELL_FILE_INFO **list)
{
	EFI_SHELL_FILE_INFO *head = list ? *list : NULL;

	if (!head)
		return EFI_SUCCESS;
	while (head->Link.Flink != &head->Link) {
		EFI_SHELL_FILE_INFO *entry = (EFI_SHELL_FILE_INFO *)head->Link.Flink;

		shell_list_unlink(entry);
		shell_list_free_one(entry);
	}
	shell_list_free_one(head);
	*list = NULL;
	return EFI_SUCCESS;
}

EFI_STATUS EFIAPI shell_list_remove_duplicates(EFI_SHELL_FILE_INFO **list)
{
	EFI_SHELL_FILE_INFO *head = list ? *list : NULL;

	if (!head)
		return EFI_INVALID_PARAMETER;
	for (EFI_LIST_ENTRY *a = head->Link.Flink; a != &head->Link; a = a->Flink) {
		const CHAR16 *name = ((EFI_SHELL_FILE_INFO *)a)->FullName;

		for (EFI_LIST_ENTRY *b = a->Flink; b != &head->Link;) {
			EFI_SHELL_FILE_INFO *entry = (EFI_SHELL_FILE_INFO *)b;

			b = b->Flink;
			if (shell_text_equals(name, entry->FullName)) {
				shell_list_unlink(entry);
				shell_list_free_one(entry);
			}
		}
	}
	return EFI_SUCCESS;
}
