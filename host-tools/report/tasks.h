/* SPDX-License-Identifier: MIT */
/* Which command a thread runs, as COMM and FORK records tell. Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_TASKS_H
#define HOST_TOOLS_REPORT_TASKS_H

#include <stdint.h>

#include "abi/perf_event.h"

struct tasks {
	void *tids;     /* a tree, by tsearch(), of what each thread runs */
	void *commands; /* another one, of each text once */
};

/* Learn from a record; others than COMM and FORK are ignored. 0 or -ENOMEM. */
int tasks_add(struct tasks *tasks, const struct perf_event_header *record);

/* The thread's command, the same pointer for the same text; perf's ":TID" where nobody told. NULL:
 * no memory. Valid until tasks_free(). */
const char *tasks_command(struct tasks *tasks, uint32_t tid);

void tasks_free(struct tasks *tasks);

#endif
