/* SPDX-License-Identifier: MIT */
/* The image's file, which has the tables of the commands' event names. */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_IMAGE_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_IMAGE_H

#include <limits.h>
#include <stdbool.h>

#include "writer/region/region.h"

/* The places to look for an architecture's bareperf.efi, by number: near this tool, in the build
 * tree, and in the install directory. False behind the last. */
bool guest_image_place(const char *arch, unsigned i, char path[PATH_MAX]);

/* Find the file that a live machine runs, by its build-id: the named file, or one of those places.
 * The tables of region are loaded. False: not found. */
bool guest_image_of(const struct region *region, const char *named, char path[PATH_MAX]);

#endif
