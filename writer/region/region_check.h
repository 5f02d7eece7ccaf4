/* SPDX-License-Identifier: MIT */
/*
 * The checks behind region.h. Each gets private copies, returns 0 or -EPROTO, and names the offset
 * within the region and the reason.
 */
#ifndef WRITER_REGION_REGION_CHECK_H
#define WRITER_REGION_REGION_CHECK_H

#include "writer/region/region.h"

/* The fixed part of the header: version, sizes, address. available: bytes from the header on. */
int region_check_header(const struct tr_header *header, uint64_t available, struct error *error);

/* Whether the header is intact, not a mixture of several headers in memory that was reused. For a
 * header that was found by a search. Older firmware's header has no seal, and passes. */
int region_check_seal(const struct tr_header *header, struct error *error);

/* One table: aligned, inside the region, strides large enough, not over max entries. */
int region_check_table(const struct tr_header *header, const struct tr_table *table,
                       const char *name, size_t entry_size, uint32_t max, struct error *error);

/* All tables of a header. */
int region_check_tables(const struct tr_header *header, struct error *error);

/* The entries of the loaded tables. */
int region_check_cpus(const struct region *region, struct error *error);
int region_check_events(const struct region *region, struct error *error);
int region_check_images(const struct region *region, struct error *error);
int region_check_rings(const struct region *region, struct error *error);

#endif
