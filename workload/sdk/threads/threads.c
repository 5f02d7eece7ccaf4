/* SPDX-License-Identifier: MIT */
/* C11's threads (7.26): POSIX's under their names. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <threads.h>

#include "workload/sdk/threads/sync.h"

static int threads_code(int code)
{
	switch (code) {
	case 0:
		return thrd_success;
	case EBUSY:
		return thrd_busy;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	default:
		return thrd_error;
	}
}

/* ---- Threads ---- */

struct thrd_given {
	thrd_start_t fn;
	void *argument;
};

static void *threads_enter(void *argument)
{
	struct thrd_given given = *(struct thrd_given *)argument;

	free(argument);
	return (void *)(intptr_t)given.fn(given.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t fn, void *argument)
{
	struct thrd_given *given = malloc(sizeof(*given));
	int code;

	if (!given)
		return thrd_nomem;
	*given = (struct thrd_given){ fn, argument };
	code = pthread_create(thread, NULL, threads_enter, given);
	if (code)
		free(given);
	return threads_code(code);
}

thrd_t thrd_current(void)
{
	return pthread_self();
}

int thrd_equal(thrd_t one, thrd_t other)
{
	return one == other;
}

int thrd_detach(thrd_t thread)
{
	return threads_code(pthread_detach(thread));
}

_Noreturn void thrd_exit(int result)
{
	pthread_exit((void *)(intptr_t)result);
}

int thrd_join(thrd_t thread, int *result)
{
	void *value = NULL;
	int code = pthread_join(thread, &value);

	if (!code && result)
		*result = (int)(intptr_t)value;
	return threads_code(code);
}

int thrd_sleep(const struct timespec *span, struct timespec *left)
{
	return nanosleep(span, left) == 0 ? 0 : -2; /* -1 would mean a signal */
}

void thrd_yield(void)
{
	pthread_yield();
}

/* ---- Mutexes ---- */

int mtx_init(mtx_t *mutex, int type)
{
	*mutex = type & mtx_recursive ? SDK_MUTEX_RECURSIVE : SDK_MUTEX_NORMAL;
	return thrd_success;
}

void mtx_destroy(mtx_t *mutex)
{
	pthread_mutex_destroy(mutex);
}

int mtx_lock(mtx_t *mutex)
{
	return threads_code(pthread_mutex_lock(mutex));
}

int mtx_trylock(mtx_t *mutex)
{
	return threads_code(pthread_mutex_trylock(mutex));
}

int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict time)
{
	return threads_code(pthread_mutex_timedlock(mutex, time));
}

int mtx_unlock(mtx_t *mutex)
{
	return threads_code(pthread_mutex_unlock(mutex));
}

/* ---- Condition variables ---- */

int cnd_init(cnd_t *cond)
{
	return threads_code(pthread_cond_init(cond, NULL));
}

void cnd_destroy(cnd_t *cond)
{
	pthread_cond_destroy(cond);
}

int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	return threads_code(pthread_cond_wait(cond, mutex));
}

int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex, const struct timespec *restrict time)
{
	return threads_code(pthread_cond_timedwait(cond, mutex, time));
}

int cnd_signal(cnd_t *cond)
{
	return threads_code(pthread_cond_signal(cond));
}

int cnd_broadcast(cnd_t *cond)
{
	return threads_code(pthread_cond_broadcast(cond));
}

/* ---- Thread-specific values, once ---- */

int tss_create(tss_t *key, tss_dtor_t destructor)
{
	return threads_code(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key)
{
	pthread_key_delete(key);
}

void *tss_get(tss_t key)
{
	return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value)
{
	return threads_code(pthread_setspecific(key, value));
}

void call_once(once_flag *flag, void (*fn)(void))
{
	sdk_once(&flag->word, fn);
}
