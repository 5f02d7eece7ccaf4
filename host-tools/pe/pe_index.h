/* SPDX-License-Identifier: MIT */
/* An index of the PE images and ELF files below directories. Main thread. */
#ifndef HOST_TOOLS_PE_PE_INDEX_H
#define HOST_TOOLS_PE_PE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/parse/pe_image.h"

#define PE_NAME 64U

struct pe_indexed {
	char *path;
	char name[PE_NAME];      /* the module's name, which is the file's own */
	size_t directory;        /* length of the path before the file's name, bytes */
	bool is_pe;              /* false: an ELF file */
	uint8_t id[PE_BUILD_ID]; /* the identity of an image; 0: none */
	bool is_hashed;          /* the id */
};

struct pe_index {
	struct pe_indexed *all;
	size_t count;
};

/* Add the files below a directory, or one file; links are not followed. Returns false with errno if
 * path cannot be read, or without memory. */
bool pe_index_add(struct pe_index *index, const char *path);

void pe_index_free(struct pe_index *index);

#endif
