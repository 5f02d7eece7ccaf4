/* SPDX-License-Identifier: MIT */
/* One recording: events opened, rings made, the workload run between start and stop. */
#ifndef AGENT_RECORD_RECORD_H
#define AGENT_RECORD_RECORD_H

#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/*
 * Carry out `record`, or `stat`, which has no samples: open the events on every chosen CPU, make a
 * ring for each, let them run while the workload runs, and leave rings and ledgers complete in
 * region; channel is where that lies, and wakes the readers. text is the command line as it was
 * given. Returns 0 (state is TR_COMPLETE), or a negative errno with state TR_FAILED and a message;
 * then nothing was started, or the workload failed. Thread, the machine ours, interrupts masked
 * before and after.
 */
int record_run(const struct command *command, const char *text, struct trace_region *region,
               struct channel *channel);

/* Whether record_run() would find room and the hardware of its events, beside the firmware, which
 * goes on. *seconds: for how long its ring takes its samples; 0: there is no saying. 0, or a
 * negative errno with state TR_FAILED and a message. Thread, hosted. */
int record_check(const struct command *command, struct trace_region *region,
                 struct channel *channel, uint64_t *seconds);

/* With --boot record_run() has returned with the firmware being recorded: end that, as record_run()
 * does otherwise. why: what there is to say of it, or NULL. Boot services only. Thread. */
int record_end_boot(const char *why);

/* <bareperf/system.h>'s record(): have all events go on, or pause. From the payload. */
int record_switch(bool on);

/* What the calling CPU says of itself. Thread. */
void record_describe_cpu(struct tr_cpu *entry);

/* End the recording that is under way, if there is one, and spin for ever. arch_forced_stop()'s
 * function, on the boot CPU. */
void record_stop_by_force(void);

/* Publish the ledgers of a recording that is under way, if there is one, and where the panic is.
 * Panics only. */
void record_publish(void);

#endif
