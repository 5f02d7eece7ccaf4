/* SPDX-License-Identifier: MIT */
/*
 * A recording's summary as text: machine, command, ledger, the hottest functions. All data comes
 * from the region, so screen and file are equal.
 */
#ifndef AGENT_REPORT_REPORT_H
#define AGENT_REPORT_REPORT_H

#include "agent/report/functions.h"
#include "lib/print.h"
#include "writer/util/error.h"

#define REPORT_FUNCTIONS 10U

struct report;

/*
 * Look at a complete region of size bytes, of which none is changed. functions: all that has a
 * name, sorted; the caller's, and to stay until report_close(). 0; -EPROTO: it is no region, or its
 * tables make no sense; -ENOMEM. Thread, as all here.
 */
int report_open(struct report **report, const void *region, uint64_t size,
                struct functions *functions, struct error *error);

/* Print it, as often as one likes. */
void report_print(const struct report *report, print_put_fn put, void *context);

/* NULL: nothing to do. */
void report_close(struct report *report);

#endif
