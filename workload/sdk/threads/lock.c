/* SPDX-License-Identifier: MIT */
/* newlib's locks: of malloc(), of each stream, of the list of streams and others. */
#include <stdlib.h>
#include <sys/lock.h>

#include "workload/sdk/sdk.h"
#include "workload/sdk/threads/sync.h"

struct __lock {
	uint32_t mutex;
};

#define LOCK(name)                 \
	extern struct __lock name; \
	struct __lock name = { SDK_MUTEX_RECURSIVE }

LOCK(__lock___sinit_recursive_mutex);
LOCK(__lock___sfp_recursive_mutex);
LOCK(__lock___atexit_recursive_mutex);
LOCK(__lock___at_quick_exit_mutex);
LOCK(__lock___malloc_recursive_mutex);
LOCK(__lock___env_recursive_mutex);
LOCK(__lock___tz_mutex);
LOCK(__lock___dd_hash_mutex);
LOCK(__lock___arc4random_mutex);

/* If there is no memory for a lock, the stream has none (NULL), and must be used by one thread
 * only. */
void __retarget_lock_init_recursive(_LOCK_T *lock)
{
	*lock = malloc(sizeof(**lock));
	if (*lock)
		(*lock)->mutex = SDK_MUTEX_RECURSIVE;
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
	free(lock);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
	return !lock || sdk_mutex_lock(&lock->mutex, SDK_NOW) == 0;
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
	if (lock)
		sdk_mutex_lock(&lock->mutex, SDK_FOREVER);
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
	if (lock)
		sdk_mutex_unlock(&lock->mutex);
}

/* The other locks may be recursive as well: no thread takes one twice. */
#define SAME_AS(name) __attribute__((alias(#name)))

void __retarget_lock_init(_LOCK_T *lock) SAME_AS(__retarget_lock_init_recursive);
void __retarget_lock_close(_LOCK_T lock) SAME_AS(__retarget_lock_close_recursive);
int __retarget_lock_try_acquire(_LOCK_T lock) SAME_AS(__retarget_lock_try_acquire_recursive);
void __retarget_lock_acquire(_LOCK_T lock) SAME_AS(__retarget_lock_acquire_recursive);
void __retarget_lock_release(_LOCK_T lock) SAME_AS(__retarget_lock_release_recursive);

static struct __lock files_lock = { SDK_MUTEX_RECURSIVE };

void sdk_files_lock(void)
{
	__retarget_lock_acquire_recursive(&files_lock);
}

void sdk_files_unlock(void)
{
	__retarget_lock_release_recursive(&files_lock);
}
