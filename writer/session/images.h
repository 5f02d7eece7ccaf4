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
	uint64_t file_offset; /* in the ELF, of the image's first executable byte; where none was
	                       * found its link address, which is the same in our own image's */
	bool found;
	/* Its loaded data, if its file has names for data: a payload's. */
	struct image_data data[IMAGE_DATA];
	uint32_t data_count;
};

/* Where to look first; each may be NULL. */
struct image_places {
	const char *symbols; /* a file or a directory */
	const char *payload; /* the payload's file */
	const char *booted;  /* the image that was booted: beside it */
};

/* The region's images by their names alone, none found: an array for images_free() with
 * region->header.images.count entries, NULL: no memory. The machine's own view. */
struct image_file *images_named(const struct region *region);

/* Find the ELF of each of the region's images: in these places, and where this tool was built.
 * The rest as images_named(). A seam: a machine, which has no files, finds none. */
struct image_file *images_find(const struct region *region, const struct image_places *places);

/* Copy those that were found into perf's cache (host-tools/perfdata/buildid_cache.h); one that
 * cannot be is told, and no failure. Left out is a file whose code lies at other offsets than its
 * link addresses (bareperf.elf, where no .sym beside it was made): under that build-id perf would
 * take it for files that a machine wrote as well, whose offsets are those. */
void images_cache(const struct region *region, const struct image_file *files);

void images_free(struct image_file *files, uint32_t count);

/* Directory of this executable, in a buffer of 4096 bytes; "." if the kernel does not say. */
void tool_directory(char *directory);

#endif
