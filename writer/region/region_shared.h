/* SPDX-License-Identifier: MIT */
/*
 * The region's bytes themselves, which the machine writes while they are read. Only
 * host-tools/region*.c and mailbox.c include this (tests/style checks it): each byte is fetched
 * once, by a load or a copy, and checked on the copy.
 */
#ifndef WRITER_REGION_REGION_SHARED_H
#define WRITER_REGION_REGION_SHARED_H

#include "writer/region/region.h"

static inline const void *region_at(const struct region *region, uint64_t offset)
{
	return (const uint8_t *)region->shared + offset;
}

static inline const struct perf_event_mmap_page *region_control(const struct region *region,
                                                                uint32_t ring)
{
	return (const struct perf_event_mmap_page *)region_at(region, region->rings[ring].control);
}

/* Offset of entry i of a checked table. */
static inline uint64_t region_entry(const struct tr_table *table, uint32_t i)
{
	return table->offset + (uint64_t)i * table->stride;
}

#endif
