/* SPDX-License-Identifier: MIT */
/* Writer and reader on two threads. No result depends on time. If a thread sleeps in the kernel for
 * several seconds, that counts as sleeping for ever. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "tests/unit/ringbuf/ring_scenario.h"

#define GIVE_UP_SECONDS 20

struct pair {
	struct rig rig;
	sem_t bell;
	uint64_t records, seed;
	int asleep; /* the handshake's reader */
	int over;
	const char *wrong;
};

static struct pair *new_pair(uint64_t size, uint32_t events)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	if (!pair)
		abort();
	rig_init(&pair->rig, size, 0, events, 0);
	sem_init(&pair->bell, 0, 0);
	return pair;
}

static void free_pair(struct pair *pair)
{
	sem_destroy(&pair->bell);
	rig_free(&pair->rig);
	free(pair);
}

static void ring_bell(void *context, uint32_t vector)
{
	struct pair *pair = context;

	(void)vector;
	pair->rig.notified++;
	sem_post(&pair->bell);
}

/* Returns false if no doorbell came for so long that none will come. */
static bool sleep_until_rung(struct pair *pair)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += GIVE_UP_SECONDS;
	while (sem_clockwait(&pair->bell, CLOCK_MONOTONIC, &until))
		if (errno == ETIMEDOUT)
			return false;
	return true;
}

static void *read_until_over(void *arg)
{
	struct pair *pair = arg;
	struct rig *rig = &pair->rig;
	uint64_t random = pair->seed;

	while (!pair->wrong) {
		pair->wrong = rig_drain(rig, 1 + rig_random(&random) % 500);
		if (pair->wrong || rig->reader.position != rig->reader.head)
			continue;
		if (__atomic_load_n(&pair->over, __ATOMIC_ACQUIRE) == 2)
			break;
		if (!rig_may_sleep(rig))
			continue;
		if (!sleep_until_rung(pair))
			pair->wrong = "the reader was never woken again";
		if (__atomic_load_n(&pair->over, __ATOMIC_ACQUIRE) == 1)
			__atomic_store_n(&pair->over, 2, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&pair->over, 3, __ATOMIC_RELEASE);
	return NULL;
}

static void interrupt_sometimes(struct rig *rig, unsigned nested)
{
	if (nested < RIG_EVENTS && (rig->events[nested - 1].number + nested) % 16 == 0)
		nested + 1 < RIG_EVENTS ? rig_write(rig, nested, 40, nested)
		                        : rig_write_alone(rig, nested, 40);
}

static void write_all(struct pair *pair)
{
	uint64_t random = pair->seed + 1;
	struct rig *rig = &pair->rig;

	while (pair->records--) {
		uint64_t r = rig_random(&random);

		if (r % 64 < 16)
			rig_write_alone(rig, 0, 32 + (uint32_t)(r % 12) * 8);
		else
			rig_write(rig, 0, 32 + (uint32_t)(r % 12) * 8, 0);
	}
	__atomic_store_n(&pair->over, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&pair->over, __ATOMIC_ACQUIRE) == 1)
		sem_post(&pair->bell);
}

const char *scenario_threads(uint64_t seed, uint64_t records)
{
	struct pair *pair = new_pair((uint64_t)TR_PAGE << seed % 5, 0);
	const char *wrong;
	pthread_t reader;

	pair->records = records;
	pair->seed = seed;
	pair->rig.owner.notify = ring_bell;
	pair->rig.owner.context = pair;
	pair->rig.interrupt = interrupt_sometimes;
	if (pthread_create(&reader, NULL, read_until_over, pair))
		abort();
	write_all(pair);
	pthread_join(reader, NULL);
	wrong = pair->wrong ? pair->wrong : rig_check(&pair->rig);
	free_pair(pair);
	return wrong;
}

/* ---- The handshake alone: both sides spin, so that they meet as often as possible. ---- */

static void note_bell(void *context, uint32_t vector)
{
	struct pair *pair = context;

	(void)vector;
	__atomic_store_n(&pair->rig.notified, 1, __ATOMIC_RELEASE);
}

static void sleep_until_noted(struct pair *pair)
{
	__atomic_store_n(&pair->asleep, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&pair->rig.notified, __ATOMIC_ACQUIRE))
		if (__atomic_load_n(&pair->over, __ATOMIC_RELAXED))
			return;
	__atomic_store_n(&pair->asleep, 0, __ATOMIC_RELEASE);
	__atomic_exchange_n(&pair->rig.notified, 0, __ATOMIC_SEQ_CST);
}

static void *shake_as_reader(void *arg)
{
	struct pair *pair = arg;
	struct rig *rig = &pair->rig;

	while (!__atomic_load_n(&pair->over, __ATOMIC_RELAXED)) {
		if (rig_may_sleep(rig)) {
			sleep_until_noted(pair);
			continue;
		}
		rig->reader.position = rig->reader.head;
		ring_reader_release(&rig->reader);
	}
	return NULL;
}

static bool has_all(struct pair *pair)
{
	return __atomic_load_n(&pair->rig.control->data_tail, __ATOMIC_ACQUIRE) ==
	       pair->rig.ring.published;
}

/* Only the writer, which calls this, could wake it. If it went to sleep again meanwhile, it has
 * read everything. */
static bool sleeps_for_ever(struct pair *pair)
{
	return __atomic_load_n(&pair->asleep, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&pair->rig.notified, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(&pair->asleep, __ATOMIC_ACQUIRE) && !has_all(pair);
}

/* Write, and wait until the reader has read it; false if it never will. */
static bool shake(struct pair *pair, int records)
{
	while (records--)
		rig_write(&pair->rig, 0, RIG_MIN_RECORD, 0);
	for (uint64_t spins = 1; !has_all(pair); spins++)
		if (spins % 1000 == 0 && sleeps_for_ever(pair))
			return false;
	return true;
}

const char *scenario_handshake(uint64_t rounds)
{
	struct pair *pair = new_pair(TR_PAGE, 1);
	const char *wrong = NULL;
	pthread_t reader;

	pair->rig.owner.notify = note_bell;
	pair->rig.owner.context = pair;
	if (pthread_create(&reader, NULL, shake_as_reader, pair))
		abort();
	while (rounds-- && !wrong)
		if (!shake(pair, 1 + (int)(rounds % 7)))
			wrong = "the reader sleeps although there is something to read";
	__atomic_store_n(&pair->over, 1, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	free_pair(pair);
	return wrong;
}
