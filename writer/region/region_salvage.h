/* SPDX-License-Identifier: MIT */
/* Regions in memory that has outlived a reset (docs/crash-store.md). */
#ifndef WRITER_REGION_REGION_SALVAGE_H
#define WRITER_REGION_REGION_SALVAGE_H

#include "writer/region/region.h"

#define REGION_MINOR_KEPT \
	3 /* since version 1.3 a region in RAM has the positions that reached memory */

/*
 * Repair a region that was opened and loaded, whose machine was reset, and whose bytes we may
 * write. Move each ring's heads back to the end of the records and of their trace that are known to
 * have reached memory, and note the result in the header (salvaged). A completed run is not
 * changed: all of it has reached memory. -ENOTSUP: older firmware wrote the region, which is not
 * changed; -EBUSY: the machine runs, and the region is not changed; -ENOMEM.
 */
int region_salvage(struct region *region, struct error *error);

/* Whether any ring has unread records; whether a reader has read any. The region is loaded. */
bool region_has_unread(const struct region *region);
bool region_was_read(const struct region *region);

/* Whether its run is over, and readers have read all of it. */
bool region_is_read_out(const struct region *region);

#endif
