/* SPDX-License-Identifier: MIT */
#include "pmu/counter_census.h"

struct counter_census counter_census[TR_MAX_CPUS];
