/* SPDX-License-Identifier: MIT */
/* The image's file, which says what its commands may be. */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_IMAGE_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_IMAGE_H

#include <limits.h>
#include <stdbool.h>

#include "writer/region/region.h"

/* The places where an architecture's bareperf.efi is looked for, by number: near this tool, where
 * it was built, and where it is installed. False behind the last. */
bool guest_image_place(const char *arch, unsigned i, char path[PATH_MAX]);

/* The file that a live machine runs, by its build-id: the one that is named, or one of those
 * places. The tables of region are loaded. False: it is not here. */
bool guest_image_of(const struct region *region, const char *named, char path[PATH_MAX]);

#endif
