/* SPDX-License-Identifier: MIT */
#ifndef WORKLOAD_SDK_SDK_H
#define WORKLOAD_SDK_SDK_H

#include <stddef.h>

#include "workload/sdk/include/bareperf/system.h"

/* At least the number of CPUs: tables are indexed by a CPU's number modulo this. */
#define SDK_MAX_CPUS 256U
#define NSEC_PER_SEC 1000000000ULL

/* The firmware's table. Set before main() and before constructors. */
extern const struct bareperf_system *sdk_system;

/* The payload's entry point. Returns only to a firmware with another version of the table:
 * -ENOSYS. */
int _start(const struct bareperf_system *system);

/* ---- tls.c ---- */

struct _reent;

/* Give main() its thread-local variables and its C library state. Returns 0 or -ENOMEM. Call it
 * once, before anything that may set errno. */
int sdk_tls_begin(void);

/* The bytes of memory for one thread's variables, enough for memory of any alignment. */
size_t sdk_tls_room(void);

/* Make a thread's variables in such memory. Returns the thread pointer. Any thread. */
void *sdk_tls_make(void *room);

/* From now on the calling CPU uses this thread's variables and C library state. */
void sdk_tls_enter(void *pointer, struct _reent *reent);

/* ---- files.c, lock.c ---- */

/* Provide the files that were handed over. Before main(). */
void sdk_files_begin(void);

/* Lock and unlock the files, for one thread at a time. */
void sdk_files_lock(void);
void sdk_files_unlock(void);

/* ---- mark.c ---- */

/* Find the recorder of the calling thread's marks, and measure the cost of a region's marks for the
 * firmware. After the thread has its variables, before its program. */
void sdk_mark_begin(void);

/* Measure that cost again, for events counted from now on. */
void sdk_mark_calibrate(void);

/* ---- arguments.c ---- */

/* Make the words for main(), with @FILE replaced. Returns their number; -ENOMEM, -EIO; -EINVAL: a
 * quote is not closed, which was reported. Once, after sdk_files_begin(). */
int sdk_arguments(int argc, char **argv, char ***words);

/* ---- syscalls.c ---- */

/* Note the time of the program's start. */
void sdk_time_begin(void);

/* ns since the program's start. It is also the program's CPU time, since no other program runs. */
uint64_t sdk_time_used(void);

/* s since 1970, if the firmware knows the time. */
uint64_t sdk_now(void);

/* Take bytes from the heap that malloc() will not use, or NULL. Before malloc(). */
void *sdk_heap_take(size_t size);

/* The highest end that malloc()'s heap has had. With malloc()'s lock held, or while no other thread
 * allocates. */
char *sdk_heap_most(void);

#endif
