/* SPDX-License-Identifier: MIT */
/*
 * Counts of `stat` for regions between a program's marks (agent/record/record_regions.h). The
 * machine writes them as records into its rings when it stops; the records stay in the rings until
 * the machine's next command.
 */
#ifndef HOST_TOOLS_REPORT_STAT_STAT_REGIONS_H
#define HOST_TOOLS_REPORT_STAT_STAT_REGIONS_H

#include "writer/ledger/ledger.h"
#include "writer/region/region.h"

#define STAT_REGION_EVENTS 16U /* most events of a command */

struct stat_region {
	uint32_t cpu;
	uint64_t calls, time;                /* ns */
	uint64_t counts[STAT_REGION_EVENTS]; /* indexed by evsel */
	bool counted[STAT_REGION_EVENTS];
	char name[64];
};

struct stat_regions {
	struct stat_region *all; /* grouped by CPU, in the order of their begin */
	uint32_t count;
	uint64_t unmatched; /* marks without a matching mark, or without room */
};

/* Parse a region's text; region->cpu is not set. False: text is not a region. */
bool stat_regions_parse(struct stat_region *region, const char *text);

/* Collect the regions from the rings of a shared-memory region. 0 or -ENOMEM. */
int stat_regions_read(struct stat_regions *regions, const struct region *region,
                      const struct ledger *ledger, struct error *error);

/* Sum the regions of equal name into one; its cpu is that of the first. */
void stat_regions_sum(struct stat_regions *regions);

void stat_regions_free(struct stat_regions *regions);

#endif
