/* SPDX-License-Identifier: MIT */
/* Whether a PE image was made of an ELF file: by the code itself. Main thread. */
#ifndef HOST_TOOLS_PE_PE_LAYOUT_H
#define HOST_TOOLS_PE_PE_LAYOUT_H

#include <libelf.h>
#include <stdint.h>

#include "lib/parse/pe_image.h"
#include "writer/util/error.h"

/*
 * All of the ELF file's code must be in the image's code sections, byte for byte, but for what
 * relocations change, and on aarch64 for what EDK2's GenFw does to addresses that are made of two
 * instructions. A file without its code (objcopy --only-keep-debug) must have a section of each
 * code section's place and size, and the image's entry.
 *
 * 0: it was, and *moved is what an RVA has more than an address of the ELF file's. -ESTALE: it was
 * not, error says what differs; -ENOMEM.
 */
int pe_layout_check(const struct pe_image *image, Elf *elf, int64_t *moved, struct error *error);

#endif
