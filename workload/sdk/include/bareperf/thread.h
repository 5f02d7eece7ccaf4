/* SPDX-License-Identifier: MIT */
/*
 * Threads as the machine has them; <pthread.h> and <threads.h> are made of these. One a CPU, never
 * moved, never preempted but by interrupts. They run on the CPUs that are being recorded (record
 * -a, or -C); main() runs on the boot CPU, CPU 0, recorded or not.
 *
 * The C library may be used by all threads at once: streams and malloc() are locked, errno and what
 * else it keeps for itself (strtok()'s place, rand()'s) is each thread's own, as are thread-local
 * variables (__thread), which begin anew with each thread.
 */
#ifndef BAREPERF_THREAD_H
#define BAREPERF_THREAD_H

#ifdef __cplusplus
extern "C" {
#endif

/* For bareperf_thread_start(): whichever CPU is free. */
#define BAREPERF_ANY_CPU (-1)

/* How many threads can run at once, main()'s included. At least 1. */
unsigned bareperf_cpus(void);

/* The number of this CPU. */
unsigned bareperf_cpu(void);

/* Start fn(argument) on a CPU. Within a millisecond it runs, on a stack of at least 256 KiB.
 * Returns the CPU; -EBUSY: it runs a thread already, or one that ended was not joined (of
 * BAREPERF_ANY_CPU: no CPU is free); -ENODEV: no such CPU is recorded; -ENOMEM: no room for its
 * thread-local variables. */
int bareperf_thread_start(int cpu, int (*fn)(void *argument), void *argument);

/* Wait for the thread on this CPU. 0, with what fn returned in *result (may be NULL); -ESRCH: no
 * thread was started there, or another one waits for it or has its result. exit() in a thread ends
 * the program, as anywhere. */
int bareperf_thread_join(int cpu, int *result);

#ifdef __cplusplus
}
#endif

#endif
