/* SPDX-License-Identifier: MIT */
/*
 * Where the firmware goes on, images come and go while it is recorded: each becomes a
 * PERF_RECORD_MMAP2 in the ring of the first traced CPU, with its time. One that has gone, whose
 * memory may be anybody's, is mapped over as perf's "//anon".
 */
#ifndef AGENT_UEFI_IMAGE_RECORDS_H
#define AGENT_UEFI_IMAGE_RECORDS_H

#include "agent/record/recording.h"

/* All that are there, before the first sample, and from then on those that come and go. 0, or
 * recording_fail()'s. Boot services only. Thread. */
int image_records_begin(struct recording *r);

/* The last has been started and has gone. No effect if nothing was begun. */
void image_records_end(struct recording *r);

#endif
