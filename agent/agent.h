/* SPDX-License-Identifier: MIT */
/*
 * The agent: it opens the trace region, carries out the command line, and then the
 * host's commands from the mailbox. All of it is thread context.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "channel/channel.h"
#include "command/command.h"
#include "lib/platform.h"

/* Lay out the trace region in the channel's memory, open it to readers, and send the console
 * and panics there. 0, or -ENOSPC if the memory is too small. Boot services only. */
int agent_open(struct channel *channel, const struct arch_platform *platform);

/* Read and parse the machine's own command line; what is wrong with it agent_accept() says. Which
 * tables of the firmware's it wants believed. Boot services only. */
enum arch_tables agent_read_command(void);

/* The size that it wants a trace region in RAM to have, bytes; 0: it does not say. After
 * memory_init(). Boot services only. */
uint64_t agent_region_size(const struct arch_platform *platform);

/* Where no host shares its memory, let whoever sits in front of the machine choose (agent/menu.h).
 * false: he wants the firmware back. After agent_open(). Boot services only. Thread. */
bool agent_choose(void);

/*
 * Take that command line (may be empty: then the agent waits for the host's). A wrong one, help and
 * version are answered here, with the firmware's services: false means that nothing is left to do.
 * After agent_open(). Thread.
 */
bool agent_accept(void);

/* Whether boot services are to stay: the machine is borrowed for that command, and given back. Else
 * they end for good. After agent_read_command(), and surely after agent_open(), which knows where
 * the region lies. Any time. */
bool agent_is_resident(void);

/* Whether they even go on while it is carried out, and what runs on them is recorded. After
 * agent_accept(). */
bool agent_is_hosted(void);

/* Whether that command is record --boot: it is carried out when the firmware has its machine back,
 * until it ends boot services. After agent_read_command(). */
bool agent_records_boot(void);

/* agent_serve() has begun that: it goes on, and has its end, without the caller. Boot services
 * only. Thread. */
void agent_go_on(void);

/* End a recording in hosted mode: the firmware gets the machine back, with its serial cards.
 * Thread. */
void agent_part(void);

/* Whether that command is about other CPUs than the boot CPU. */
bool agent_needs_other_cpus(void);

/* Load the user's own program, if there is one, and tell the host. Boot services only. */
void agent_adopt_payload(void);

/* Where no host shares its memory, somebody sits in front of the machine: say what was found, while
 * the firmware's console can be used. Thread. */
void agent_announce(void);

/* Start the clock, the timer and the heap, and publish them. Inside the story of
 * arch_take_over(). 0 or arch_clock_init()'s and arch_timer_init()'s errors. */
int agent_start(void);

/* Carry out the command that was accepted, then those in the mailbox, until one says how to end.
 * In the story of arch_take_over(), after agent_start(). */
void agent_serve(void);

/* The boot came to nothing: say what and why (a phrase, or NULL: what the negative errno means) on
 * the console and, if there is a region, to its readers, with state TR_FAILED. Thread. */
void agent_fail(const char *what, const char *why, int code);

/*
 * Resident, and the machine is given back: what is to become of the recording. Says what its books
 * say. The region's memory stays if it is to be kept; else it is nobody's from agent_close() on.
 * Boot services only. Thread.
 */
void agent_write_output(void);

/* The last command's result: 0, or a negative errno, also if it was refused. */
int agent_outcome(void);

/* Have the last command's result stay on the screen, if \bareperf.cfg had asked for it: nobody else
 * waits for it there; what the driver has refused, for who asks (agent/uefi/refusal.h). Boot
 * services only. Thread. */
void agent_linger(void);

/* Let go of the region, before its memory is freed: nothing is written there any more. Thread. */
void agent_close(void);

/* How the machine ends, as the last command says; one that says nothing leaves it as it is. */
enum machine_reset agent_end(void);

#endif
