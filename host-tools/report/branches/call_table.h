/* SPDX-License-Identifier: MIT */
/* The instructions of each function's calls. Thread: the thread that created the table. */
#ifndef HOST_TOOLS_REPORT_BRANCHES_CALL_TABLE_H
#define HOST_TOOLS_REPORT_BRANCHES_CALL_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/report/branches/call_stack.h"

/* Instructions per call, of whole calls. */
struct call_range {
	uint64_t least, most, sum;
};

struct call_row {
	uint32_t function;
	uint64_t calls;          /* whole calls: begin and end are in the trace */
	uint64_t cut;            /* other calls */
	uint64_t instructions;   /* of the function itself, in all calls */
	struct call_range self;  /* the function itself */
	struct call_range total; /* with the calls that it made */
};

struct call_table {
	struct call_row *rows; /* by function; after call_table_sort() the busiest first */
	uint32_t count, room;  /* count: 1 + the highest function */
};

/* Add an ended call, as struct call_stack's left() gets it. 0 or -ENOMEM. */
int call_table_add(struct call_table *table, const struct call_frame *frame, bool is_return);

/* Drop functions without a call, and sort: the functions with most instructions of their own come
 * first. No call can be added after it. */
void call_table_sort(struct call_table *table);

void call_table_free(struct call_table *table);

#endif
