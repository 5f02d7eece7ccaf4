/* SPDX-License-Identifier: MIT */
/*
 * newlib's locks: of malloc(), of each stream, of the list of streams and their kin. A
 * thread has its CPU for itself and is not moved, so a lock's holder is a CPU, and who waits for it
 * spins.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/lock.h>

#include "workload/sdk/sdk.h"

struct __lock {
	unsigned holder; /* the CPU that has it, plus 1 */
	unsigned depth;  /* how often that one has taken it */
};

extern struct __lock __lock___sinit_recursive_mutex, __lock___sfp_recursive_mutex,
    __lock___atexit_recursive_mutex, __lock___at_quick_exit_mutex, __lock___malloc_recursive_mutex,
    __lock___env_recursive_mutex, __lock___tz_mutex, __lock___dd_hash_mutex,
    __lock___arc4random_mutex;
struct __lock __lock___sinit_recursive_mutex, __lock___sfp_recursive_mutex,
    __lock___atexit_recursive_mutex, __lock___at_quick_exit_mutex, __lock___malloc_recursive_mutex,
    __lock___env_recursive_mutex, __lock___tz_mutex, __lock___dd_hash_mutex,
    __lock___arc4random_mutex;

/* Without memory for it a stream has none (NULL), and belongs to one thread. */
void __retarget_lock_init_recursive(_LOCK_T *lock)
{
	*lock = calloc(1, sizeof(**lock));
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
	free(lock);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
	unsigned me = sdk_system->cpu() + 1, nobody = 0;

	if (lock && __atomic_load_n(&lock->holder, __ATOMIC_RELAXED) != me &&
	    !__atomic_compare_exchange_n(&lock->holder, &nobody, me, false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_RELAXED))
		return 0;
	if (lock)
		lock->depth++;
	return 1;
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
	while (!__retarget_lock_try_acquire_recursive(lock))
		continue;
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
	if (lock && --lock->depth == 0)
		__atomic_store_n(&lock->holder, 0, __ATOMIC_RELEASE);
}

/* The others may be these as well: nobody takes one twice. */
#define SAME_AS(name) __attribute__((alias(#name)))

void __retarget_lock_init(_LOCK_T *lock) SAME_AS(__retarget_lock_init_recursive);
void __retarget_lock_close(_LOCK_T lock) SAME_AS(__retarget_lock_close_recursive);
int __retarget_lock_try_acquire(_LOCK_T lock) SAME_AS(__retarget_lock_try_acquire_recursive);
void __retarget_lock_acquire(_LOCK_T lock) SAME_AS(__retarget_lock_acquire_recursive);
void __retarget_lock_release(_LOCK_T lock) SAME_AS(__retarget_lock_release_recursive);

static struct __lock files_lock;

void sdk_files_lock(void)
{
	__retarget_lock_acquire_recursive(&files_lock);
}

void sdk_files_unlock(void)
{
	__retarget_lock_release_recursive(&files_lock);
}
