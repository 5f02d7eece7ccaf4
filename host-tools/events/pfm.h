/* SPDX-License-Identifier: MIT */
/* libpfm4 for any CPU. Its own perf_event.h conflicts with ours, so no other file includes it. */
#ifndef HOST_TOOLS_EVENTS_PFM_H
#define HOST_TOOLS_EVENTS_PFM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/error.h"

/* A name's encoding for the hardware. */
struct pfm_encoding {
	uint64_t config;       /* perf_event_attr.config for PERF_TYPE_RAW */
	uint64_t period, freq; /* from :period=N and :freq=N; 0: not given */
	bool user, kernel, hv; /* the levels that count */
};

/* Encode "PMU::EVENT[:UMASK][:ATTRIBUTE=VALUE]..." with libpfm4 ('.' may replace ':'). -ENOENT: it
 * has no such event or PMU; -EINVAL: a unit mask or attribute is wrong or missing, or the event
 * needs a setting that bareperf cannot program. */
int pfm_encode(const char *name, struct pfm_encoding *encoding, struct error *error);

/* One of libpfm4's tables: those of CPU cores only. */
struct pfm_table {
	const char *pmu;
	const char *description;
	unsigned events;
};

/* Get the i-th table. Returns false after the last. */
bool pfm_table(unsigned i, struct pfm_table *table);

/* Calls print for each event of a PMU, or each of its unit masks, in the form in which a user
 * writes it, for example BR_INST_RETIRED:NEAR_TAKEN. -ENOENT: there is no such table. */
typedef void (*pfm_print_fn)(void *context, const char *name, const char *description);
int pfm_list(const char *pmu, pfm_print_fn print, void *context, struct error *error);

#endif
