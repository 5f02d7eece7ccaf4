/* SPDX-License-Identifier: MIT */
/* Files that may have the symbols of PE images: PE images and ELF files, with any bytes. Main
 * thread. */
#ifndef HOST_TOOLS_PE_PE_SOURCE_H
#define HOST_TOOLS_PE_PE_SOURCE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/parse/pe_image.h"

struct pe_source {
	int fd;
	void *bytes; /* the whole file, mapped */
	size_t size;
	bool is_pe;
	struct pe_image image; /* if is_pe */
	Elf *elf;              /* else */
};

/* Open a PE32+ image, or a linked ELF file; false: it is neither. */
bool pe_source_open(struct pe_source *source, const char *path);
void pe_source_close(struct pe_source *source);

#endif
