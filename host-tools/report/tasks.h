/* SPDX-License-Identifier: MIT */
/* The command of each thread, learned from COMM and FORK records. Thread: the thread that created
 * the tasks. */
#ifndef HOST_TOOLS_REPORT_TASKS_H
#define HOST_TOOLS_REPORT_TASKS_H

#include <stdint.h>

#include "abi/perf_event.h"

struct tasks {
	void *tids;     /* tsearch() tree: the command of each thread */
	void *commands; /* tsearch() tree: each command's text once */
};

/* Learn from a COMM or FORK record; other records are ignored. 0 or -ENOMEM. */
int tasks_add(struct tasks *tasks, const struct perf_event_header *record);

/* The thread's command; if no record named one, ":TID" like perf. Equal texts have the same
 * pointer, valid until tasks_free(). NULL: memory ran out. */
const char *tasks_command(struct tasks *tasks, uint32_t tid);

void tasks_free(struct tasks *tasks);

#endif
