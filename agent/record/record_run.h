/* SPDX-License-Identifier: MIT */
/* One run of a recording, on all its CPUs. */
#ifndef AGENT_RECORD_RECORD_RUN_H
#define AGENT_RECORD_RECORD_RUN_H

#include "agent/record/recording.h"

/* Count on all traced CPUs while the workload runs on the boot CPU, then publish the ledgers. With
 * --boot it returns when the events count, and recording_end_boot() does the rest. Returns 0, or
 * recording_fail()'s errno. Thread, interrupts masked. */
int recording_run(struct recording *r);

/* End the recording of the firmware's boot that recording_run() began. why: a message for the
 * console and the host, or NULL. Returns 0, or recording_fail()'s errno. Thread, boot services
 * available. */
int recording_end_boot(struct recording *r, const char *why);

/* Start the events of each traced CPU. Returns NULL, or the first CPU whose events could not start.
 * Call recording_stop_all() in both cases. Thread, interrupts masked. */
const struct traced_cpu *recording_start_all(struct recording *r);

/* Stop the events of each CPU that has started, and end the payload's threads. Returns when all
 * CPUs have stopped. Thread, interrupts masked. */
void recording_stop_all(struct recording *r);

#endif
