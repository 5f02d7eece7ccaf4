/* SPDX-License-Identifier: MIT */
/*
 * The payload's threads: each traced CPU but the boot CPU takes one at a time.
 *
 *	who starts it			the CPU
 *					payload_threads_open()		FREE
 *	payload_thread_start()	──▶	payload_threads_serve()		GIVEN, RUNNING
 *	payload_thread_join()	◀──	fn has returned			ENDED, FREE
 *					payload_threads_close()		CLOSED
 */
#ifndef AGENT_PAYLOAD_PAYLOAD_THREADS_H
#define AGENT_PAYLOAD_PAYLOAD_THREADS_H

#include <stdbool.h>

/* From here on, and until here, this CPU takes threads. Thread of that CPU. */
void payload_threads_open(void);
void payload_threads_close(void);

/* Run the thread that this CPU was given, if there is one: whether there was. To be called when
 * the CPU wakes, which its tick sees to. Interrupts enabled before and after. Thread. */
bool payload_threads_serve(void);

/* How many CPUs take threads. */
unsigned payload_threads_cpus(void);

/* <bareperf/system.h>'s thread_start() and thread_join(). From the payload. */
int payload_thread_start(int cpu, int (*fn)(void *argument), void *argument);
int payload_thread_join(int cpu, int *result);

#endif
