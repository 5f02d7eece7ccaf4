/* SPDX-License-Identifier: MIT */
/*
 * A group of events, as in perf: a leader and the members that follow it in memory. Either all of
 * them are on counters, or none is. An event in no group is a group of one.
 */
#ifndef PMU_GROUP_H
#define PMU_GROUP_H

#include "pmu/pmu.h"

/* Give every member a counter, stopped. If one fails, none gets one; returns the source's error
 * (-EAGAIN: the counters are taken), and *failed is the member that failed. Interrupts masked. */
int group_claim(struct perf_event *leader, const struct perf_event **failed);

/* Give the members' counters back. Interrupts masked. */
void group_give_back(struct perf_event *leader);

/* group_sched_in(): claim the counters and start at now (ns). group_sched_out(): stop, and give
 * them back. Between disable and enable of their sources; interrupts masked. */
int group_sched_in(struct perf_event *leader, uint64_t now, const struct perf_event **failed);
void group_sched_out(struct perf_event *leader, uint64_t now);

#endif
