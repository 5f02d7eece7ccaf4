/* SPDX-License-Identifier: MIT */
/* libpfm4, for any CPU. Its own perf_event.h is not ours, so nothing else includes it. */
#ifndef HOST_TOOLS_EVENTS_PFM_H
#define HOST_TOOLS_EVENTS_PFM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/error.h"

/* A name's encoding for the hardware. */
struct pfm_encoding {
	uint64_t config;       /* as perf_event_attr.config for PERF_TYPE_RAW */
	uint64_t period, freq; /* from :period=N and :freq=N; 0: not said */
	bool user, kernel, hv; /* the levels that count */
};

/* Have libpfm4 encode "PMU::EVENT[:UMASK][:ATTRIBUTE=VALUE]..." ('.' will do for ':').
 * -ENOENT: it has no such event or PMU; -EINVAL: a unit mask or attribute is wrong or missing, or
 * the event needs a setting that bareperf cannot program. */
int pfm_encode(const char *name, struct pfm_encoding *encoding, struct error *error);

/* One of libpfm4's tables: those of CPU cores only. */
struct pfm_table {
	const char *pmu;
	const char *description;
	unsigned events;
};

/* The i-th table; false behind the last. */
bool pfm_table(unsigned i, struct pfm_table *table);

/* Call print for each event of a PMU, or each of its unit masks, as they are to be written, e.g.
 * BR_INST_RETIRED:NEAR_TAKEN. -ENOENT: there is no such table. */
typedef void (*pfm_print_fn)(void *context, const char *name, const char *description);
int pfm_list(const char *pmu, pfm_print_fn print, void *context, struct error *error);

#endif
