/* SPDX-License-Identifier: MIT */
#ifndef AGENT_PAYLOAD_PAYLOAD_CALLS_H
#define AGENT_PAYLOAD_PAYLOAD_CALLS_H

#include "workload/sdk/include/bareperf/system.h"

/* What becomes of the payload's marks: its calls cost it nothing where nobody wants them. */
enum payload_marks { MARKS_UNWANTED, MARKS_RECORDED, MARKS_COUNTED };

/* What the next payload_calls_fill() offers. Thread. */
void payload_calls_mark(enum payload_marks marks);

/* Enter the calls that the payload may make, and what they know of the machine. Thread. */
void payload_calls_fill(struct bareperf_system *system);

#endif
