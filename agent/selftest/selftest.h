/* SPDX-License-Identifier: MIT */
/* `selftest`: what this machine can do for a profiler, found out by using it. */
#ifndef AGENT_SELFTEST_SELFTEST_H
#define AGENT_SELFTEST_SELFTEST_H

#include "command/command.h"
#include "ringbuf/region_writer.h"

/* Before the machine is taken, whatever the command: learn which boot of the machine this is, by
 * which a later self-test knows whether there was a reset. Boot services only. Thread. */
void selftest_note_boot(void);

/* Before the machine is taken: what command, a selftest, will want afterwards. Boot services only.
 * 0, or -EACCES: it asks for a reset, and the firmware keeps no note of it, so that the machine
 * would be reset for ever. Thread. */
int selftest_prepare(const struct command *command);

/*
 * Carry it out, and print what was found on the console; region's state becomes TR_COMPLETE, and
 * its exit status 1 if something is wrong, else 0. Some seconds, two minutes at the most. True: the
 * command asked for a reset, and this is the boot that it is for; nothing is complete then. Thread,
 * the machine ours, interrupts masked before and after.
 */
bool selftest_run(const struct command *command, struct trace_region *region);

/* After the machine was given back: write what was found to the boot volume. 0, or a negative errno
 * whose reason is on the console. Boot services only. Thread. */
int selftest_deliver(void);

#endif
