/* SPDX-License-Identifier: MIT */
/* The events of a recording and their AUX areas. */
#ifndef AGENT_RECORD_RECORD_EVENTS_H
#define AGENT_RECORD_RECORD_EVENTS_H

#include "agent/record/recording.h"

/* Fill r->specs with the command's events, or with its verb's default events, and complete their
 * attributes. Returns 0, or recording_fail()'s errno. Thread. */
int recording_choose_events(struct recording *r);

/* Returns the bytes that the samples of all events take per second, or 0 if that cannot be known.
 * Call it when the attributes are complete. Any context. */
uint64_t recording_bytes_a_second(const struct recording *r);

/* Returns whether an event with these attributes fills an AUX area. Any context. */
bool recording_fills_aux(const struct perf_event_attr *attr);

/* Set r->aux_pages, the size of each CPU's AUX area. Returns 0, or recording_fail()'s errno.
 * Thread. */
int recording_choose_aux(struct recording *r);

/* Connect event to the AUX area of its CPU's ring, which it fills. Returns 0, or recording_fail()'s
 * errno. Thread. */
int recording_open_aux(struct traced_cpu *c, struct perf_event *event);

/* Take a snapshot of the AUX area if the host has asked for one. Does nothing outside snapshot
 * mode. Timer tick. */
void recording_snapshot(struct traced_cpu *c);

#endif
