/* SPDX-License-Identifier: MIT */
/* The names of this image's functions, for a recording of it. Thread. */
#ifndef AGENT_REPORT_OWN_IMAGE_H
#define AGENT_REPORT_OWN_IMAGE_H

#include "agent/report/functions.h"

/* Take in the functions of each image of a complete region of size bytes that is this one, by its
 * build-id, wherever it lay. Without memory for all names those that are there will do. */
void own_image_add(struct functions *functions, const void *region, uint64_t size);

#endif
