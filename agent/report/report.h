/* SPDX-License-Identifier: MIT */
/*
 * A recording's summary as text: machine, command, ledger, and the hottest functions. All data come
 * from the region, so screen and file show the same.
 */
#ifndef AGENT_REPORT_REPORT_H
#define AGENT_REPORT_REPORT_H

#include "agent/report/functions.h"
#include "lib/print.h"
#include "writer/util/error.h"

#define REPORT_FUNCTIONS 10U

struct report;

/*
 * Read a complete region of size bytes, without changing it. functions: all functions with names,
 * sorted; they must stay until report_close(). Returns 0; -EPROTO: it is no region, or its tables
 * are corrupt; -ENOMEM. Thread, as all functions here.
 */
int report_open(struct report **report, const void *region, uint64_t size,
                struct functions *functions, struct error *error);

/* Print the summary. It can be called again. */
void report_print(const struct report *report, print_put_fn put, void *context);

/* Free the report. NULL is allowed. */
void report_close(struct report *report);

#endif
