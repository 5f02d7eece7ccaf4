/* SPDX-License-Identifier: MIT */
/* Adds the names of this image's functions, for a recording of it. Thread. */
#ifndef AGENT_REPORT_OWN_IMAGE_H
#define AGENT_REPORT_OWN_IMAGE_H

#include "agent/report/functions.h"

/* Add this image's functions for each image of a complete region that has the same build-id, at the
 * address where it was loaded. Without memory for all names, some are left out. */
void own_image_add(struct functions *functions, const void *region, uint64_t size);

#endif
