/* SPDX-License-Identifier: MIT */
/* Checks by the code itself whether a PE image was made of an ELF file. Main thread. */
#ifndef HOST_TOOLS_PE_PE_LAYOUT_H
#define HOST_TOOLS_PE_PE_LAYOUT_H

#include <libelf.h>
#include <stdint.h>

#include "lib/parse/pe_image.h"
#include "writer/util/error.h"

/*
 * All of the ELF file's code must be in the image's code sections, byte for byte, except for
 * relocated bytes, and on aarch64 for instructions that EDK2's GenFw rewrites (addresses made by
 * two instructions). A file without its code (objcopy --only-keep-debug) must have a section with
 * each code section's place and size, and the image's entry.
 *
 * 0: the image was made of it; *moved is added to an ELF address to get the RVA. -ESTALE: it was
 * not, error names the difference; -ENOMEM.
 */
int pe_layout_check(const struct pe_image *image, Elf *elf, int64_t *moved, struct error *error);

#endif
