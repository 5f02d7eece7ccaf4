/* SPDX-License-Identifier: MIT */
/*
 * The payload's threads: each traced CPU but the boot CPU takes one at a time.
 *
 *	the starting thread		the CPU
 *					payload_threads_open()		FREE
 *	payload_thread_start()	──▶	payload_threads_serve()		GIVEN, RUNNING
 *	payload_thread_join()	◀──	fn has returned			ENDED, FREE
 *					payload_threads_close()		CLOSED
 */
#ifndef AGENT_PAYLOAD_PAYLOAD_THREADS_H
#define AGENT_PAYLOAD_PAYLOAD_THREADS_H

#include <stdbool.h>

/* From open to close this CPU accepts threads. Thread of that CPU. */
void payload_threads_open(void);
void payload_threads_close(void);

/* Run the thread that this CPU was given, if there is one. Returns whether there was one. Call it
 * when the CPU wakes; its tick wakes it. Interrupts unmasked before and after. Thread. */
bool payload_threads_serve(void);

/* Returns how many CPUs accept threads. Thread. */
unsigned payload_threads_cpus(void);

/* thread_start() and thread_join() of <bareperf/system.h>. Payload's thread. */
int payload_thread_start(int cpu, int (*fn)(void *argument), void *argument);
int payload_thread_join(int cpu, int *result);

#endif
