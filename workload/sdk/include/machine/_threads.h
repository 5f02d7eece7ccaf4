/* SPDX-License-Identifier: MIT */
/* The machine's part of newlib's <threads.h>: the types of C11's 7.26, which are words like
 * <pthread.h>'s. */
#ifndef _MACHINE__THREADS_H_
#define _MACHINE__THREADS_H_

#include <sys/cdefs.h>
#include <sys/types.h>

typedef pthread_cond_t cnd_t;
typedef pthread_mutex_t mtx_t;
typedef pthread_key_t tss_t;
typedef pthread_t thrd_t;
typedef struct {
	__uint32_t word;
} once_flag;

/* clang-format off */
#define ONCE_FLAG_INIT { 0 }
/* clang-format on */
#define TSS_DTOR_ITERATIONS 4

#endif
