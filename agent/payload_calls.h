/* SPDX-License-Identifier: MIT */
#ifndef AGENT_PAYLOAD_CALLS_H
#define AGENT_PAYLOAD_CALLS_H

#include "workload/sdk/include/bareperf/system.h"

/* Enter the calls that the payload may make, and what they know of the machine. Thread. */
void payload_calls_fill(struct bareperf_system *system);

#endif
