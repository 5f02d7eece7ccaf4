/* SPDX-License-Identifier: MIT */
#ifndef AGENT_PAYLOAD_PAYLOAD_CALLS_H
#define AGENT_PAYLOAD_PAYLOAD_CALLS_H

#include "workload/sdk/include/bareperf/system.h"

/* The use of the payload's marks. If they are unwanted, the program gets no functions for them, so
 * that marks cost nothing. */
enum payload_marks { MARKS_UNWANTED, MARKS_RECORDED, MARKS_COUNTED };

/* Set the use of marks for the next payload_calls_fill(). Thread. */
void payload_calls_mark(enum payload_marks marks);

/* Fill in the functions that the payload may call, and the machine's properties. Thread. */
void payload_calls_fill(struct bareperf_system *system);

#endif
