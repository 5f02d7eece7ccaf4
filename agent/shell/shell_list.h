/* SPDX-License-Identifier: MIT */
/*
 * Lists of files, as EFI_SHELL_PROTOCOL has them: a head that is no file, and a ring of entries,
 * all in the firmware's pool (UEFI Shell Specification 2.2, 2.2.5). Boot services only. Thread.
 */
#ifndef AGENT_SHELL_SHELL_LIST_H
#define AGENT_SHELL_SHELL_LIST_H

#include <efi.h>
#include <efishell.h>

#include "agent/shell/shell_place.h"

/* The files in an open directory, "." and ".." included; FullName has its path in front. */
EFI_STATUS shell_list_directory(EFI_FILE *directory, const CHAR16 *path,
                                EFI_SHELL_FILE_INFO **list);

/* The files that a name stands for, whose last part may have ? and *; each opened with mode, if
 * that is not 0. Added to *list, which is made if it is NULL. EFI_NOT_FOUND: there is none. */
EFI_STATUS shell_list_find(const CHAR16 *name, UINT64 mode, EFI_SHELL_FILE_INFO **list);

/* Close what is open, and free all; *list is NULL then. */
EFI_STATUS EFIAPI shell_list_free(EFI_SHELL_FILE_INFO **list);

/* Only the first of those with the same FullName stay. */
EFI_STATUS EFIAPI shell_list_remove_duplicates(EFI_SHELL_FILE_INFO **list);

#endif
