/* SPDX-License-Identifier: MIT */
/*
 * Objects by which threads wait for each other. Each is a 32-bit word, as in newlib's <pthread.h>;
 * one with its static initialiser (SDK_STATIC) can be used at once. A thread has its CPU for
 * itself, so a waiting thread halts the CPU, in a function called cpu_idle().
 *
 * From the payload's threads; not from a handler. No function allocates.
 */
#ifndef WORKLOAD_SDK_THREADS_SYNC_H
#define WORKLOAD_SDK_THREADS_SYNC_H

#include <stdbool.h>
#include <stdint.h>

/* newlib's PTHREAD_MUTEX_INITIALIZER and the like. */
#define SDK_STATIC (~0U)

/* Deadlines are times of sdk_system->clock(), ns. */
#define SDK_NOW     0U
#define SDK_FOREVER UINT64_MAX

/* ---- wait.c ---- */

/* Wait until *word differs from value; the thread that changes it calls sdk_wake(word) afterwards.
 * Returns true: everything written before that is visible. false: the deadline has passed, by at
 * most a tick (1 ms). */
bool sdk_wait(const uint32_t *word, uint32_t value, uint64_t deadline);

/* Wake the threads that wait for this word, so that they check it again. The word itself is not
 * read, and may be gone. */
void sdk_wake(const uint32_t *word);

/* ---- sync.c ---- */

enum sdk_mutex_kind {
	SDK_MUTEX_NORMAL = 0,
	SDK_MUTEX_RECURSIVE = 0x400,  /* the holder may lock it again */
	SDK_MUTEX_ERRORCHECK = 0x800, /* locking it again is an error for the holder */
};

/* A mutex begins as its kind. Returns 0; -EBUSY: it is held and deadline is SDK_NOW; -ETIMEDOUT;
 * -EDEADLK: the caller holds it (ERRORCHECK); -EAGAIN: the caller holds it a million times. A
 * holder that locks a NORMAL mutex again waits for ever. */
int sdk_mutex_lock(uint32_t *mutex, uint64_t deadline);

/* Returns 0; -EPERM: the caller does not hold it (not checked for NORMAL ones). */
int sdk_mutex_unlock(uint32_t *mutex);

/* A condition variable begins as 0, or as 1, which it keeps in its lowest bit. Release the mutex,
 * wait for a wakeup, lock it again. Returns 0; -ETIMEDOUT; -EPERM: the caller does not hold the
 * mutex. */
int sdk_cond_wait(uint32_t *cond, uint32_t *mutex, uint64_t deadline);
void sdk_cond_wake(uint32_t *cond);

/* A barrier for count threads, 1 to SDK_BARRIER_MAX: its first value; and the wait for all of them,
 * which returns true in one thread. */
#define SDK_BARRIER_MAX 256U
uint32_t sdk_barrier(unsigned count);
bool sdk_barrier_wait(uint32_t *barrier);

/* Wait until all threads have left it. */
void sdk_barrier_drain(uint32_t *barrier);

/* A lock with many readers or one writer; begins as 0. Return 0; -EBUSY, -ETIMEDOUT as above;
 * -EAGAIN: a billion readers. Readers overtake waiting writers. */
int sdk_rwlock_read(uint32_t *rwlock, uint64_t deadline);
int sdk_rwlock_write(uint32_t *rwlock, uint64_t deadline);
void sdk_rwlock_unlock(uint32_t *rwlock);

/* Call fn once; other threads that come meanwhile wait for it. *once begins as 0. */
void sdk_once(uint32_t *once, void (*fn)(void));

#endif
