/* SPDX-License-Identifier: MIT */
/*
 * The ELF files behind the code that ran: perf is pointed at them for symbols
 * and disassembly. A file is taken only if its build-id is the image's.
 */
#ifndef WRITER_SESSION_IMAGES_H
#define WRITER_SESSION_IMAGES_H

#include <stdint.h>

#include "writer/region/region.h"
#include "writer/util/error.h"

/* Part of an image that is no code, whole pages. */
struct image_data {
	uint64_t link_address, size, file_offset;
};
#define IMAGE_DATA 4U

struct image_file {
	char *path; /* absolute path of the ELF; only the image's name if none was found */
	/* the file offset of the image's first executable byte; if no file was found its link
	 * address, which is equal in our own image */
	uint64_t file_offset;
	bool found;
	/* Its loaded data, if its file has names for data: a payload's. */
	struct image_data data[IMAGE_DATA];
	uint32_t data_count;
};

/* Places to search first; each may be NULL. */
struct image_places {
	const char *symbols; /* a file or a directory */
	const char *payload; /* the payload's file */
	const char *booted;  /* the booted image: files beside it */
};

/* The region's images by their names alone, no file found: an array for images_free() with
 * region->header.images.count entries, NULL: no memory. An images_find() of struct writer_host, for
 * a machine, which has no ELF files: places is ignored. */
struct image_file *images_named(const struct region *region, const struct image_places *places);

void images_free(struct image_file *files, uint32_t count);

#endif
