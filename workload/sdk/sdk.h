/* SPDX-License-Identifier: MIT */
#ifndef WORKLOAD_SDK_SDK_H
#define WORKLOAD_SDK_SDK_H

#include "workload/sdk/include/bareperf/system.h"

/* The firmware's table. Set before main() and before constructors. */
extern const struct bareperf_system *sdk_system;

/* The payload's entry point. Returns only to a firmware that it cannot talk to: -ENOSYS. */
int _start(const struct bareperf_system *system);

#endif
