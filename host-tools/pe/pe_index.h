/* SPDX-License-Identifier: MIT */
/* The PE images and ELF files below directories. Main thread. */
#ifndef HOST_TOOLS_PE_PE_INDEX_H
#define HOST_TOOLS_PE_PE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/parse/pe_image.h"

#define PE_NAME 64U

struct pe_indexed {
	char *path;
	char name[PE_NAME];      /* of the module, by the file's own */
	size_t directory;        /* bytes of path before the file's name */
	bool is_pe;              /* else an ELF file */
	uint8_t id[PE_BUILD_ID]; /* of an image; 0: it has none */
	bool is_hashed;          /* the id */
};

struct pe_index {
	struct pe_indexed *all;
	size_t count;
};

/* Add the files below a directory, or one file; links are not followed. False: path cannot be
 * looked through, or memory is short: errno. */
bool pe_index_add(struct pe_index *index, const char *path);

void pe_index_free(struct pe_index *index);

#endif
