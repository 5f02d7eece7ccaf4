/* SPDX-License-Identifier: MIT */
/* Every word changes by compare and exchange; a thread that cannot continue waits for a change
 * (wait.c). */
#include "workload/sdk/threads/sync.h"

#include <errno.h>

#include "workload/sdk/sdk.h"

static uint32_t sync_word_of(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Returns whether the word was *seen and is now value; otherwise *seen becomes the word. */
static bool sync_change(uint32_t *word, uint32_t *seen, uint32_t value)
{
	return __atomic_compare_exchange_n(word, seen, value, false, __ATOMIC_ACQ_REL,
	                                   __ATOMIC_ACQUIRE);
}

/* Set the word's AWAITED bit and wait for a change. Returns 0: it changed. */
static int sync_wait_for_change(uint32_t *word, uint32_t seen, uint32_t marked, uint64_t deadline)
{
	if (deadline == SDK_NOW)
		return -EBUSY;
	if (seen != marked && !sync_change(word, &seen, marked))
		return 0;
	return sdk_wait(word, marked, deadline) ? 0 : -ETIMEDOUT;
}

/* ---- Mutexes: depth (20 bits), kind (2), awaited (1), holder (9: the CPU plus 1, or 0) ---- */

#define MUTEX_HOLDER  0x1ffU
#define MUTEX_AWAITED 0x200U
#define MUTEX_KIND    0xc00U
#define MUTEX_DEPTH   0x1000U

static uint32_t sync_me(void)
{
	return sdk_system->cpu() + 1;
}

static uint32_t sync_mutex_of(uint32_t word)
{
	return word == SDK_STATIC ? (uint32_t)SDK_MUTEX_NORMAL : word;
}

/* Only its holder changes a mutex's depth. */
static int sync_lock_again(uint32_t *mutex, uint32_t seen, uint64_t deadline)
{
	if ((seen & MUTEX_KIND) == SDK_MUTEX_ERRORCHECK)
		return deadline == SDK_NOW ? -EBUSY : -EDEADLK;
	if (seen + MUTEX_DEPTH < seen)
		return -EAGAIN;
	__atomic_fetch_add(mutex, MUTEX_DEPTH, __ATOMIC_RELAXED);
	return 0;
}

int sdk_mutex_lock(uint32_t *mutex, uint64_t deadline)
{
	uint32_t mine = sync_me(), seen = sync_word_of(mutex);
	int code = 0;

	while (!code) {
		uint32_t is = sync_mutex_of(seen);

		if (!(is & MUTEX_HOLDER)) {
			/* Other threads may wait as well by now, so the AWAITED bit stays set for
			 * the unlock. */
			if (sync_change(mutex, &seen, is | mine))
				return 0;
			continue;
		}
		if ((is & MUTEX_HOLDER) == mine && is & MUTEX_KIND)
			return sync_lock_again(mutex, is, deadline);
		code = sync_wait_for_change(mutex, seen, is | MUTEX_AWAITED, deadline);
		seen = sync_word_of(mutex);
	}
	return code;
}

int sdk_mutex_unlock(uint32_t *mutex)
{
	uint32_t seen = sync_mutex_of(sync_word_of(mutex));

	if (seen & MUTEX_KIND && (seen & MUTEX_HOLDER) != sync_me())
		return -EPERM;
	if (seen >= MUTEX_DEPTH) {
		__atomic_fetch_sub(mutex, MUTEX_DEPTH, __ATOMIC_RELAXED);
		return 0;
	}
	seen = __atomic_exchange_n(mutex, seen & MUTEX_KIND, __ATOMIC_RELEASE);
	if (seen & MUTEX_AWAITED)
		sdk_wake(mutex);
	return 0;
}

/* ---- Condition variables: the number of wakeups, above the lowest bit ---- */

int sdk_cond_wait(uint32_t *cond, uint32_t *mutex, uint64_t deadline)
{
	uint32_t seen = sync_word_of(cond);
	int code = sdk_mutex_unlock(mutex);
	bool woken;

	if (code)
		return code;
	woken = sdk_wait(cond, seen, deadline);
	code = sdk_mutex_lock(mutex, SDK_FOREVER);
	return woken || code ? code : -ETIMEDOUT;
}

void sdk_cond_wake(uint32_t *cond)
{
	__atomic_fetch_add(cond, 2, __ATOMIC_RELEASE);
	sdk_wake(cond);
}

/* ---- Barriers: 8 bits each for the threads that arrived, are wanted (less 1), have not left, and
 * for the number of the round. A thread that sleeps through 256 rounds does not notice them ---- */

#define BARRIER_ARRIVED 0x000000ffU
#define BARRIER_WANTED  8U
#define BARRIER_STAYS   0x00010000U
#define BARRIER_STAY    0x00ff0000U
#define BARRIER_ROUND   0x01000000U

uint32_t sdk_barrier(unsigned count)
{
	return (count - 1) << BARRIER_WANTED;
}

static uint32_t sync_round_of(uint32_t word)
{
	return word / BARRIER_ROUND;
}

/* Wake a thread that waits to destroy the barrier when the last one leaves. */
static void sync_leave(uint32_t *barrier)
{
	if (!(__atomic_sub_fetch(barrier, BARRIER_STAYS, __ATOMIC_RELEASE) & BARRIER_STAY))
		sdk_wake(barrier);
}

/* The word after one more arrival: the last arrival ends the round, and the others leave. */
static uint32_t sync_arrive(uint32_t word, bool *last)
{
	uint32_t others = word >> BARRIER_WANTED & BARRIER_ARRIVED;

	*last = (word & BARRIER_ARRIVED) == others;
	return *last ? (word & ~BARRIER_ARRIVED) + others * BARRIER_STAYS + BARRIER_ROUND
	             : word + 1;
}

bool sdk_barrier_wait(uint32_t *barrier)
{
	uint32_t seen = sync_word_of(barrier), round;
	bool last;

	while (!sync_change(barrier, &seen, sync_arrive(seen, &last)))
		continue;
	if (last) {
		sdk_wake(barrier);
		return true;
	}
	round = sync_round_of(seen);
	for (seen = sync_word_of(barrier); sync_round_of(seen) == round;
	     seen = sync_word_of(barrier))
		sdk_wait(barrier, seen, SDK_FOREVER);
	sync_leave(barrier);
	return false;
}

void sdk_barrier_drain(uint32_t *barrier)
{
	for (uint32_t seen = sync_word_of(barrier); seen & BARRIER_STAY;
	     seen = sync_word_of(barrier))
		sdk_wait(barrier, seen, SDK_FOREVER);
}

/* ---- Locks to read and write: held to write, awaited, readers (30 bits) ---- */

#define RWLOCK_WRITTEN 0x80000000U
#define RWLOCK_AWAITED 0x40000000U
#define RWLOCK_READERS 0x3fffffffU

static uint32_t sync_rwlock_of(uint32_t word)
{
	return word == SDK_STATIC ? 0 : word;
}

/* Each reader or writer adds its share of the word, if no bit of beside_not is set. */
static int sync_rwlock_take(uint32_t *rwlock, uint32_t beside_not, uint32_t taken,
                            uint64_t deadline)
{
	uint32_t seen = sync_word_of(rwlock);
	int code = 0;

	while (!code) {
		uint32_t is = sync_rwlock_of(seen);

		if (!(is & beside_not)) {
			if ((is & RWLOCK_READERS) == RWLOCK_READERS - 1)
				return -EAGAIN;
			if (sync_change(rwlock, &seen, is + taken))
				return 0;
			continue;
		}
		code = sync_wait_for_change(rwlock, seen, is | RWLOCK_AWAITED, deadline);
		seen = sync_word_of(rwlock);
	}
	return code;
}

int sdk_rwlock_read(uint32_t *rwlock, uint64_t deadline)
{
	return sync_rwlock_take(rwlock, RWLOCK_WRITTEN, 1, deadline);
}

int sdk_rwlock_write(uint32_t *rwlock, uint64_t deadline)
{
	return sync_rwlock_take(rwlock, RWLOCK_WRITTEN | RWLOCK_READERS, RWLOCK_WRITTEN, deadline);
}

/* The last holder wakes all threads; those that still cannot continue set the AWAITED bit again. */
void sdk_rwlock_unlock(uint32_t *rwlock)
{
	uint32_t seen = sync_word_of(rwlock), left;

	do {
		left = seen & RWLOCK_WRITTEN ? seen & ~RWLOCK_WRITTEN : seen - 1;
		if (!(left & RWLOCK_READERS))
			left = 0;
	} while (!sync_change(rwlock, &seen, left));
	if (!left && seen & RWLOCK_AWAITED)
		sdk_wake(rwlock);
}

/* ---- Once ---- */

enum { ONCE_NOT = 0, ONCE_NOW, ONCE_DONE };

void sdk_once(uint32_t *once, void (*fn)(void))
{
	uint32_t seen = ONCE_NOT;

	if (sync_change(once, &seen, ONCE_NOW)) {
		fn();
		__atomic_store_n(once, ONCE_DONE, __ATOMIC_RELEASE);
		sdk_wake(once);
	}
	while (sync_word_of(once) == ONCE_NOW)
		sdk_wait(once, ONCE_NOW, SDK_FOREVER);
}
