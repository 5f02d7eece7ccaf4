/* SPDX-License-Identifier: MIT */
#include "tests/unit/host-tools/region/copying_channel.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host-tools/region/region.h"

#define MOST_WORDS (8U + 2U * TR_MAX_RINGS)
#define MOST_LATE  64U
#define MOST_STEPS 16U /* pieces a refresh */

/* A word that says what else is there. */
struct shown {
	uint64_t offset, value;
	size_t size;
};

/* What was published and has not arrived. */
struct late {
	uint64_t offset;
	size_t size;
	uint8_t bytes[TR_MAILBOX_TEXT];
};

struct copying {
	struct channel target;
	struct copying_options options;
	unsigned seed;
	bool has_more;   /* a look is under way: */
	uint64_t cursor; /* bytes before it were brought */
	struct shown shown[MOST_WORDS];
	size_t shown_count;
	struct late late[MOST_LATE];
	size_t late_count;
};

/* One for all, so that a process that is forked meanwhile finds it free: the lease's thread
 * publishes beside the reader. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void acquire(void)
{
	pthread_mutex_lock(&lock);
}

static void release(void)
{
	pthread_mutex_unlock(&lock);
}

static void keep_lock_over_fork(void)
{
	pthread_atfork(acquire, release, release);
}

static size_t chance(struct copying *copying, size_t most)
{
	return (size_t)rand_r(&copying->seed) % (most + 1);
}

static void meanwhile(struct copying *copying)
{
	if (copying->options.meanwhile)
		copying->options.meanwhile(copying->options.context);
}

static void *mirror_at(const struct channel *channel, uint64_t offset)
{
	return (uint8_t *)channel->bytes + offset;
}

/* ---- To the machine ---- */

static void deliver(struct copying *copying, size_t count)
{
	struct error ignored;

	for (size_t i = 0; i < count; i++)
		channel_publish(&copying->target, copying->late[i].offset, copying->late[i].bytes,
		                copying->late[i].size, &ignored);
	copying->late_count -= count;
	memmove(copying->late, copying->late + count, copying->late_count * sizeof(*copying->late));
}

/* The same word's earlier value does not arrive any more. */
static void merge(struct copying *copying, uint64_t offset, size_t size)
{
	for (size_t i = 0; i < copying->late_count; i++) {
		if (copying->late[i].offset != offset || copying->late[i].size != size)
			continue;
		copying->late_count--;
		memmove(copying->late + i, copying->late + i + 1,
		        (copying->late_count - i) * sizeof(*copying->late));
		return;
	}
}

static void put_late(struct channel *channel, uint64_t offset, const void *from, size_t size)
{
	struct copying *copying = channel->own;
	struct late *late;

	merge(copying, offset, size);
	if (copying->late_count == MOST_LATE)
		deliver(copying, 1);
	late = &copying->late[copying->late_count++];
	late->offset = offset;
	late->size = size;
	memcpy(late->bytes, from, size);
	memcpy(mirror_at(channel, offset), from, size);
}

static int copying_publish(struct channel *channel, uint64_t offset, const void *from, size_t size,
                           struct error *error)
{
	struct copying *copying = channel->own;

	(void)error;
	acquire();
	put_late(channel, offset, from, size);
	deliver(copying, chance(copying, copying->late_count));
	release();
	return 0;
}

/* ---- From the machine ---- */

/* By halves: who writes it meanwhile may be seen in one of them only. */
static uint64_t fetch_once(struct copying *copying, uint64_t offset, size_t size)
{
	const uint32_t *at = mirror_at(&copying->target, offset);
	uint64_t word = __atomic_load_n(at, __ATOMIC_ACQUIRE);

	if (size == sizeof(uint32_t))
		return word;
	if (!chance(copying, 3))
		meanwhile(copying);
	return word | (uint64_t)__atomic_load_n(at + 1, __ATOMIC_ACQUIRE) << 32;
}

static void fetch(struct copying *copying, uint64_t offset, size_t size)
{
	uint64_t word = fetch_once(copying, offset, size), again;

	if (copying->shown_count == MOST_WORDS || offset + size > copying->target.size)
		return;
	while ((again = fetch_once(copying, offset, size)) != word)
		word = again;
	copying->shown[copying->shown_count++] = (struct shown){ offset, word, size };
}

/* Magic and state, then what the tables tell of, if they make sense. */
static void fetch_words(struct copying *copying)
{
	struct error ignored = { "" };
	struct region region;

	copying->shown_count = 0;
	if (copying->target.size < sizeof(struct tr_header))
		return;
	fetch(copying, offsetof(struct tr_header, magic), 8);
	fetch(copying, offsetof(struct tr_header, state), 4);
	if (region_open(&region, &copying->target, &ignored))
		return;
	if (!region_load(&region, &ignored)) {
		fetch(copying, region.header.mailbox.offset + offsetof(struct tr_mailbox, reply),
		      4);
		fetch(copying, region.header.console.offset, 8);
		for (uint32_t i = 0; i < region.header.rings.count; i++) {
			uint64_t control = region.rings[i].control;

			fetch(copying, control + offsetof(struct perf_event_mmap_page, data_head),
			      8);
			fetch(copying, control + offsetof(struct perf_event_mmap_page, aux_head),
			      8);
		}
	}
	region_close(&region);
}

static void show_words(struct channel *channel)
{
	struct copying *copying = channel->own;

	/* The last first: magic and state are shown when all else is. */
	for (size_t i = copying->shown_count; i-- > 0;) {
		const struct shown *shown = &copying->shown[i];
		void *at = mirror_at(channel, shown->offset);

		if (shown->size == sizeof(uint64_t))
			__atomic_store_n((uint64_t *)at, shown->value, __ATOMIC_RELEASE);
		else
			__atomic_store_n((uint32_t *)at, (uint32_t)shown->value, __ATOMIC_RELEASE);
	}
}

/* The part of [offset, offset + size) that lies in the piece from `from` on. */
static void keep(uint8_t *piece, uint64_t from, size_t length, uint64_t offset, size_t size,
                 const uint8_t *bytes)
{
	for (size_t i = 0; i < size; i++) {
		if (offset + i >= from && offset + i < from + length)
			piece[offset + i - from] = bytes[i];
	}
}

/* All but the words that are shown later, and those that are ours. */
static void bring_piece(struct channel *channel)
{
	struct copying *copying = channel->own;
	size_t length = 1 + chance(copying, copying->options.piece - 1);
	uint64_t from = copying->cursor;
	uint8_t *piece = mirror_at(channel, from);
	uint64_t before[MOST_WORDS];

	if (length > channel->size - from)
		length = channel->size - from;
	for (size_t i = 0; i < copying->shown_count; i++)
		memcpy(&before[i], mirror_at(channel, copying->shown[i].offset),
		       copying->shown[i].size);
	memcpy(piece, mirror_at(&copying->target, from), length);
	for (size_t i = 0; i < copying->shown_count; i++)
		keep(piece, from, length, copying->shown[i].offset, copying->shown[i].size,
		     (const uint8_t *)&before[i]);
	for (size_t i = 0; i < copying->late_count; i++)
		keep(piece, from, length, copying->late[i].offset, copying->late[i].size,
		     copying->late[i].bytes);
	copying->cursor += length;
}

static int refresh(struct channel *channel)
{
	struct copying *copying = channel->own;
	size_t steps = chance(copying, MOST_STEPS);

	deliver(copying, chance(copying, copying->late_count));
	if (!copying->has_more) {
		fetch_words(copying);
		copying->cursor = 0;
		copying->has_more = true;
	}
	for (; steps && copying->cursor < channel->size; steps--) {
		meanwhile(copying);
		bring_piece(channel);
	}
	if (copying->cursor < channel->size)
		return 1;
	if (copying->options.fault == COPYING_HEADS_LAST)
		fetch_words(copying);
	show_words(channel);
	copying->has_more = false;
	return 0;
}

static int copying_refresh(struct channel *channel, struct error *error)
{
	int code;

	(void)error;
	acquire();
	code = refresh(channel);
	release();
	return code;
}

/* Where others went wrong. */
static int clear_wrongly(struct channel *channel, struct channel_bell *bells, size_t count,
                         struct error *error)
{
	struct copying *copying = channel->own;

	while (refresh(channel))
		;
	if (copying->options.fault == COPYING_NO_LOOK_AGAIN)
		return channel_clear(&copying->target, bells, count, error);
	for (size_t i = 0; i < count; i++) {
		const uint32_t *word = mirror_at(channel, bells[i].pending), zero = 0;

		bells[i].was_set = bells[i].pending && *word;
		if (bells[i].was_set)
			put_late(channel, bells[i].pending, &zero, sizeof(zero));
	}
	return 0;
}

static int copying_clear(struct channel *channel, struct channel_bell *bells, size_t count,
                         struct error *error)
{
	struct copying *copying = channel->own;
	int code;

	acquire();
	deliver(copying, copying->late_count);
	if (copying->options.fault >= COPYING_NO_LOOK_AGAIN) {
		code = clear_wrongly(channel, bells, count, error);
	} else {
		code = channel_clear(&copying->target, bells, count, error);
		meanwhile(copying);
		copying->has_more = false; /* what was under way began before that */
		code = code < 0 ? code : refresh(channel);
	}
	release();
	return code;
}

static void copying_wait(struct channel *channel)
{
	struct copying *copying = channel->own;

	copying_channel_deliver(channel);
	if (!copying->has_more)
		channel_wait(&copying->target);
}

static bool copying_rung(struct channel *channel, uint32_t vector, uint64_t *count)
{
	struct copying *copying = channel->own;

	return channel_rung(&copying->target, vector, count);
}

static void copying_close(struct channel *channel)
{
	struct copying *copying = channel->own;

	copying_channel_deliver(channel);
	munmap(channel->bytes, channel->size);
	channel_close(&copying->target);
	free(copying);
	memset(channel, 0, sizeof(*channel));
}

static const struct channel_ops copying_ops = {
	.name = "copying",
	.refresh = copying_refresh,
	.publish = copying_publish,
	.clear = copying_clear,
	.wait = copying_wait,
	.rung = copying_rung,
	.close = copying_close,
};

int copying_channel_wrap(struct channel *channel, const struct copying_options *options,
                         struct error *error)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct copying *copying = calloc(1, sizeof(*copying));
	void *mirror =
	    mmap(NULL, channel->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!copying || mirror == MAP_FAILED) {
		free(copying);
		return error_set(error, -ENOMEM, "no memory for a mirror");
	}
	pthread_once(&once, keep_lock_over_fork);
	memset(mirror, 0xa5, channel->size); /* nothing that anybody may see */
	copying->target = *channel;
	copying->options = *options;
	*channel = (struct channel){ &copying_ops,  mirror, channel->size,
		                     channel->live, NULL,   channel->peer };
	channel->own = copying;
	return 0;
}

void copying_channel_deliver(struct channel *channel)
{
	struct copying *copying = channel->own;

	acquire();
	deliver(copying, copying->late_count);
	release();
}
