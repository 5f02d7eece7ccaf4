/* SPDX-License-Identifier: MIT */
/* Writes a PE image as an ELF file for perf, which does not read PE symbols. Main thread. */
#ifndef HOST_TOOLS_PE_PE_ELF_H
#define HOST_TOOLS_PE_PE_ELF_H

#include <libelf.h>
#include <stddef.h>

#include "host-tools/pe/pe_functions.h"
#include "lib/parse/pe_image.h"
#include "writer/util/error.h"

/*
 * Write it to fd, an empty file. Addresses and offsets in the file are RVAs, so perf computes the
 * right address from a mapping of the whole image at its base with pgoff 0. The file contains the
 * code, the functions, the build-id, and from dwarf (NULL: nothing) the sections that debuggers
 * read, whose addresses must be RVAs, too. 0 or a negative errno.
 */
int pe_elf_write(int fd, const struct pe_image *image, const struct pe_functions *functions,
                 Elf *dwarf, const uint8_t id[PE_BUILD_ID], struct error *error);

/* ELF's number of the image's machine; EM_NONE: neither x86-64 nor arm64. */
uint16_t pe_elf_machine(const struct pe_image *image);

#endif
