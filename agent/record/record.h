/* SPDX-License-Identifier: MIT */
/* One recording: it opens events and rings, and runs the workload between start and stop. */
#ifndef AGENT_RECORD_RECORD_H
#define AGENT_RECORD_RECORD_H

#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/*
 * Carry out `record` or `stat` (which takes no samples). It opens the events on each chosen CPU,
 * makes a ring for each CPU, and runs the workload while the events count. Rings and ledgers are
 * complete in region afterwards. channel: the channel that holds region and wakes the readers.
 * text: the command line as the user gave it.
 *
 * Returns 0 with state TR_COMPLETE, or a negative errno with state TR_FAILED and a message: nothing
 * was started, or the workload failed. Thread, after the machine was taken over, interrupts masked
 * before and after.
 */
int record_run(const struct command *command, const char *text, struct trace_region *region,
               struct channel *channel);

/* Check whether record_run() would find enough room and the hardware for its events. The firmware
 * keeps running. *seconds: how long the ring can hold the samples; 0: unknown. Returns 0, or a
 * negative errno with state TR_FAILED and a message. Thread, hosted mode. */
int record_check(const struct command *command, struct trace_region *region,
                 struct channel *channel, uint64_t *seconds);

/* End the recording of a boot: with --boot, record_run() returns while the firmware is still being
 * recorded. why: a message for the console and the host, or NULL. Returns as record_run(). Thread,
 * boot services available. */
int record_end_boot(const char *why);

/* Resume or pause all events, for record() of <bareperf/system.h>. Returns 0, -ENODEV without a
 * recording, -EOPNOTSUPP with an AUX area, or -ETIMEDOUT if a CPU did not react. Payload's thread.
 */
int record_switch(bool on);

/* Fill in the calling CPU's identity and model. Thread. */
void record_describe_cpu(struct tr_cpu *entry);

/* End the live recording, if there is one, and spin for ever. arch_forced_stop() calls it on the
 * boot CPU. */
void record_stop_by_force(void);

/* Publish the ledgers of the live recording, if there is one, and the panic's backtrace. Panic
 * only. */
void record_publish(void);

#endif
