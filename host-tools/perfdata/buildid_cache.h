/* SPDX-License-Identifier: MIT */
/*
 * perf's cache of the recorded programs' files, laid out as `perf buildid-cache --add` does, so
 * that perf archive, perf diff and flamegraph find a file by its build-id when another file has
 * taken its place:
 *
 *	DIR/PATH/BUILD-ID/elf				a copy of the file at PATH
 *	DIR/.build-id/xx/yyy…	-> ../../PATH/BUILD-ID	xx: the build-id's first byte
 *
 * DIR is $PERF_BUILDID_DIR, else $HOME/.debug. (perf's buildid.dir in its own configuration is not
 * read.)
 */
#ifndef HOST_TOOLS_PERFDATA_BUILDID_CACHE_H
#define HOST_TOOLS_PERFDATA_BUILDID_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/error.h"

#define BUILDID_MAX  20 /* bytes; a SHA-1 */
#define BUILDID_TEXT (2 * BUILDID_MAX + 1)

/* A build-id of at most BUILDID_MAX bytes in hexadecimal. */
void buildid_text(char text[BUILDID_TEXT], const uint8_t *id, size_t size);

/* Whether path is an ELF file with this build-id. */
bool buildid_is_of(const char *path, const uint8_t *id, size_t size);

/* Whether path has the name of what boot/symbol-file makes: functions' names alone, so that an
 * object's never stands for a sample's address, and each byte at the offset that is its link
 * address. */
bool buildid_is_symbol_file(const char *path);

/* Copy the file at path (absolute), whose build-id this is, into the cache, unless it is there. 0;
 * -ENOENT without a message if there is no place for a cache; else why it could not be. */
int buildid_cache_add(const char *path, const uint8_t *id, size_t size, struct error *error);

/* Put a file that was made for the cache there, under a name of ours ("[uefi]/x.efi") in place of a
 * path; what is there under that build-id is replaced. Else the same. */
int buildid_cache_put(const char *path, const char *name, const uint8_t *id, size_t size,
                      struct error *error);

/* The cached file with this build-id, for free(); NULL if there is none that has it. */
char *buildid_cache_find(const uint8_t *id, size_t size);

#endif
