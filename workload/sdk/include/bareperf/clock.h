/* SPDX-License-Identifier: MIT */
#ifndef BAREPERF_CLOCK_H
#define BAREPERF_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ns since bareperf took over the machine, the same on every CPU: the samples' time. */
uint64_t bareperf_clock(void);

#ifdef __cplusplus
}
#endif

#endif
