/* SPDX-License-Identifier: MIT */
/*
 * perf_event_attr.type of the event sources. Values below PERF_TYPE_MAX are perf's
 * (abi/perf_event.h). Linux assigns the others at boot; bareperf uses fixed values.
 */
#ifndef ABI_EVENT_TYPES_H
#define ABI_EVENT_TYPES_H

#include "abi/perf_event.h"

#define PERF_TYPE_ARM_PMUV3   8U /* the source's events; it also takes PERF_TYPE_RAW */
#define PERF_TYPE_ARM_SPE     9U
#define PERF_TYPE_INTEL_ATOM  10U
#define PERF_TYPE_INTEL_CORE  11U
#define PERF_TYPE_IBS_FETCH   12U
#define PERF_TYPE_IBS_OP      13U
#define PERF_TYPE_INTEL_BTS   100U
#define PERF_TYPE_BRANCH_STEP 101U

/* The source names for these types, for a reader of a recording that lacks the image: entries of
 * struct event_type_name. tests/unit/pmu/sources_test.c compares the sources with this list. */
#define EVENT_TYPE_NAMES                                                            \
	{ PERF_TYPE_SOFTWARE, "software" }, /* every Linux has it */                \
	    { PERF_TYPE_RAW, "cpu" }, { PERF_TYPE_ARM_PMUV3, "armv8_pmuv3" },       \
	    { PERF_TYPE_ARM_SPE, "arm_spe" }, { PERF_TYPE_INTEL_ATOM, "cpu_atom" }, \
	    { PERF_TYPE_INTEL_CORE, "cpu_core" }, { PERF_TYPE_INTEL_BTS, "bts" },   \
	    { PERF_TYPE_IBS_FETCH, "ibs_fetch" }, { PERF_TYPE_IBS_OP, "ibs_op" },   \
	    { PERF_TYPE_BRANCH_STEP, "branch-step" },

struct event_type_name {
	uint32_t type;
	const char *source;
};

#endif
