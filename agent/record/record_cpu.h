/* SPDX-License-Identifier: MIT */
/* One traced CPU: its start and its stop. */
#ifndef AGENT_RECORD_RECORD_CPU_H
#define AGENT_RECORD_RECORD_CPU_H

#include "agent/record/recording.h"

/* Clear the counts of the last run from each CPU's directory entry. Call it before each run.
 * Thread. */
void recording_forget_last(const struct trace_region *region);

/* Measure the offset of the CPU's clock from the boot CPU's, once per boot, before the CPU is first
 * traced. Returns 0, or clock_sync_measure()'s errno. Thread of the boot CPU. */
int recording_synchronise(struct traced_cpu *c);

/* Start the events and the tick of the calling CPU. c->code is 0, or the errno of the event that
 * could not start. Thread, interrupts masked. */
void recording_start_cpu(struct traced_cpu *c);

/* Stop the events and the tick of the calling CPU, and publish its ledgers. Thread, interrupts
 * masked. */
void recording_stop_cpu(struct traced_cpu *c);

/* Trace the calling CPU, which is not the boot CPU, until the recording stops. arg is its struct
 * traced_cpu. For arch_cpu_run(). */
void recording_trace_cpu(void *arg);

#endif
