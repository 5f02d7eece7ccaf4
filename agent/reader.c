/* SPDX-License-Identifier: MIT */
#include "agent/reader.h"

#include "arch/arch.h"
#include "pmu/clock.h"

#define NSEC_PER_MSEC 1000000ULL
#define LOOK_NS       1000U /* that a look counts for, at most */
#define FILLER        64U   /* turns of a loop between two looks */

/* How long somebody was looked at. */
struct watch {
	struct channel *channel;
	struct tr_reader seen;
	uint64_t last;  /* look, ns */
	uint64_t all;   /* ns of looking */
	uint64_t still; /* of these, since id or lease changed */
};

static struct tr_reader lost; /* its lease stood still; not waited for until it changes */

static struct tr_reader reader_copy(const struct trace_region *region)
{
	const struct tr_reader *words = &region->header->reader;

	return (struct tr_reader){
		.ready = __atomic_load_n(&words->ready, __ATOMIC_ACQUIRE),
		.id = __atomic_load_n(&words->id, __ATOMIC_ACQUIRE),
		.lease = __atomic_load_n(&words->lease, __ATOMIC_RELAXED),
	};
}

static bool is_same(const struct tr_reader *a, const struct tr_reader *b)
{
	return a->id == b->id && a->lease == b->lease;
}

static bool is_announced(const struct tr_reader *seen)
{
	return seen->id && !is_same(seen, &lost);
}

/* An emulator's pause takes a microsecond of the host's and counts as one instruction (-icount): by
 * itself it would make our time pass too slowly there, as a sleep would make it pass too fast. */
static void pass_some_time(void)
{
	for (unsigned i = 0; i < FILLER; i++)
		__asm__ volatile("");
	arch_relax();
}

/* Another look: does the reader live? */
static bool reader_look(struct watch *w, struct trace_region *region)
{
	struct tr_reader before = w->seen;
	uint64_t now, passed;

	trace_region_beat(region);
	channel_pump(w->channel);
	pass_some_time();
	w->seen = reader_copy(region);
	now = clock_now();
	passed = now - w->last < LOOK_NS ? now - w->last : LOOK_NS;
	w->last = now;
	w->all += passed;
	w->still = is_same(&w->seen, &before) ? w->still + passed : 0;
	if (w->still >= TR_LEASE_LOST_MS * NSEC_PER_MSEC)
		lost = w->seen;
	return is_announced(&w->seen);
}

static struct watch begin_to_watch(const struct trace_region *region, struct channel *channel)
{
	return (struct watch){
		.channel = channel,
		.seen = reader_copy(region),
		.last = clock_now(),
	};
}

bool reader_is_announced(const struct trace_region *region)
{
	struct tr_reader seen = reader_copy(region);

	return is_announced(&seen);
}

enum tr_reader_found reader_await(struct trace_region *region, struct channel *channel)
{
	struct watch w = begin_to_watch(region, channel);
	enum tr_reader_found found = TR_READER_READY;
	uint64_t began = w.last;

	if (!is_announced(&w.seen))
		found = TR_READER_NONE;
	while (found == TR_READER_READY && w.seen.ready != region->run) {
		if (!reader_look(&w, region))
			found = TR_READER_GONE;
		else if (w.all >= TR_READER_MS * NSEC_PER_MSEC)
			found = TR_READER_LATE;
	}
	region->header->reader_wait = w.last - began;
	region->header->reader_found = found;
	return found;
}

bool reader_await_end(struct trace_region *region, struct channel *channel)
{
	struct watch w = begin_to_watch(region, channel);

	while (is_announced(&w.seen))
		reader_look(&w, region);
	return !w.seen.id;
}
