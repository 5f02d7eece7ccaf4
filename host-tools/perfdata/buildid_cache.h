/* SPDX-License-Identifier: MIT */
/*
 * perf's cache of the recorded programs' files, with the layout of `perf buildid-cache --add`. perf
 * archive, perf diff and flamegraph find a file by its build-id even if another file has its path
 * now.
 *
 *     DIR/PATH/BUILD-ID/elf          a copy of the file at PATH
 *     DIR/.build-id/xx/yyy…          -> ../../PATH/BUILD-ID
 *
 * xx is the build-id's first byte. DIR is $PERF_BUILDID_DIR, else $HOME/.debug. (buildid.dir in
 * perf's own configuration is not read.)
 */
#ifndef HOST_TOOLS_PERFDATA_BUILDID_CACHE_H
#define HOST_TOOLS_PERFDATA_BUILDID_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/error.h"

#define BUILDID_MAX  20 /* size of a SHA-1, bytes */
#define BUILDID_TEXT (2 * BUILDID_MAX + 1)

/* Write a build-id of at most BUILDID_MAX bytes in hexadecimal. */
void buildid_text(char text[BUILDID_TEXT], const uint8_t *id, size_t size);

/* Whether path is an ELF file with this build-id. */
bool buildid_is_of(const char *path, const uint8_t *id, size_t size);

/* Whether path has the name of a file that boot/symbol-file makes: it contains only functions'
 * names, so that no data object's name is shown for a sample's address, and each byte's offset is
 * its link address. */
bool buildid_is_symbol_file(const char *path);

/* Copy the file at path (absolute), which has this build-id, into the cache, unless it is there. 0;
 * -ENOENT without a message if there is no place for a cache; otherwise the error's reason. */
int buildid_cache_add(const char *path, const uint8_t *id, size_t size, struct error *error);

/* Put a file that was made for the cache there, under a name of ours ("[uefi]/x.efi") instead of a
 * path; a cached file with that build-id is replaced. Otherwise the same. */
int buildid_cache_put(const char *path, const char *name, const uint8_t *id, size_t size,
                      struct error *error);

/* The path of the cached file with this build-id; the caller frees it. NULL: there is none. */
char *buildid_cache_find(const uint8_t *id, size_t size);

#endif
