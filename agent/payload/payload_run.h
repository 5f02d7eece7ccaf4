/* SPDX-License-Identifier: MIT */
/*
 * Code that is traced, between its start and its end, whatever that is: it returns, it exits, it
 * crashes, or it is ended because another part of it crashed or the recording is over. At most
 * one a CPU.
 */
#ifndef AGENT_PAYLOAD_PAYLOAD_RUN_H
#define AGENT_PAYLOAD_PAYLOAD_RUN_H

#include "arch/arch.h"
#include "lib/panic.h"

enum payload_end {
	PAYLOAD_RETURNED = 0,
	PAYLOAD_EXITED,  /* exit(), abort() */
	PAYLOAD_CRASHED, /* an exception, reported on the console */
	PAYLOAD_ENDED,   /* payload_end_all() */
};

/* From now on what payload_run() runs may exit() and may fault. Thread, once. */
void payload_run_init(void);

/* What ended all that ran is over: payload_run() may be called again. Thread. */
void payload_allow(void);

/* Forget the last run's crash. Before the first payload_run() of a run, on one CPU. Thread. */
void payload_begin(void);

/* Call entry(argument) and return what it returned, or what it gave exit() (*end says which), or
 * -EFAULT, -EINTR. Not nested. As arch_call_payload()'s function. */
int payload_run(int (*entry)(void *argument), void *argument, enum payload_end *end);

/* End what payload_run() runs on this CPU; it returns status. From there. */
_Noreturn void payload_leave(int status, enum payload_end end);

/* End the payload, main() and all other threads; main()'s payload_run() returns status, as of
 * exit(). From what runs on any CPU. */
_Noreturn void payload_end_program(int status);

/* Have all that runs ended: at its next call to us, or when a signal (arch_cpu_signal()) or a tick
 * finds it in the payload's own code, or a built-in workload's. Any context. */
void payload_end_all(void);
bool payload_is_ending(void);

/* A signal's handler, or a timer's: end what was interrupted if it is to end and may be. NMI, IRQ.
 */
void payload_interrupted(const struct arch_regs *regs);

/* Leave if all is to end. From what payload_run() runs, holding nothing. */
void payload_leave_if_ending(void);

/* The message of the first crash of this run, or NULL. Thread. */
const char *payload_crash_message(void);

/* Where that was. Thread. */
const struct tr_backtrace *payload_crash_backtrace(void);

#endif
