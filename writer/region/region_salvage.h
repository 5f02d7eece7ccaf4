/* SPDX-License-Identifier: MIT */
/* Regions in memory that has outlived a reset (docs/crash-store.md). */
#ifndef WRITER_REGION_REGION_SALVAGE_H
#define WRITER_REGION_REGION_SALVAGE_H

#include "writer/region/region.h"

#define REGION_MINOR_KEPT \
	3 /* since version 1.3 a region in RAM says how far it is to be believed */

/*
 * Of a region that was opened and loaded, whose machine was reset, and whose bytes are ours to
 * write: take back each ring's heads to where its records, and the trace that they tell of, are
 * known to have reached memory; and say in the header what that came to (salvaged). One that had
 * come to its end stays as it is, as all of it had. -ENOTSUP: its machine was an older one, and
 * nothing is changed; -EBUSY: the same of one that is running; -ENOMEM.
 */
int region_salvage(struct region *region, struct error *error);

/* Whether any ring has something that no reader has taken; whether a reader has taken anything. Of
 * a region that is loaded. */
bool region_has_unread(const struct region *region);
bool region_was_read(const struct region *region);

/* Whether its run is over, and readers have taken all of it. */
bool region_is_read_out(const struct region *region);

#endif
