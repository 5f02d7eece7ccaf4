/* SPDX-License-Identifier: MIT */
/*
 * The machine's threads; <pthread.h> and <threads.h> are built on these. One thread per CPU, never
 * moved, and preempted only by interrupts. They run on the recorded CPUs (record -a, or -C); main()
 * runs on the boot CPU, CPU 0, recorded or not.
 *
 * All threads may use the C library at once: streams and malloc() are locked. errno and other state
 * of the library (strtok()'s place, rand()'s) belongs to each thread, as do thread-local variables
 * (__thread), which are initialised for each thread.
 */
#ifndef BAREPERF_THREAD_H
#define BAREPERF_THREAD_H

#ifdef __cplusplus
extern "C" {
#endif

/* For bareperf_thread_start(): any free CPU. */
#define BAREPERF_ANY_CPU (-1)

/* The number of threads that can run at once, main()'s included. At least 1. */
unsigned bareperf_cpus(void);

/* The number of this CPU. */
unsigned bareperf_cpu(void);

/* Start fn(argument) on a CPU. It runs within a millisecond, on a stack of at least 256 KiB.
 * Returns the CPU; -EBUSY: it runs a thread already, or one that has ended and was not joined (for
 * BAREPERF_ANY_CPU: no CPU is free); -ENODEV: no such CPU is recorded; -ENOMEM: no room for its
 * thread-local variables. */
int bareperf_thread_start(int cpu, int (*fn)(void *argument), void *argument);

/* Wait for the thread on this CPU. Returns 0, with fn's result in *result (may be NULL); -ESRCH: no
 * thread was started there, or another thread waits for it or has its result. exit() in a thread
 * ends the program. */
int bareperf_thread_join(int cpu, int *result);

#ifdef __cplusplus
}
#endif

#endif
