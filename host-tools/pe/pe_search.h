/* SPDX-License-Identifier: MIT */
/*
 * Finding the file with the functions of a PE image that ran. The directories that a user names are
 * searched, and the functions are put into perf's cache (host-tools/perfdata/buildid_cache.h) as an
 * ELF file under the image's build-id. Stock perf and our own views find it there.
 *
 * The image's file (EDK2's NAME.efi) is known by its identity (lib/parse/pe_image.h). The ELF file
 * that it was made of (NAME.debug, NAME.dll, NAME.so) is one of the same name, or in the same
 * directory, and must have the same code (host-tools/pe/pe_layout.h); without one the image's own
 * symbol table is taken. Without the image's file an ELF file of the module's name is taken if it
 * has the code that the identity describes (host-tools/pe/pe_of_elf.h). Main thread.
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

/* All 0 at first. */
struct pe_search {
	const char *places[PE_SEARCH_PLACES];
	unsigned place_count;
	bool looked;
	struct pe_index index;
	struct pe_asked *asked; /* the earlier searches */
	size_t asked_count;
};

void pe_search_free(struct pe_search *search);

/* Look in this directory, and all below it, or at this file, after those before it. Nothing is
 * opened yet. text must stay. */
void pe_search_add(struct pe_search *search, const char *text);

/* Whether there is a directory or file to search; search may be NULL. */
bool pe_search_is_meant(const struct pe_search *search);

/* Put an image's functions into the cache, unless they are there. path: the image's name in the
 * recording. False: there are none; the reason was reported on standard error, once for an image.
 */
bool pe_search_cache(struct pe_search *search, const uint8_t id[PE_BUILD_ID], const char *path);

/* Put the .sym file with this build-id, of our own image, into the cache. False: there is none, or
 * an error was reported. */
bool pe_search_cache_elf(struct pe_search *search, const uint8_t *id, size_t size);

/* pe_search_cache() for all images of a recording, so that perf has them. 0, or a negative errno:
 * the recording cannot be read, which was reported. */
int pe_search_cache_all(struct pe_search *search, const char *recording);

/* An image's build-id out of a record; false: it is no MMAP2 that has one, or not of an image. */
bool pe_build_id_of(const struct perf_event_header *record, uint8_t id[PE_BUILD_ID]);

/* The entry of struct argp_option for a view, whose key is for pe_search_add(). */
#define PE_SEARCH_KEY 0x2000
#define PE_SEARCH_OPTION                                                  \
	{                                                                 \
		"symbols", PE_SEARCH_KEY, "DIR", 0,                       \
		    "builds of UEFI images, at all depths; repeatable", 0 \
	}

#endif
