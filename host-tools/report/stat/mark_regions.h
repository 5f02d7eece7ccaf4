/* SPDX-License-Identifier: MIT */
/* Turns a program's marks into regions of time. Each region is shown when it ends. Thread: the
 * thread that created the struct. */
#ifndef HOST_TOOLS_REPORT_STAT_MARK_REGIONS_H
#define HOST_TOOLS_REPORT_STAT_MARK_REGIONS_H

#include "host-tools/report/intern.h"
#include "writer/perfdata/sample.h"

struct mark_region {
	uint32_t event, cpu, name;
	uint64_t since;  /* ns */
	uint64_t length; /* ns; 0: a single moment */
};

struct mark_regions {
	/* Called for each ended region; 0, or a negative errno to stop. */
	int (*show)(void *context, const struct mark_region *region);
	void *context;
	void *texts;              /* texts.h */
	struct intern names;      /* a: const char *, by number */
	struct mark_region *open; /* regions that have begun and not ended */
	uint32_t open_count, open_room;
};

/* Add a mark of an event. 0, -ENOMEM, or the error that show() returned. */
int mark_regions_add(struct mark_regions *regions, uint32_t event, const struct sample *sample);

/* End all open regions at time last (ns). 0, -ENOMEM, or the error that show() returned. */
int mark_regions_end(struct mark_regions *regions, uint64_t last);

/* The text of a name. */
const char *mark_regions_name(const struct mark_regions *regions, uint32_t name);

void mark_regions_free(struct mark_regions *regions);

#endif
