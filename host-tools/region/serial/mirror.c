/* SPDX-License-Identifier: MIT */
#include "host-tools/region/serial/mirror.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host-tools/region/serial/mirror_plan.h"

#define MOST_LATE  1024U /* limit of the stored HOST words */
#define LOOK_MS    30    /* approximate limit of one refresh */
#define LEDGERS_MS 1000  /* interval of fetching a run's ledgers */
#define TRIES      3U    /* attempts to fetch an overwritable ring as of one moment */

enum step {
	STEP_STATE,
	STEP_HEADER,
	STEP_TABLES,
	STEP_LEDGERS,
	STEP_HEADS,
	STEP_AUX_HEADS,
	STEP_BYTES,
	STEP_END,
};

/* A published word that may not have arrived; the mirror holds its value. */
struct late {
	uint64_t offset;
	size_t size;
	uint64_t number; /* number of its store() call */
};

struct mirror {
	const struct mirror_cable_ops *ops;
	void *cable;
	struct mirror_plan plan;

	bool has_more; /* a look is under way */
	enum step step;
	bool is_planned;       /* the step's pieces are listed */
	bool takes_layout;     /* the look includes header and tables */
	bool overwritable;     /* the look includes overwritable rings */
	unsigned tries;        /* attempts for overwritable rings */
	uint64_t moment;       /* moment() when the look began */
	uint64_t arrived;      /* stores that had arrived in the machine then */
	int64_t ledgers_until; /* ms: when the ledgers are due again */

	/* Of the last look: */
	bool has_region;
	uint64_t nonce, run;
	uint32_t state, reply;
	bool has_run; /* the places of its rings are known */

	struct late late[MOST_LATE];
	size_t late_count;
	uint64_t published; /* number of stores so far */
};

/* One lock for all mirrors, so that a forked process finds it free. The lease's thread publishes at
 * the same time as the reader. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void mirror_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void mirror_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static void keep_lock_over_fork(void)
{
	pthread_atfork(mirror_lock, mirror_unlock, mirror_unlock);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* ---- To the machine ---- */

static uint64_t stored(const struct mirror *mirror)
{
	return mirror->ops->stored ? mirror->ops->stored(mirror->cable) : mirror->published;
}

static void drop_arrived(struct mirror *mirror, uint64_t number)
{
	size_t kept = 0;

	for (size_t i = 0; i < mirror->late_count; i++) {
		if (mirror->late[i].number > number)
			mirror->late[kept++] = mirror->late[i];
	}
	mirror->late_count = kept;
}

static void note_late(struct mirror *mirror, uint64_t offset, size_t size)
{
	struct late *late = mirror->late;
	size_t i = 0;

	while (i < mirror->late_count && late[i].offset != offset)
		i++;
	if (i == MOST_LATE) /* more words than exist: drops the oldest */
		memmove(late, late + 1, --i * sizeof(*late));
	late[i] = (struct late){ offset, size, mirror->published };
	mirror->late_count = i < mirror->late_count ? mirror->late_count : i + 1;
}

static int mirror_publish(struct channel *channel, uint64_t offset, const void *from, size_t size,
                          struct error *error)
{
	struct mirror *mirror = channel->own;
	int code;

	mirror_lock();
	code = mirror->ops->store(mirror->cable, offset, from, size, error);
	if (!code) {
		mirror->published++;
		mirror_show_published(&mirror->plan, offset, from, size);
		note_late(mirror, offset, size);
	}
	mirror_unlock();
	return code;
}

/* ---- From the machine ---- */

/* While no run records, no record is in flight and none is overwritten. */
static bool mirror_is_quiet(uint32_t state)
{
	return state != TR_RECORDING && state != TR_BOOTING;
}

static int take_state(struct mirror *mirror, bool is_last, struct error *error)
{
	const struct tr_header *header = mirror_plan_staged_header(&mirror->plan);

	if (header->magic != TR_MAGIC && !mirror->has_region) {
		mirror->plan.has_layout = false;
		mirror->step = STEP_END;
		return 0;
	}
	if (header->magic != TR_MAGIC || (mirror->has_region && header->nonce != mirror->nonce))
		return error_set(error, -ECONNRESET,
		                 "the machine was reset: %s. Undelivered records are lost",
		                 header->magic == TR_MAGIC ? "its region is another boot's"
		                                           : "its region is gone");
	if (mirror->ops->moment)
		mirror->moment = mirror->ops->moment(mirror->cable);
	mirror->overwritable = mirror_is_quiet(header->state) ||
	                       (is_last && mirror->ops->moment && mirror->tries < TRIES);
	mirror->takes_layout |= is_last || !mirror->has_run || header->run != mirror->run ||
	                        header->state != mirror->state;
	mirror->has_run &= header->run == mirror->run;
	mirror->step = mirror->takes_layout ? STEP_HEADER : STEP_LEDGERS;
	return 0;
}

/* A command's result is also in the header, which was read before the mailbox's reply. */
static void take_heads(struct mirror *mirror)
{
	uint32_t reply = mirror_plan_reply(&mirror->plan);

	mirror->step = STEP_AUX_HEADS;
	if (mirror->takes_layout || reply == mirror->reply)
		return;
	mirror->takes_layout = true;
	mirror->step = STEP_STATE;
	mirror_plan_begin(&mirror->plan);
}

static void take_bytes(struct mirror *mirror)
{
	const struct tr_header *header = mirror_plan_staged_header(&mirror->plan);

	mirror->step = STEP_END;
	if (!mirror->overwritable || mirror_is_quiet(header->state) ||
	    mirror->ops->moment(mirror->cable) == mirror->moment)
		return;
	mirror->tries++; /* the machine has run meanwhile */
	mirror->step = STEP_STATE;
	mirror_plan_begin(&mirror->plan);
}

/* Called when a step's pieces have arrived: starts the next step. */
static int take_step(struct mirror *mirror, bool is_last, struct error *error)
{
	switch (mirror->step) {
	case STEP_STATE:
		return take_state(mirror, is_last, error);
	case STEP_TABLES:
		mirror_plan_load(&mirror->plan);
		break;
	case STEP_LEDGERS:
		mirror->ledgers_until = now_ms() + LEDGERS_MS;
		break;
	case STEP_HEADS:
		take_heads(mirror);
		return 0;
	case STEP_AUX_HEADS:
		if (!mirror->has_run)
			mirror_plan_begin_run(&mirror->plan);
		break;
	case STEP_BYTES:
		take_bytes(mirror);
		return 0;
	default:
		break;
	}
	mirror->step++;
	return 0;
}

static void plan_step(struct mirror *mirror)
{
	static void (*const plans[])(struct mirror_plan * plan) = {
		[STEP_STATE] = mirror_plan_state,   [STEP_HEADER] = mirror_plan_header,
		[STEP_TABLES] = mirror_plan_tables, [STEP_LEDGERS] = mirror_plan_ledgers,
		[STEP_HEADS] = mirror_plan_heads,   [STEP_AUX_HEADS] = mirror_plan_aux_heads,
	};
	struct mirror_plan *plan = &mirror->plan;

	if (mirror->step == STEP_LEDGERS && !mirror->takes_layout &&
	    now_ms() < mirror->ledgers_until)
		mirror->step = STEP_HEADS;
	if (mirror->step == STEP_BYTES)
		mirror_plan_bytes(plan, mirror->overwritable);
	else
		plans[mirror->step](plan);
	mirror->is_planned = true;
}

/* The machine's older words must not replace words that were published since the look began. */
static void show(struct mirror *mirror)
{
	struct mirror_plan *plan = &mirror->plan;
	const struct tr_header *header = mirror_plan_staged_header(plan);

	mirror_lock();
	drop_arrived(mirror, mirror->arrived);
	for (size_t i = 0; i < mirror->late_count; i++)
		memcpy(plan->stage + mirror->late[i].offset, plan->bytes + mirror->late[i].offset,
		       mirror->late[i].size);
	mirror_plan_show(plan);
	mirror_unlock();
	mirror->has_more = false;
	if (header->magic != TR_MAGIC)
		return;
	mirror->has_region = true;
	mirror->nonce = header->nonce;
	mirror->run = header->run;
	mirror->state = header->state;
	mirror->reply = mirror_plan_reply(plan);
	mirror->has_run = plan->has_layout;
}

static void begin_look(struct mirror *mirror)
{
	mirror_lock();
	mirror->arrived = stored(mirror);
	mirror_unlock();
	mirror->has_more = true;
	mirror->step = STEP_STATE;
	mirror->is_planned = mirror->takes_layout = mirror->overwritable = false;
	mirror->tries = 0;
	mirror_plan_begin(&mirror->plan);
}

/* Makes the last look one of a single moment, if possible. */
static void hold(const struct mirror *mirror, const struct channel *channel, bool on)
{
	if (channel->is_last && mirror->ops->hold)
		mirror->ops->hold(mirror->cable, on);
}

static int mirror_refresh(struct channel *channel, struct error *error)
{
	struct mirror *mirror = channel->own;
	struct mirror_plan *plan = &mirror->plan;
	int64_t until = now_ms() + LOOK_MS;
	int code = 0;

	if (!mirror->has_more)
		begin_look(mirror);
	hold(mirror, channel, true);
	while (!code && mirror->step != STEP_END) {
		if (!mirror->is_planned)
			plan_step(mirror);
		if (plan->failed)
			return error_set(error, -ENOMEM, "no memory for a list of what to fetch");
		if (plan->count)
			code = mirror->ops->fetch(mirror->cable, plan->pieces, plan->count, error);
		if (code)
			break;
		mirror->is_planned = false;
		code = take_step(mirror, channel->is_last, error);
		if (!code && mirror->step != STEP_END && now_ms() > until)
			return 1;
	}
	if (!code)
		show(mirror);
	if (code <= 0)
		hold(mirror, channel, false);
	return code;
}

/* Restarts the look: a look under way began before the doorbells were cleared. */
static int mirror_clear(struct channel *channel, struct channel_bell *bells, size_t count,
                        struct error *error)
{
	struct mirror *mirror = channel->own;
	int code = mirror->ops->clear(mirror->cable, bells, count, error);

	mirror->has_more = false;
	return code < 0 ? code : mirror_refresh(channel, error);
}

static void mirror_wait(struct channel *channel)
{
	struct mirror *mirror = channel->own;

	if (!mirror->has_more)
		mirror->ops->wait(mirror->cable);
}

static bool mirror_rung(struct channel *channel, uint32_t vector, uint64_t *count)
{
	return (void)channel, (void)vector, *count = 0, false;
}

static bool mirror_stop(struct channel *channel, struct channel_stop *stop)
{
	struct mirror *mirror = channel->own;

	return mirror->ops->stop && mirror->ops->stop(mirror->cable, stop);
}

static uint64_t mirror_backlog(const struct channel *channel)
{
	const struct mirror *mirror = channel->own;

	return mirror->has_more && mirror->step == STEP_BYTES ? mirror_plan_left(&mirror->plan) : 0;
}

static void mirror_close(struct channel *channel)
{
	struct mirror *mirror = channel->own;

	mirror->ops->close(mirror->cable);
	mirror_plan_free(&mirror->plan);
	free(mirror);
	memset(channel, 0, sizeof(*channel));
}

static const struct channel_ops mirror_ops = {
	.name = "mirror",
	.refresh = mirror_refresh,
	.publish = mirror_publish,
	.clear = mirror_clear,
	.wait = mirror_wait,
	.rung = mirror_rung,
	.stop = mirror_stop,
	.backlog = mirror_backlog,
	.close = mirror_close,
};

int mirror_open(struct channel *channel, const struct mirror_cable_ops *ops, void *cable,
                uint64_t size, struct error *error)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct mirror *mirror = calloc(1, sizeof(*mirror));
	int code;

	*channel = (struct channel){ 0 };
	if (!mirror)
		return error_set(error, -ENOMEM, "no memory for a mirror");
	code = mirror_plan_init(&mirror->plan, size, error);
	if (code) {
		free(mirror);
		return code;
	}
	pthread_once(&once, keep_lock_over_fork);
	mirror->ops = ops;
	mirror->cable = cable;
	*channel = (struct channel){
		.ops = &mirror_ops, .bytes = mirror->plan.bytes, .size = size, .live = true
	};
	channel->own = mirror;
	return 0;
}
