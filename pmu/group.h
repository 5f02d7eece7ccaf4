/* SPDX-License-Identifier: MIT */
/*
 * A group of events, as perf's: a leader and the members that follow it in memory, on the counters
 * all together or not at all. An event in no group is a group of one.
 */
#ifndef PMU_GROUP_H
#define PMU_GROUP_H

#include "pmu/pmu.h"

/* Give every member its counter, stopped, or none: then the source's error, -EAGAIN where counters
 * are taken, and *failed is the member it was for. Interrupts masked. */
int group_claim(struct perf_event *leader, const struct perf_event **failed);

/* Give them back. As above. */
void group_give_back(struct perf_event *leader);

/* Claim, and start at now (ns) / stop, and give back. Between disable and enable of their sources;
 * interrupts masked. */
int group_sched_in(struct perf_event *leader, uint64_t now, const struct perf_event **failed);
void group_sched_out(struct perf_event *leader, uint64_t now);

#endif
