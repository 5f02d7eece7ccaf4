/* SPDX-License-Identifier: MIT */
/*
 * File names of our own shell: "fs1:\dir\x.txt"; "\x.txt" on the current volume, "x.txt" in the
 * current directory. fs0: is the application's volume; fs1: and so on are the others in the order
 * of their handles. Boot services only. Thread.
 */
#ifndef AGENT_SHELL_SHELL_PLACE_H
#define AGENT_SHELL_SHELL_PLACE_H

#include <stdbool.h>

#include "lib/efi/efi.h"

#define SHELL_PLACE_PATH 512U /* characters, with the NUL */

struct shell_place {
	EFI_HANDLE volume;
	CHAR16 map[16];                /* "FS0:" */
	CHAR16 path[SHELL_PLACE_PATH]; /* from the volume's root: "\dir\x.txt" */
};

/* Make this volume fs0:, and its root the current directory. NULL: there is no volume. */
void shell_place_begin(EFI_HANDLE volume);

/* Resolve a name. Returns false if its volume does not exist, or if it is too long. */
bool shell_place_of(const CHAR16 *name, struct shell_place *place);

/* Resolve a device path to its volume; *rest is the part behind the volume's own path. place->path
 * stays empty. Returns false if it leads to no volume. */
bool shell_place_of_device(const EFI_DEVICE_PATH *path, struct shell_place *place,
                           EFI_DEVICE_PATH **rest);

/* Returns the current directory: "FS0:\dir"; a root is "FS0:" as in EDK2's shell. NULL: there is no
 * volume. Valid until the next call. */
const CHAR16 *shell_place_directory(void);

/* Change the current directory. Returns EFI_NOT_FOUND if it is no directory. */
EFI_STATUS shell_place_change(const CHAR16 *name);

/* Open the file at place. */
EFI_STATUS shell_place_open(const struct shell_place *place, UINT64 mode, UINT64 attributes,
                            EFI_FILE **file);

/* Returns a file's information, in the firmware's pool, or NULL without one or without memory. */
EFI_FILE_INFO *shell_place_info(EFI_FILE *file);

#endif
