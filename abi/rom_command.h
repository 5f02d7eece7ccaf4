/* SPDX-License-Identifier: MIT */
/*
 * The command in an image that is in a PCI expansion ROM (UEFI 2.10, 14.4.2). The firmware starts
 * such a driver without load options, so the host tool writes the command into the image's file.
 * The structure lies anywhere in the file; its magic is there once.
 */
#ifndef ABI_ROM_COMMAND_H
#define ABI_ROM_COMMAND_H

#define ROM_COMMAND_MAGIC "bareperf rom command 1"

struct rom_command {
	char magic[24];  /* ROM_COMMAND_MAGIC, then zeros */
	char text[1024]; /* the command and zeros; empty: there is none */
};

_Static_assert(sizeof(struct rom_command) == 1048, "the host tool writes it");

#endif
