/* SPDX-License-Identifier: MIT */
/*
 * The agent: it opens the trace region and carries out the command line, then the host's commands
 * from the mailbox. All functions: thread context.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "channel/channel.h"
#include "command/command.h"
#include "lib/platform.h"

/* Lay out the trace region in the channel's memory and open it to readers. The console's text and
 * panics go there, too. Returns 0, or -ENOSPC if the memory is too small. Boot services only. */
int agent_open(struct channel *channel, const struct arch_platform *platform);

/* Read and parse the machine's own command line. agent_accept() reports its errors. Returns the
 * firmware's tables that the command chooses. Boot services only. */
enum arch_tables agent_read_command(void);

/* Returns the size in bytes that the command line gives a trace region in RAM, or 0 for the
 * default. After memory_init(). Boot services only. */
uint64_t agent_region_size(const struct arch_platform *platform);

/* If no host shares the machine's memory, let the user in front of the machine choose a command
 * (agent/menu.h). Returns false if the user goes back to the firmware. After agent_open(). Boot
 * services only. Thread. */
bool agent_choose(void);

/*
 * Check the command line, and carry out commands that need only the firmware, such as help and
 * version. Without a command line the agent waits for the host's commands. Returns false if nothing
 * is left to do. After agent_open(). Thread.
 */
bool agent_accept(void);

/* Returns whether boot services stay: the command takes the machine over for a while and gives it
 * back. Otherwise boot services end for good. Valid after agent_read_command(); final after
 * agent_open(), which knows where the region is. Any context. */
bool agent_is_resident(void);

/* Hosted mode: returns whether the firmware keeps running during the command, so that code on it is
 * recorded. After agent_accept(). */
bool agent_is_hosted(void);

/* Returns whether the command is record --boot. It begins when the machine is back with the
 * firmware, and lasts until the firmware ends boot services. After agent_read_command(). */
bool agent_records_boot(void);

/* Let the record --boot that agent_serve() has begun continue after the caller returns, up to its
 * own end. Boot services only. Thread. */
void agent_continue_boot(void);

/* End hosted mode: the firmware gets the machine and its serial cards back. Thread. */
void agent_end_hosted(void);

/* Returns whether the command uses other CPUs than the boot CPU. */
bool agent_needs_other_cpus(void);

/* Load the user's own program, if there is one, and add it to the region's images. Boot services
 * only. */
void agent_adopt_payload(void);

/* If no host shares the machine's memory, print the machine's properties for the user in front of
 * it. The firmware's console must still work. Thread. */
void agent_announce(void);

/* Start the clock, the timer and the heap, and publish them. Called inside arch_take_over().
 * Returns 0, or an errno of arch_clock_init() or arch_timer_init(). */
int agent_start(void);

/* Carry out the accepted command, then those in the mailbox, until one ends the machine. Called
 * inside arch_take_over(), after agent_start(). */
void agent_serve(void);

/* Report that the start failed, on the console and in the region (state TR_FAILED). what: the
 * failed step. why: a phrase, or NULL for the errno's meaning. Thread. */
void agent_fail(const char *what, const char *why, int code);

/*
 * In resident mode, when the firmware has the machine back: write the recording to a file and print
 * its ledgers. If the recording is to stay in RAM, so does the region's memory; otherwise
 * agent_close() ends the region. Boot services only. Thread.
 */
void agent_write_output(void);

/* Returns the last command's result: 0, or a negative errno; also for a refused command. */
int agent_outcome(void);

/* Keep the last command's result on the screen for a while if \bareperf.cfg gave the command. Note
 * what the driver refused (agent/uefi/refusal.h). Boot services only. Thread. */
void agent_linger(void);

/* Close the region before its memory is freed: nothing is written to it afterwards. Thread. */
void agent_close(void);

/* Returns how the machine ends: as the last command's --then, or MACHINE_STAY. */
enum machine_reset agent_end(void);

#endif
