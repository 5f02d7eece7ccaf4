/* SPDX-License-Identifier: MIT */
/* An ELF file that a PE image was made of, where the image itself is not to be had. Main thread. */
#ifndef HOST_TOOLS_PE_PE_OF_ELF_H
#define HOST_TOOLS_PE_PE_OF_ELF_H

#include <libelf.h>
#include <stdbool.h>

#include "lib/parse/pe_image.h"

/* Whether an image with this identity (pe_build_id()'s, of a hash) was made of it, its addresses
 * being the image's RVAs: by its entry, and by its code at its places, which it must have. */
bool pe_of_elf_is(Elf *elf, const uint8_t id[PE_BUILD_ID]);

/* As much of the image as the ELF file has: the machine, the entry, and the code sections, mapped.
 * It is to be freed by free(*bytes). False: the file makes no sense as one, or memory is short. */
bool pe_of_elf_make(struct pe_image *image, void **bytes, Elf *elf);

#endif
