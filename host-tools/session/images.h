/* SPDX-License-Identifier: MIT */
/* The images' ELF files on the host. Context: a thread. */
#ifndef HOST_TOOLS_SESSION_IMAGES_H
#define HOST_TOOLS_SESSION_IMAGES_H

#include "writer/session/images.h"

/* Find the ELF file of each of the region's images: in these places, and where this tool was built.
 * Images without a file are as in images_named(). */
struct image_file *images_find(const struct region *region, const struct image_places *places);

/* Copy the found files into perf's cache (host-tools/perfdata/buildid_cache.h). An error is
 * reported, but is not a failure. A file whose code has other offsets than its link addresses
 * (bareperf.elf without a .sym beside it) is not copied: perf would find it by its build-id for
 * recordings that a machine wrote, in which the offsets are the link addresses. */
void images_cache(const struct region *region, const struct image_file *files);

/* Directory of this executable, in a buffer of 4096 bytes; "." if the kernel does not report it. */
void tool_directory(char *directory);

#endif
