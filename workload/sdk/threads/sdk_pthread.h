/* SPDX-License-Identifier: MIT */
/* Declarations shared by the files for <pthread.h> and <threads.h>. */
#ifndef WORKLOAD_SDK_THREADS_SDK_PTHREAD_H
#define WORKLOAD_SDK_THREADS_SDK_PTHREAD_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define SDK_KEYS           128U /* POSIX's least PTHREAD_KEYS_MAX */
#define SDK_KEY_ITERATIONS 4    /* and its PTHREAD_DESTRUCTOR_ITERATIONS */

/* Pass the ending thread's specific values to their keys' destructors. */
void sdk_keys_destroy(void);

/* The handle's thread, or NULL. With sdk_threads_lock(). */
struct sdk_thread *sdk_pthread_find(pthread_t handle);

/* Convert a time of this clock to sync.h's deadline. Returns 0, or EINVAL: not a valid time, or no
 * such clock. */
int sdk_deadline(clockid_t clock, const struct timespec *time, uint64_t *deadline);

#endif
