/* SPDX-License-Identifier: MIT */
/*
 * Lists of files in EFI_SHELL_PROTOCOL's form: a head that is no file, and a ring of entries, all
 * in the firmware's pool (UEFI Shell Specification 2.2, 2.2.5). Boot services only. Thread.
 */
#ifndef AGENT_SHELL_SHELL_LIST_H
#define AGENT_SHELL_SHELL_LIST_H

#include <efi.h>
#include <efishell.h>

#include "agent/shell/shell_place.h"

/* List the files in an open directory, with "." and "..". FullName begins with path. */
EFI_STATUS shell_list_directory(EFI_FILE *directory, const CHAR16 *path,
                                EFI_SHELL_FILE_INFO **list);

/* Add to *list the files that a name matches; its last part may have ? and *. Each file is opened
 * with mode, if that is not 0. A *list of NULL is created. Returns EFI_NOT_FOUND if there is no
 * such file. */
EFI_STATUS shell_list_find(const CHAR16 *name, UINT64 mode, EFI_SHELL_FILE_INFO **list);

/* Close the open files and free the list; *list becomes NULL. */
EFI_STATUS EFIAPI shell_list_free(EFI_SHELL_FILE_INFO **list);

/* Keep only the first of the entries with the same FullName. */
EFI_STATUS EFIAPI shell_list_remove_duplicates(EFI_SHELL_FILE_INFO **list);

#endif
