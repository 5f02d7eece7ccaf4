/* SPDX-License-Identifier: MIT */
/* What <pthread.h>'s files and <threads.h>'s know of each other. */
#ifndef WORKLOAD_SDK_SDK_PTHREAD_H
#define WORKLOAD_SDK_SDK_PTHREAD_H

#include <stdint.h>
#include <time.h>

/* Thread-specific values of the thread that ends go to their keys' destructors. */
void sdk_keys_destroy(void);

/* A time of this clock as sync.h's deadline. 0, or EINVAL: no time, or no such clock. */
int sdk_deadline(clockid_t clock, const struct timespec *time, uint64_t *deadline);

#endif
