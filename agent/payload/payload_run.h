/* SPDX-License-Identifier: MIT */
/*
 * Runs the traced code, at most one on each CPU, up to its end: it returns, exits or crashes; or it
 * is ended because another thread crashed or the recording is over.
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

/* Let code under payload_run() exit() and fault. Call it once. Thread. */
void payload_run_init(void);

/* Allow payload_run() again after payload_end_all(). Thread. */
void payload_allow(void);

/* Forget the last run's crash. Before the first payload_run() of a run, on one CPU. Thread. */
void payload_begin(void);

/* Call entry(argument). Returns its result, the argument of exit(), -EFAULT after a crash, or
 * -EINTR if it was ended; *end says which. Not nested. For arch_call_payload(). */
int payload_run(int (*entry)(void *argument), void *argument, enum payload_end *end);

/* End the code that payload_run() runs on this CPU: payload_run() returns status. Called from that
 * code. */
_Noreturn void payload_leave(int status, enum payload_end end);

/* End the payload with all its threads: main()'s payload_run() returns status, as after exit().
 * Called from the payload on any CPU. */
_Noreturn void payload_end_program(int status);

/* End all code under payload_run(): at its next call to bareperf, or when a signal
 * (arch_cpu_signal()) or a tick interrupts it in the payload's own code or a built-in workload's.
 * Any context. */
void payload_end_all(void);
bool payload_is_ending(void);

/* Called by a signal's or a timer's handler: end the interrupted code if payload_end_all() was
 * called and it may be ended here. NMI, IRQ. */
void payload_interrupted(const struct arch_regs *regs);

/* Leave if payload_end_all() was called. Called from code under payload_run() that holds no lock.
 */
void payload_leave_if_ending(void);

/* Returns the message of this run's first crash, or NULL. Thread. */
const char *payload_crash_message(void);

/* Returns the backtrace of that crash. Thread. */
const struct tr_backtrace *payload_crash_backtrace(void);

#endif
