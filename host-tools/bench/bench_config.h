/* SPDX-License-Identifier: MIT */
/*
 * Configuration files of events, in nanoBench's format (docs/bench.md). A line is an event and its
 * name; empty lines and lines that begin with # are skipped.
 *
 *	EvtSel.UMASK(.CMSK=N)(.AnyT)(.EDG)(.INV)(.TakenAlone)(.CTR=N)(.MSR_3F6H=N)(.MSR_PF=N)
 *	    (.MSR_RSP0=N)(.MSR_RSP1=N) Name		EvtSel and UMASK in hexadecimal
 *	EVENT Name					Arm: PMUv3's event number, in hexadecimal
 *	msr_N=VALUE(.msr_N=VALUE)* msr_N Name		-msr_config: set, then read; in hexadecimal
 */
#ifndef HOST_TOOLS_BENCH_BENCH_CONFIG_H
#define HOST_TOOLS_BENCH_BENCH_CONFIG_H

#include "lib/bench/bench.h"
#include "writer/util/error.h"

#define BENCH_NAME 100U /* characters of an event's name, with the NUL */

struct bench_event {
	char name[BENCH_NAME];
	uint32_t event, umask, cmask;
	bool any, edge, inverted;
	bool alone;  /* no other event is counted in the same run */
	int counter; /* the only counter that counts it; -1: any */
	bool is_msr; /* read is the MSR to read */
	uint32_t read;
	unsigned nr_writes;
	struct bench_write writes[BENCH_WRITES];
};

struct bench_events {
	struct bench_event *list;
	size_t count;
};

/* Add the events of a configuration's text, which may be anything, to events. is_msr: it is an
 * -msr_config; is_arm: its events are PMUv3's. file: its name, for errors. 0; -EINVAL: the error
 * names the line; -ENOMEM. */
int bench_config_parse(struct bench_events *events, const char *text, bool is_msr, bool is_arm,
                       const char *file, struct error *error);

/* The same of a file. */
int bench_config_read(struct bench_events *events, const char *file, bool is_msr, bool is_arm,
                      struct error *error);

void bench_config_free(struct bench_events *events);

/* The event as a general counter's configuration. */
uint64_t bench_config_select(const struct bench_event *event, uint32_t vendor);

#endif
