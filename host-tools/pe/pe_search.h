/* SPDX-License-Identifier: MIT */
/*
 * Finds the file with the functions of a PE image that ran. It searches the directories that the
 * user names, and puts the functions into perf's cache (host-tools/perfdata/buildid_cache.h) as an
 * ELF file under the image's build-id. Stock perf and our own views find it there.
 *
 * The image's file (EDK2's NAME.efi) is recognised by its identity (lib/parse/pe_image.h). The ELF
 * file that it was made of (NAME.debug, NAME.dll, NAME.so) has the same name or is in the same
 * directory, and must have the same code (host-tools/pe/pe_layout.h). Without such a file the
 * image's own symbol table is used. Without the image's file, an ELF file with the module's name is
 * used if it has the code that the identity describes (host-tools/pe/pe_of_elf.h). Main thread.
 */
#ifndef HOST_TOOLS_PE_PE_SEARCH_H
#define HOST_TOOLS_PE_PE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/perf_event.h"
#include "host-tools/pe/pe_index.h"
#include "lib/parse/pe_image.h"

#define PE_SEARCH_PLACES 16U

/* Initialise it with zeros. */
struct pe_search {
	const char *places[PE_SEARCH_PLACES];
	unsigned place_count;
	bool looked;
	struct pe_index index;
	struct pe_asked *asked; /* the earlier searches */
	size_t asked_count;
};

void pe_search_free(struct pe_search *search);

/* Add a directory, searched with all directories below it, or a file; earlier ones have priority.
 * No file is opened yet. text must stay valid. */
void pe_search_add(struct pe_search *search, const char *text);

/* Whether there is a directory or file to search; search may be NULL. */
bool pe_search_is_meant(const struct pe_search *search);

/* Put an image's functions into the cache, unless they are there. path: the image's name in the
 * recording. Returns false if there are none; the reason was printed on standard error, once per
 * image. */
bool pe_search_cache(struct pe_search *search, const uint8_t id[PE_BUILD_ID], const char *path);

/* Put the .sym file of our own image with this build-id into the cache. Returns false if there is
 * none, or after an error, which was reported. */
bool pe_search_cache_elf(struct pe_search *search, const uint8_t *id, size_t size);

/* Call pe_search_cache() for all images of a recording, so that perf finds them. 0, or a negative
 * errno: the recording cannot be read, which was reported. */
int pe_search_cache_all(struct pe_search *search, const char *recording);

/* Get an image's build-id from a record; false: it is not an MMAP2 of an image with a build-id. */
bool pe_build_id_of(const struct perf_event_header *record, uint8_t id[PE_BUILD_ID]);

/* The entry of struct argp_option for a view; its key calls pe_search_add(). */
#define PE_SEARCH_KEY 0x2000
#define PE_SEARCH_OPTION                                                  \
	{                                                                 \
		"symbols", PE_SEARCH_KEY, "DIR", 0,                       \
		    "builds of UEFI images, at all depths; repeatable", 0 \
	}

#endif
