/* SPDX-License-Identifier: MIT */
/* POSIX semaphores: a word; threads wait while it is 0. */
#include <errno.h>
#include <semaphore.h>
#include <stdbool.h>

#include "workload/sdk/threads/sdk_pthread.h"
#include "workload/sdk/threads/sync.h"

static int semaphore_end(int code)
{
	if (!code)
		return 0;
	errno = code;
	return -1;
}

int sem_init(sem_t *sem, int shared, unsigned value)
{
	(void)shared;
	if (value > SEM_VALUE_MAX)
		return semaphore_end(EINVAL);
	sem->value = value;
	return 0;
}

int sem_destroy(sem_t *sem)
{
	(void)sem;
	return 0;
}

static bool semaphore_take(sem_t *sem)
{
	uint32_t seen = __atomic_load_n(&sem->value, __ATOMIC_RELAXED);

	while (seen) {
		if (__atomic_compare_exchange_n(&sem->value, &seen, seen - 1, true,
		                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

static int semaphore_wait(sem_t *sem, uint64_t deadline)
{
	while (!semaphore_take(sem)) {
		if (!sdk_wait(&sem->value, 0, deadline))
			return semaphore_end(ETIMEDOUT);
	}
	return 0;
}

int sem_wait(sem_t *sem)
{
	return semaphore_wait(sem, SDK_FOREVER);
}

int sem_trywait(sem_t *sem)
{
	return semaphore_end(semaphore_take(sem) ? 0 : EAGAIN);
}

int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict time)
{
	uint64_t deadline;
	int code;

	if (semaphore_take(sem)) /* even if the deadline is invalid */
		return 0;
	code = sdk_deadline(CLOCK_REALTIME, time, &deadline);
	return code ? semaphore_end(code) : semaphore_wait(sem, deadline);
}

/* The thread that takes it may destroy it at once, so it is not accessed after the store. */
int sem_post(sem_t *sem)
{
	uint32_t seen = __atomic_load_n(&sem->value, __ATOMIC_RELAXED);

	do {
		if (seen == SEM_VALUE_MAX)
			return semaphore_end(EOVERFLOW);
	} while (!__atomic_compare_exchange_n(&sem->value, &seen, seen + 1, true, __ATOMIC_RELEASE,
	                                      __ATOMIC_RELAXED));
	sdk_wake(&sem->value);
	return 0;
}

int sem_getvalue(sem_t *restrict sem, int *restrict value)
{
	*value = (int)__atomic_load_n(&sem->value, __ATOMIC_RELAXED);
	return 0;
}
