/* SPDX-License-Identifier: MIT */
/*
 * Hosted mode: images that the firmware loads and unloads during a recording. Each one becomes a
 * PERF_RECORD_MMAP2 with its time in the ring of the first traced CPU. The memory of an unloaded
 * image may be reused, so it is mapped again as perf's "//anon".
 */
#ifndef AGENT_UEFI_IMAGE_RECORDS_H
#define AGENT_UEFI_IMAGE_RECORDS_H

#include "agent/record/recording.h"

/* Record the images that are loaded now, and from now on each one that is loaded or unloaded. Call
 * it before the first sample. Returns 0, or recording_fail()'s errno. Boot services only. Thread.
 */
int image_records_begin(struct recording *r);

/* Stop tracking images, and report them. No effect if image_records_begin() was not called. Thread.
 */
void image_records_end(struct recording *r);

#endif
