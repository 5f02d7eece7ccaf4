/* SPDX-License-Identifier: MIT */
#include "tests/unit/host-tools/region/copying_channel.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "abi/trace_region.h"
#include "host-tools/region/serial/mirror.h"

#define MOST_LATE  64U
#define MOST_STEPS 16U /* a fetch */
#define MOST_HEADS (2U * TR_MAX_RINGS)
#define HEADS_SIZE 16U /* bytes of a piece that contains heads */

/* A store that has not arrived. */
struct late {
	uint64_t offset;
	size_t size;
	uint8_t bytes[TR_MAILBOX_TEXT];
};

struct copying {
	struct channel target;
	struct copying_options options;
	unsigned seed, fetches;
	uint32_t at; /* bytes of the begun piece so far */
	const struct mirror_piece *begun;
	uint64_t moment;
	struct mirror_piece heads[MOST_HEADS]; /* where the heads were in the last request */
	size_t head_count;
	struct channel_bell late_bells[TR_MAX_RINGS];
	size_t late_bell_count;
	struct late late[MOST_LATE];
	size_t late_count;
	uint64_t arrived;
};

static struct copying *last;

static size_t chance(struct copying *copying, size_t most)
{
	/* any thread may store */
	unsigned seed = __atomic_load_n(&copying->seed, __ATOMIC_RELAXED);
	size_t drawn = (size_t)rand_r(&seed) % (most + 1);

	__atomic_store_n(&copying->seed, seed, __ATOMIC_RELAXED);
	return drawn;
}

static void meanwhile(struct copying *copying)
{
	if (copying->options.is_stopped && *copying->options.is_stopped)
		return;
	copying->moment++;
	if (copying->options.meanwhile)
		copying->options.meanwhile(copying->options.context);
}

static void *target_at(const struct copying *copying, uint64_t offset)
{
	return (uint8_t *)copying->target.bytes + offset;
}

/* ---- To the machine ---- */

static void output_write(struct copying *copying, size_t count)
{
	struct error ignored = { "" };

	for (size_t i = 0; i < count; i++)
		channel_publish(&copying->target, copying->late[i].offset, copying->late[i].bytes,
		                copying->late[i].size, &ignored);
	copying->late_count -= count;
	memmove(copying->late, copying->late + count, copying->late_count * sizeof(*copying->late));
	__atomic_store_n(&copying->arrived, copying->arrived + count, __ATOMIC_RELEASE);
}

/* The lease's thread stores while the reader fetches. */
static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;

static void acquire(void)
{
	pthread_mutex_lock(&late_lock);
}

static void release(void)
{
	pthread_mutex_unlock(&late_lock);
}

static void keep_lock_over_fork(void)
{
	pthread_atfork(acquire, release, release);
}

static int copying_store(void *cable, uint64_t offset, const void *from, size_t size,
                         struct error *error)
{
	struct copying *copying = cable;
	struct late *late;

	(void)error;
	acquire();
	if (copying->late_count == MOST_LATE)
		output_write(copying, 1);
	late = &copying->late[copying->late_count++];
	late->offset = offset;
	late->size = size;
	memcpy(late->bytes, from, size);
	output_write(copying, chance(copying, copying->late_count));
	release();
	return 0;
}

static uint64_t copying_stored(void *cable)
{
	struct copying *copying = cable;

	return __atomic_load_n(&copying->arrived, __ATOMIC_ACQUIRE);
}

/* ---- From the machine ---- */

static void copy_words(struct copying *copying, const struct mirror_piece *piece, uint32_t from,
                       uint32_t size)
{
	const uint64_t *words = target_at(copying, piece->offset + from);
	uint64_t *to = (void *)((uint8_t *)piece->to + from);

	for (uint32_t i = 0; i < size / sizeof(*words); i++) {
		if (!chance(copying, 255))
			meanwhile(copying);
		to[i] = __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
	}
}

static void note_heads(struct copying *copying, const struct mirror_piece *piece)
{
	if (piece->size == HEADS_SIZE && copying->head_count < MOST_HEADS)
		copying->heads[copying->head_count++] = *piece;
}

/* Fetch a part of the piece. */
static void bring_some(struct copying *copying, struct mirror_piece *piece)
{
	uint32_t left, length = (uint32_t)(8 + chance(copying, copying->options.piece - 8)) & ~7U;

	if (copying->begun != piece)
		copying->at = 0;
	copying->begun = piece;
	left = piece->size - copying->at;
	length = length < left ? length : left;
	if (!chance(copying, 3))
		meanwhile(copying);
	copy_words(copying, piece, copying->at, length);
	copying->at += length;
	if (copying->at < piece->size)
		return;
	piece->done = true;
	copying->begun = NULL;
	note_heads(copying, piece);
}

/* A piece that is missing: the begun one or any; returns count if none is missing. */
static size_t choose(struct copying *copying, const struct mirror_piece *pieces, size_t count)
{
	size_t first = chance(copying, count - 1), any = count;

	for (size_t i = 0; i < count; i++) {
		size_t at = (first + i) % count;

		if (pieces[at].done)
			continue;
		if (&pieces[at] == copying->begun)
			return at;
		any = any == count ? at : any;
	}
	return any;
}

/* Bytes of rings have come: the heads are read again. */
static void heads_again(struct copying *copying, const struct mirror_piece *piece)
{
	if (copying->options.fault != COPYING_HEADS_LAST || !piece->records)
		return;
	meanwhile(copying);
	for (size_t i = 0; i < copying->head_count; i++)
		copy_words(copying, &copying->heads[i], 0, HEADS_SIZE);
}

static int copying_fetch(void *cable, struct mirror_piece *pieces, size_t count,
                         struct error *error)
{
	struct copying *copying = cable;

	if (++copying->fetches == copying->options.breaks)
		return error_set(error, -EPIPE, "the cable was pulled");
	acquire();
	output_write(copying, chance(copying, copying->late_count));
	release();
	for (size_t steps = chance(copying, MOST_STEPS); steps; steps--) {
		size_t i = choose(copying, pieces, count);

		if (i == count)
			break;
		bring_some(copying, &pieces[i]);
		heads_again(copying, &pieces[i]);
	}
	return choose(copying, pieces, count) < count;
}

/* Clear a doorbell in the wrong way: the word is stored late, like any other. */
static void clear_late(struct copying *copying, struct channel_bell *bells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const uint32_t *word = target_at(copying, bells[i].pending), zero = 0;
		struct error ignored = { "" };

		bells[i].was_set = bells[i].pending && *word;
		if (bells[i].was_set)
			copying_store(copying, bells[i].pending, &zero, sizeof(zero), &ignored);
		/* not counted, because no wakeup was published */
	}
}

static int copying_clear(void *cable, struct channel_bell *bells, size_t count, struct error *error)
{
	struct copying *copying = cable;
	int code = 0;

	acquire();
	output_write(copying, copying->late_count);
	release();
	copying->head_count = 0;
	copying->begun = NULL;
	if (copying->options.fault == COPYING_CLEARS_LATE) {
		clear_late(copying, bells, count);
	} else if (copying->options.fault == COPYING_NO_LOOK_AGAIN) {
		memcpy(copying->late_bells, bells, count * sizeof(*bells));
		copying->late_bell_count = count;
	} else {
		code = channel_clear(&copying->target, bells, count, error);
	}
	meanwhile(copying);
	return code;
}

static uint64_t copying_moment(void *cable)
{
	struct copying *copying = cable;

	return copying->moment;
}

static void output_all(struct copying *copying)
{
	struct error ignored = { "" };

	acquire();
	output_write(copying, copying->late_count);
	release();
	if (copying->late_bell_count)
		channel_clear(&copying->target, copying->late_bells, copying->late_bell_count,
		              &ignored);
	copying->late_bell_count = 0;
}

static void copying_wait(void *cable)
{
	struct copying *copying = cable;

	output_all(copying);
	channel_wait(&copying->target);
}

static void copying_close(void *cable)
{
	struct copying *copying = cable;

	output_all(copying);
	channel_close(&copying->target);
	last = NULL;
	free(copying);
}

static const struct mirror_cable_ops copying_ops = {
	.name = "copying",
	.fetch = copying_fetch,
	.store = copying_store,
	.stored = copying_stored,
	.clear = copying_clear,
	.wait = copying_wait,
	.close = copying_close,
};

static const struct mirror_cable_ops stopped_ops = {
	.name = "copying a stopped machine",
	.fetch = copying_fetch,
	.store = copying_store,
	.stored = copying_stored,
	.clear = copying_clear,
	.moment = copying_moment,
	.wait = copying_wait,
	.close = copying_close,
};

int copying_channel_wrap(struct channel *channel, const struct copying_options *options,
                         struct error *error)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct copying *copying = calloc(1, sizeof(*copying));
	struct channel mirror;
	int code;

	if (!copying)
		return error_set(error, -ENOMEM, "no memory for a cable");
	pthread_once(&once, keep_lock_over_fork);
	copying->target = *channel;
	copying->options = *options;
	code = mirror_open(&mirror, options->is_stopped ? &stopped_ops : &copying_ops, copying,
	                   channel->size, error);
	if (code) {
		free(copying);
		return code;
	}
	mirror.live = channel->live;
	mirror.peer = channel->peer;
	*channel = mirror;
	last = copying;
	return 0;
}

void copying_channel_deliver(void)
{
	if (last)
		output_all(last);
}
