/* SPDX-License-Identifier: MIT */
/* Thread-specific values of <pthread.h>. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "workload/sdk/threads/sdk_pthread.h"

static struct {
	bool used;
	uint32_t turn; /* the number of deletions: a value from before the last one is invalid */
	void (*destructor)(void *value);
} keys[SDK_KEYS];

static __thread struct {
	const void *value;
	uint32_t turn;
} values[SDK_KEYS];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *value))
{
	for (unsigned i = 0; i < SDK_KEYS; i++) {
		if (__atomic_exchange_n(&keys[i].used, true, __ATOMIC_ACQ_REL))
			continue;
		keys[i].destructor = destructor;
		*key = i;
		return 0;
	}
	return EAGAIN;
}

static bool pthread_key_is_key(pthread_key_t key)
{
	return key < SDK_KEYS && __atomic_load_n(&keys[key].used, __ATOMIC_ACQUIRE);
}

int pthread_key_delete(pthread_key_t key)
{
	if (!pthread_key_is_key(key))
		return EINVAL;
	/* before the key can be reused with another destructor, which must not get these values */
	__atomic_fetch_add(&keys[key].turn, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&keys[key].used, false, __ATOMIC_RELEASE);
	return 0;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
	if (!pthread_key_is_key(key))
		return EINVAL;
	values[key].value = value;
	values[key].turn = __atomic_load_n(&keys[key].turn, __ATOMIC_ACQUIRE);
	return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
	if (!pthread_key_is_key(key) ||
	    values[key].turn != __atomic_load_n(&keys[key].turn, __ATOMIC_ACQUIRE))
		return NULL;
	return (void *)(uintptr_t)values[key].value;
}

static bool pthread_key_destroy_each(void)
{
	bool any = false;

	for (unsigned i = 0; i < SDK_KEYS; i++) {
		void *value = pthread_getspecific(i);

		values[i].value = NULL;
		if (value && keys[i].destructor) {
			keys[i].destructor(value);
			any = true;
		}
	}
	return any;
}

/* A destructor may set new values, so the loop repeats. */
void sdk_keys_destroy(void)
{
	for (int i = 0; i < SDK_KEY_ITERATIONS && pthread_key_destroy_each(); i++)
		continue;
}
