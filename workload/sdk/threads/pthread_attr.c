/* SPDX-License-Identifier: MIT */
/* The attributes of <pthread.h>: detached threads, a mutex's type, a condition variable's clock. */
#include <errno.h>
#include <pthread.h>

#define STACK_SIZE (256 << 10) /* at least: <bareperf/thread.h> */

/* There is only one process, so sharing between processes has no effect. */
#define SHARED(kind)                                                                       \
	int kind##_getpshared(const kind##_t *attr, int *shared)                           \
	{                                                                                  \
		*shared = attr->process_shared;                                            \
		return 0;                                                                  \
	}                                                                                  \
	int kind##_setpshared(kind##_t *attr, int shared)                                  \
	{                                                                                  \
		if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) \
			return EINVAL;                                                     \
		attr->process_shared = shared;                                             \
		return 0;                                                                  \
	}                                                                                  \
	int kind##_destroy(kind##_t *attr)                                                 \
	{                                                                                  \
		attr->is_initialized = 0;                                                  \
		return 0;                                                                  \
	}

/* ---- Threads ---- */

int pthread_attr_init(pthread_attr_t *attr)
{
	*attr = (pthread_attr_t){
		.is_initialized = 1,
		.stacksize = STACK_SIZE,
		.detachstate = PTHREAD_CREATE_JOINABLE,
	};
	return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr)
{
	attr->is_initialized = 0;
	return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state)
{
	*state = attr->detachstate;
	return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state)
{
	if (state != PTHREAD_CREATE_DETACHED && state != PTHREAD_CREATE_JOINABLE)
		return EINVAL;
	attr->detachstate = state;
	return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size)
{
	*size = (size_t)attr->stacksize;
	return 0;
}

/* The machine provides the stacks, all of one size. */
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
	if (size > STACK_SIZE)
		return EINVAL;
	attr->stacksize = STACK_SIZE;
	return 0;
}

/* ---- Mutexes, condition variables ---- */

SHARED(pthread_mutexattr)
SHARED(pthread_condattr)

int pthread_mutexattr_init(pthread_mutexattr_t *attr)
{
	*attr = (pthread_mutexattr_t){ .is_initialized = 1, .type = PTHREAD_MUTEX_DEFAULT };
	return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *type)
{
	*type = attr->type;
	return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type)
{
	if (type < PTHREAD_MUTEX_NORMAL || type > PTHREAD_MUTEX_DEFAULT)
		return EINVAL;
	attr->type = type;
	return 0;
}

int pthread_condattr_init(pthread_condattr_t *attr)
{
	*attr = (pthread_condattr_t){ .is_initialized = 1, .clock = CLOCK_REALTIME };
	return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *attr, clockid_t *clock)
{
	*clock = (clockid_t)attr->clock;
	return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	attr->clock = (clock_t)clock;
	return 0;
}

/* ---- Barriers, locks to read and write ---- */

SHARED(pthread_barrierattr)
SHARED(pthread_rwlockattr)

int pthread_barrierattr_init(pthread_barrierattr_t *attr)
{
	*attr = (pthread_barrierattr_t){ .is_initialized = 1 };
	return 0;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr)
{
	*attr = (pthread_rwlockattr_t){ .is_initialized = 1 };
	return 0;
}
