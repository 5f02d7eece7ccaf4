/* SPDX-License-Identifier: MIT */
#ifndef WORKLOAD_SDK_SDK_H
#define WORKLOAD_SDK_SDK_H

#include <stddef.h>

#include "workload/sdk/include/bareperf/system.h"

/* More than there are: who indexes by a CPU's number does so modulo this. */
#define SDK_MAX_CPUS 256U
#define NSEC_PER_SEC 1000000000ULL

/* The firmware's table. Set before main() and before constructors. */
extern const struct bareperf_system *sdk_system;

/* The payload's entry point. Returns only to a firmware that it cannot talk to: -ENOSYS. */
int _start(const struct bareperf_system *system);

/* ---- tls.c ---- */

struct _reent;

/* main() gets its thread-local variables and its part of the C library's. 0 or -ENOMEM. Before
 * anything that may set errno; once. */
int sdk_tls_begin(void);

/* Bytes that a thread's variables take, wherever they begin, and those variables made there: the
 * thread pointer. Any thread. */
size_t sdk_tls_room(void);
void *sdk_tls_make(void *room);

/* This CPU's thread has these from now on. */
void sdk_tls_enter(void *pointer, struct _reent *reent);

/* ---- files.c, lock.c ---- */

/* The files that were handed over are there. Before main(). */
void sdk_files_begin(void);

/* One thread at a time looks at files. */
void sdk_files_lock(void);
void sdk_files_unlock(void);

/* ---- mark.c ---- */

/* The calling thread's marks go where the firmware wants them, which learns what those of a region
 * add to it there. When the thread has its variables, before its program. */
void sdk_mark_begin(void);

/* Have it learn that again, for what is counted from now on. */
void sdk_mark_calibrate(void);

/* ---- arguments.c ---- */

/* The words that main() gets, with those of @FILE in its place: how many, or -ENOMEM, -EIO;
 * -EINVAL: a quote in one is not closed, which has been said. Once, after sdk_files_begin(). */
int sdk_arguments(int argc, char **argv, char ***words);

/* ---- syscalls.c ---- */

/* The program begins now, and ns since then: all time is the program's. */
void sdk_time_begin(void);
uint64_t sdk_time_used(void);

/* s since 1970, where the firmware knows the time. */
uint64_t sdk_now(void);

/* Bytes of the heap that malloc() does not see, or NULL. Before malloc(). */
void *sdk_heap_take(size_t size);

/* The highest end that malloc()'s heap has had; malloc()'s lock is held, or nobody else allocates.
 */
char *sdk_heap_most(void);

#endif
