/* SPDX-License-Identifier: MIT */
/* The samples of a complete region, weighed. What is in the region is as little believed as on the
 * host, by the same code. Thread. */
#ifndef AGENT_REPORT_HOTTEST_H
#define AGENT_REPORT_HOTTEST_H

#include "agent/report/functions.h"
#include "writer/ledger/ledger.h"
#include "writer/region/region.h"

/*
 * Weigh the samples of the first event that has any, by their PERIODs, each at its IP. ledger is
 * this region's. The event; NULL: none has samples. A ring that makes no sense is left where it
 * does not; one that a reader has emptied has no more. -ENOMEM in *error: there is no memory.
 */
const struct ledger_event *hottest_weigh(const struct region *region, const struct ledger *ledger,
                                         struct functions *functions, int *error);

#endif
