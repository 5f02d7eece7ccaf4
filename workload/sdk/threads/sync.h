/* SPDX-License-Identifier: MIT */
/*
 * What threads wait for each other by. Each object is a word of 32 bits, as newlib's <pthread.h>
 * has them, and all of one that its initialiser made (SDK_STATIC) can be used at once. A thread has
 * its CPU for itself: who waits halts it, in a function that is called cpu_idle().
 *
 * From the payload's threads; not from a handler. Nothing here allocates.
 */
#ifndef WORKLOAD_SDK_THREADS_SYNC_H
#define WORKLOAD_SDK_THREADS_SYNC_H

#include <stdbool.h>
#include <stdint.h>

/* newlib's PTHREAD_MUTEX_INITIALIZER and its kin. */
#define SDK_STATIC (~0U)

/* Deadlines are of sdk_system->clock(), ns. */
#define SDK_NOW     0U
#define SDK_FOREVER UINT64_MAX

/* ---- wait.c ---- */

/* Wait until *word is not value, which somebody changes and then calls sdk_wake(word): true, with
 * what was written before it seen. False: the deadline came first, by at most a tick (1 ms). */
bool sdk_wait(const uint32_t *word, uint32_t value, uint64_t deadline);

/* Whoever waits for this word looks at it again. The word is not read, and may be gone. */
void sdk_wake(const uint32_t *word);

/* ---- sync.c ---- */

enum sdk_mutex_kind {
	SDK_MUTEX_NORMAL = 0,
	SDK_MUTEX_RECURSIVE = 0x400,  /* its holder may take it again */
	SDK_MUTEX_ERRORCHECK = 0x800, /* its holder is told so */
};

/* A mutex begins as its kind. 0; -EBUSY: it is held and deadline SDK_NOW; -ETIMEDOUT; -EDEADLK: it
 * is the caller's (ERRORCHECK); -EAGAIN: it is so a million times. A NORMAL one that its holder
 * takes again is waited for. */
int sdk_mutex_lock(uint32_t *mutex, uint64_t deadline);

/* 0; -EPERM: it is not the caller's (NORMAL ones are not asked). */
int sdk_mutex_unlock(uint32_t *mutex);

/* A condition variable begins as 0, or as 1, which it keeps in its lowest bit. Release the mutex,
 * wait to be woken, take it again. 0; -ETIMEDOUT; -EPERM: the mutex is not the caller's. */
int sdk_cond_wait(uint32_t *cond, uint32_t *mutex, uint64_t deadline);
void sdk_cond_wake(uint32_t *cond);

/* A barrier for count threads, 1 to SDK_BARRIER_MAX: its first value, and the wait for all of them.
 * True to one of them. */
#define SDK_BARRIER_MAX 256U
uint32_t sdk_barrier(unsigned count);
bool sdk_barrier_wait(uint32_t *barrier);

/* Wait until nobody is on the way out of it. */
void sdk_barrier_drain(uint32_t *barrier);

/* A lock that many hold to read, or one to write, begins as 0. 0; -EBUSY, -ETIMEDOUT as above;
 * -EAGAIN: a billion readers. Readers go before writers that wait. */
int sdk_rwlock_read(uint32_t *rwlock, uint64_t deadline);
int sdk_rwlock_write(uint32_t *rwlock, uint64_t deadline);
void sdk_rwlock_unlock(uint32_t *rwlock);

/* Call fn once, whoever comes first; whoever comes meanwhile waits. *once begins as 0. */
void sdk_once(uint32_t *once, void (*fn)(void));

#endif
