/* SPDX-License-Identifier: MIT */
/*
 * The driver in a PCI expansion ROM, as a card brings it. Each UEFI firmware starts it when it has
 * enumerated PCI: no volume and no firmware variable is needed.
 */
#ifndef HOST_TOOLS_RECORD_QEMU_OPTION_ROM_H
#define HOST_TOOLS_RECORD_QEMU_OPTION_ROM_H

#include <limits.h>

#include "writer/util/error.h"

/* The driver beside the image: NAME-dxe.efi for NAME.efi. -ENOENT: it is not there. */
int option_rom_driver(const char *image, char path[PATH_MAX], struct error *error);

/* Make a ROM of the driver at path, with this command in it (abi/rom_command.h). Returns an open
 * memory file, or a negative errno; error names the file. */
int option_rom_make(const char *path, const char *command, struct error *error);

#endif
