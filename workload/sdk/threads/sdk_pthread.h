/* SPDX-License-Identifier: MIT */
/* What <pthread.h>'s files and <threads.h>'s know of each other. */
#ifndef WORKLOAD_SDK_THREADS_SDK_PTHREAD_H
#define WORKLOAD_SDK_THREADS_SDK_PTHREAD_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define SDK_KEYS           128U /* POSIX's least PTHREAD_KEYS_MAX */
#define SDK_KEY_ITERATIONS 4    /* and its PTHREAD_DESTRUCTOR_ITERATIONS */

/* Thread-specific values of the thread that ends go to their keys' destructors. */
void sdk_keys_destroy(void);

/* The handle's thread, or NULL. With sdk_threads_lock(). */
struct sdk_thread *sdk_pthread_find(pthread_t handle);

/* A time of this clock as sync.h's deadline. 0, or EINVAL: no time, or no such clock. */
int sdk_deadline(clockid_t clock, const struct timespec *time, uint64_t *deadline);

#endif
