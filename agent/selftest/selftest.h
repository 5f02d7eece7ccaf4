/* SPDX-License-Identifier: MIT */
/* The command `selftest`: tests clocks, timers, counters, rings and RAM of this machine for use by
 * a profiler. */
#ifndef AGENT_SELFTEST_SELFTEST_H
#define AGENT_SELFTEST_SELFTEST_H

#include "command/command.h"
#include "ringbuf/region_writer.h"

/* Note the machine's boot, by which a later self-test sees whether there was a reset. Call it
 * before the take-over, for each command. Boot services only. Thread. */
void selftest_note_boot(void);

/* Prepare a selftest command before the take-over. Returns 0, or -EACCES if the command asks for a
 * reset and the firmware keeps no note of it: the machine would be reset at each boot. Boot
 * services only. Thread. */
int selftest_prepare(const struct command *command);

/*
 * Run the self-test and print its results on the console. The region's state becomes TR_COMPLETE,
 * with exit status 1 if a check failed, else 0. It takes some seconds, at most two minutes. Returns
 * true, with the region not complete, if the command asks for a reset and this boot must do it.
 * Thread, after the take-over, interrupts masked before and after.
 */
bool selftest_run(const struct command *command, struct trace_region *region);

/* Write the results to the boot volume, and show the QR code, when the firmware has the machine
 * back. Returns 0, or a
 * negative errno whose reason is on the console. Boot services only. Thread. */
int selftest_write_report(void);

#endif
