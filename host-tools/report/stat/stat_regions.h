/* SPDX-License-Identifier: MIT */
/*
 * The counts of `stat` between a program's marks (agent/record/record_regions.h). The machine
 * writes them as records after its stop; they stay in their rings until its next command.
 */
#ifndef HOST_TOOLS_REPORT_STAT_STAT_REGIONS_H
#define HOST_TOOLS_REPORT_STAT_STAT_REGIONS_H

#include "writer/ledger/ledger.h"
#include "writer/region/region.h"

#define STAT_REGION_EVENTS 16U /* that a command may have */

struct stat_region {
	uint32_t cpu;
	uint64_t calls, time;                /* ns */
	uint64_t counts[STAT_REGION_EVENTS]; /* by evsel */
	bool counted[STAT_REGION_EVENTS];
	char name[64];
};

struct stat_regions {
	struct stat_region *all; /* a CPU's behind one another, as they began */
	uint32_t count;
	uint64_t unmatched; /* marks whose other end was missing, or that found no room */
};

/* Take one such text apart, its CPU aside. False: it is none. */
bool stat_regions_parse(struct stat_region *region, const char *text);

/* Collect what a region's rings have. 0 or -ENOMEM. */
int stat_regions_read(struct stat_regions *regions, const struct region *region,
                      const struct ledger *ledger, struct error *error);

/* Those of one name become one, cpu that of the first. */
void stat_regions_sum(struct stat_regions *regions);

void stat_regions_free(struct stat_regions *regions);

#endif
