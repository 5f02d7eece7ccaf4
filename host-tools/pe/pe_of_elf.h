/* SPDX-License-Identifier: MIT */
/* An ELF file that a PE image was made of, used if the image itself is not available. Main thread.
 * */
#ifndef HOST_TOOLS_PE_PE_OF_ELF_H
#define HOST_TOOLS_PE_PE_OF_ELF_H

#include <libelf.h>
#include <stdbool.h>

#include "lib/parse/pe_image.h"

/* Whether an image with this identity (a hash of pe_build_id()) was made of it, so that its
 * addresses are the image's RVAs: by its entry, and by its code and the code's places. The file
 * must contain its code. */
bool pe_of_elf_is(Elf *elf, const uint8_t id[PE_BUILD_ID]);

/* Make the parts of the image that the ELF file has: machine, entry, and the code sections, mapped.
 * The caller frees *bytes. Returns false if the file cannot be an image, or without memory. */
bool pe_of_elf_make(struct pe_image *image, void **bytes, Elf *elf);

#endif
