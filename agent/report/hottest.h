/* SPDX-License-Identifier: MIT */
/* The samples of a complete region, weighed. The same code as on the host checks the
 * region. Thread. */
#ifndef AGENT_REPORT_HOTTEST_H
#define AGENT_REPORT_HOTTEST_H

#include "agent/report/functions.h"
#include "agent/report/modules.h"
#include "writer/ledger/ledger.h"
#include "writer/region/region.h"

/* Of one of the ledger's events, what its ring has. */
struct hottest_count {
	uint64_t samples;
	uint64_t records; /* all that the event's ledger counts, such as MMAP2 of images */
};

struct hottest {
	const struct ledger_event *weighed; /* the event of these samples; NULL: none has samples */
	struct hottest_count *counts;       /* of each of the ledger's events */
};

/*
 * Weigh the samples of the first event that has any, by their PERIODs, each at its IP: a
 * function's, or if none has a name there, the image's. ledger is this region's. A ring that makes
 * no sense is left where it does not; one that a reader has emptied has no more. 0; -ENOMEM: there
 * is no memory. hottest_free() and modules_free() are the caller's in any case.
 */
int hottest_weigh(struct hottest *hottest, const struct region *region, const struct ledger *ledger,
                  struct functions *functions, struct modules *modules);

void hottest_free(struct hottest *hottest);

#endif
