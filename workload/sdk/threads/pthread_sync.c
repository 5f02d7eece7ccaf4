/* SPDX-License-Identifier: MIT */
/* The synchronization objects of <pthread.h>: sync.h's words under POSIX's names. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include <arch_wait.h>

#include "workload/sdk/sdk.h"
#include "workload/sdk/threads/sdk_pthread.h"
#include "workload/sdk/threads/sync.h"

/* A time in the past becomes the smallest deadline that is not SDK_NOW. */
int sdk_deadline(clockid_t clock, const struct timespec *time, uint64_t *deadline)
{
	uint64_t epoch = clock == CLOCK_REALTIME ? sdk_system->epoch : 0, ns;

	if ((uint64_t)time->tv_nsec >= NSEC_PER_SEC ||
	    (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
		return EINVAL;
	if (time->tv_sec < (time_t)epoch)
		ns = 0;
	else if (__builtin_mul_overflow((uint64_t)time->tv_sec - epoch, NSEC_PER_SEC, &ns) ||
	         __builtin_add_overflow((uint64_t)time->tv_nsec, ns, &ns))
		ns = SDK_FOREVER - 1;
	*deadline = ns ? ns : 1;
	return 0;
}

/* ---- Mutexes ---- */

static uint32_t pthread_mutex_kind(int type)
{
	switch (type) {
	case PTHREAD_MUTEX_RECURSIVE:
		return SDK_MUTEX_RECURSIVE;
	case PTHREAD_MUTEX_ERRORCHECK:
		return SDK_MUTEX_ERRORCHECK;
	default:
		return SDK_MUTEX_NORMAL;
	}
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	uint32_t *word = mutex;

	*word = pthread_mutex_kind(attr ? attr->type : PTHREAD_MUTEX_DEFAULT);
	return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	int code = sdk_mutex_lock(mutex, SDK_NOW);

	if (!code)
		sdk_mutex_unlock(mutex);
	return -code;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return -sdk_mutex_lock(mutex, SDK_FOREVER);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return -sdk_mutex_lock(mutex, SDK_NOW);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time)
{
	uint64_t deadline;
	int code = sdk_deadline(CLOCK_REALTIME, time, &deadline);

	return code ? code : -sdk_mutex_lock(mutex, deadline);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	return -sdk_mutex_unlock(mutex);
}

/* ---- Condition variables: the lowest bit means that deadlines are calendar times ---- */

#define COND_REALTIME 1U

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
	uint32_t *word = cond;

	*word = !attr || attr->clock == CLOCK_REALTIME ? COND_REALTIME : 0;
	return 0;
}

int pthread_cond_destroy(pthread_cond_t *cond)
{
	(void)cond;
	return 0;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	return -sdk_cond_wait(cond, mutex, SDK_FOREVER);
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct timespec *time)
{
	uint64_t deadline;
	uint32_t word = __atomic_load_n(cond, __ATOMIC_RELAXED);
	int code =
	    sdk_deadline(word & COND_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, time, &deadline);

	return code ? code : -sdk_cond_wait(cond, mutex, deadline);
}

/* Wakes one thread or more, which POSIX allows. */
int pthread_cond_signal(pthread_cond_t *cond)
{
	sdk_cond_wake(cond);
	return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
	sdk_cond_wake(cond);
	return 0;
}

/* ---- Barriers ---- */

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr,
                         unsigned count)
{
	(void)attr;
	if (count == 0)
		return EINVAL;
	if (count > SDK_BARRIER_MAX)
		return EAGAIN; /* more than the possible number of threads */
	*barrier = sdk_barrier(count);
	return 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	return sdk_barrier_wait(barrier) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	sdk_barrier_drain(barrier);
	return 0;
}

/* ---- Locks to read and write ---- */

int pthread_rwlock_init(pthread_rwlock_t *rwlock, const pthread_rwlockattr_t *attr)
{
	(void)attr;
	*rwlock = 0;
	return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *rwlock)
{
	int code = sdk_rwlock_write(rwlock, SDK_NOW);

	if (!code)
		sdk_rwlock_unlock(rwlock);
	return -code;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *rwlock)
{
	return -sdk_rwlock_read(rwlock, SDK_FOREVER);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *rwlock)
{
	return -sdk_rwlock_read(rwlock, SDK_NOW);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *rwlock, const struct timespec *time)
{
	uint64_t deadline;
	int code = sdk_deadline(CLOCK_REALTIME, time, &deadline);

	return code ? code : -sdk_rwlock_read(rwlock, deadline);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *rwlock)
{
	return -sdk_rwlock_write(rwlock, SDK_FOREVER);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *rwlock)
{
	return -sdk_rwlock_write(rwlock, SDK_NOW);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *rwlock, const struct timespec *time)
{
	uint64_t deadline;
	int code = sdk_deadline(CLOCK_REALTIME, time, &deadline);

	return code ? code : -sdk_rwlock_write(rwlock, deadline);
}

int pthread_rwlock_unlock(pthread_rwlock_t *rwlock)
{
	sdk_rwlock_unlock(rwlock);
	return 0;
}

/* ---- Spin locks ---- */

int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	(void)shared;
	*lock = 0;
	return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	(void)lock;
	return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	return __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) ? EBUSY : 0;
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
	while (pthread_spin_trylock(lock)) {
		while (__atomic_load_n(lock, __ATOMIC_RELAXED))
			arch_wait_relax();
	}
	return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	return 0;
}

/* ---- Once ---- */

int pthread_once(pthread_once_t *once, void (*fn)(void))
{
	sdk_once((uint32_t *)&once->init_executed, fn);
	return 0;
}
