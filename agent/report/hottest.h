/* SPDX-License-Identifier: MIT */
/* Adds up the samples of a complete region. The region is checked by the same code as on the host.
 * Thread. */
#ifndef AGENT_REPORT_HOTTEST_H
#define AGENT_REPORT_HOTTEST_H

#include "agent/report/functions.h"
#include "agent/report/modules.h"
#include "writer/ledger/ledger.h"
#include "writer/region/region.h"

/* The records that the ring holds of one of the ledger's events. */
struct hottest_count {
	uint64_t samples;
	uint64_t records; /* all records that the event's ledger counts, also MMAP2 of images */
};

struct hottest {
	const struct ledger_event
	    *weighed; /* the event whose samples are added up; NULL: no event has samples */
	struct hottest_count *counts; /* for each of the ledger's events */
};

/*
 * Add up the samples of the first event that has any, by PERIOD and IP: for the function at the IP,
 * or for the image if no function has a name there. ledger: this region's. A corrupt ring is read
 * up to the corruption; a ring that a reader has emptied has no samples. Returns 0 or -ENOMEM. The
 * caller must call hottest_free() and modules_free() in each case.
 */
int hottest_weigh(struct hottest *hottest, const struct region *region, const struct ledger *ledger,
                  struct functions *functions, struct modules *modules);

void hottest_free(struct hottest *hottest);

#endif
