/* SPDX-License-Identifier: MIT */
#ifndef BAREPERF_CLOCK_H
#define BAREPERF_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ns since the machine was taken, on every CPU the same: the time that samples carry. */
uint64_t bareperf_clock(void);

#ifdef __cplusplus
}
#endif

#endif
