/* SPDX-License-Identifier: MIT */
/*
 * The files' names of our own shell: "fs1:\dir\x.txt"; "\x.txt" on the current volume, "x.txt" in
 * the current directory. fs0: is the volume that the application comes from, fs1: and so on are the
 * others in the order of their handles. Boot services only. Thread.
 */
#ifndef AGENT_SHELL_SHELL_PLACE_H
#define AGENT_SHELL_SHELL_PLACE_H

#include <stdbool.h>

#include "lib/efi/efi.h"

#define SHELL_PLACE_PATH 512U /* characters, the NUL included */

struct shell_place {
	EFI_HANDLE volume;
	CHAR16 map[16];                /* "FS0:" */
	CHAR16 path[SHELL_PLACE_PATH]; /* from its root: "\dir\x.txt" */
};

/* fs0: is this volume's from now on, and its root is the current directory. NULL: from none. */
void shell_place_begin(EFI_HANDLE volume);

/* Where a name leads. false: it names no volume that is there, or is too long. */
bool shell_place_of(const CHAR16 *name, struct shell_place *place);

/* Where a device path leads, and *rest of it, behind the volume's own; the path stays empty. false:
 * to no volume. */
bool shell_place_of_device(const EFI_DEVICE_PATH *path, struct shell_place *place,
                           EFI_DEVICE_PATH **rest);

/* The current directory: "FS0:\dir"; of the root "FS0:" (as EDK2's shell has it). NULL: there is no
 * volume. Until the next call. */
const CHAR16 *shell_place_directory(void);

/* The current directory is this one. EFI_NOT_FOUND: it is none. */
EFI_STATUS shell_place_change(const CHAR16 *name);

/* Open what is there. */
EFI_STATUS shell_place_open(const struct shell_place *place, UINT64 mode, UINT64 attributes,
                            EFI_FILE **file);

/* A file's information, in the firmware's pool; NULL: there is none, or no memory. */
EFI_FILE_INFO *shell_place_info(EFI_FILE *file);

#endif
