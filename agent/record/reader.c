/* SPDX-License-Identifier: MIT */
#include "agent/record/reader.h"

#include "arch/arch.h"
#include "lib/console/console.h"
#include "pmu/clock/clock.h"

#define LOOK_NS 1000U /* the most ns that one look counts for */

/* A wait for the reader: it polls the reader's words in the region's header. */
struct watch {
	struct channel *channel;
	struct tr_reader seen;
	uint32_t pauses; /* between two looks */
	uint64_t last;   /* time of the last look, ns */
	uint64_t all;    /* ns that the wait has lasted */
	uint64_t still;  /* ns of the wait since the reader's id or lease changed */
};

static struct tr_reader lost; /* its lease stalled; not waited for until id or lease changes */

static struct tr_reader reader_copy(const struct trace_region *region)
{
	const struct tr_reader *words = &region->header->reader;

	return (struct tr_reader){
		.ready = __atomic_load_n(&words->ready, __ATOMIC_ACQUIRE),
		.id = __atomic_load_n(&words->id, __ATOMIC_ACQUIRE),
		.lease = __atomic_load_n(&words->lease, __ATOMIC_RELAXED),
	};
}

/* Branch-free, so that it takes the same number of instructions in each case (-icount). */
static bool reader_is_same(const struct tr_reader *a, const struct tr_reader *b)
{
	return !((a->id ^ b->id) | (a->lease ^ b->lease));
}

static bool reader_is_seen(const struct tr_reader *seen)
{
	return seen->id && !reader_is_same(seen, &lost);
}

/* Wait for a moment, and look again. Returns whether a reader is announced and its lease is alive.
 */
static bool reader_look(struct watch *w, struct trace_region *region)
{
	struct tr_reader before = w->seen;
	uint64_t passed, most = (uint64_t)LOOK_NS * w->pauses;

	trace_region_beat(region, w->last);
	channel_pump(w->channel);
	clock_let_time_pass(w->pauses);
	w->seen = reader_copy(region);
	passed = clock_look(&w->last, clock_steady(), most);
	/* With -icount the host's time passes faster than the clock here shows. */
	passed = w->pauses == 1 ? passed : most;
	w->all += passed;
	w->still = (w->still + passed) * reader_is_same(&w->seen, &before);
	if (w->still >= TR_LEASE_LOST_MS * NSEC_PER_MSEC)
		lost = w->seen;
	return reader_is_seen(&w->seen);
}

static struct watch reader_begin_to_watch(const struct trace_region *region,
                                          struct channel *channel)
{
	return (struct watch){
		.channel = channel,
		.seen = reader_copy(region),
		.pauses = 1,
		.last = clock_steady(),
	};
}

bool reader_is_announced(const struct trace_region *region)
{
	struct tr_reader seen = reader_copy(region);

	return reader_is_seen(&seen);
}

enum tr_reader_found reader_await(struct trace_region *region, struct channel *channel)
{
	struct watch w = reader_begin_to_watch(region, channel);
	enum tr_reader_found found = TR_READER_READY;
	uint64_t began = w.last;

	/* A reader sets `steady` if the emulator counts instructions for time (-icount) and each
	 * run must be the same. Then the wait always lasts one step. The step is so long that the
	 * host has nearly always finished within it. */
	if (__atomic_load_n(&region->header->reader.steady, __ATOMIC_RELAXED)) {
		w.pauses = TR_STEADY_LOOKS;
		w.seen.ready = 0; /* wait one step even if the reader is ready */
	}
	if (!reader_is_seen(&w.seen))
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

/* ---- Unread records ---- */

static struct {
	const struct perf_event_mmap_page *control;
	uint64_t head, aux_head;
} noted[TR_MAX_RINGS];
static unsigned nr_noted;

void reader_forget_rings(void)
{
	nr_noted = 0;
}

void reader_note_ring(const struct perf_event_mmap_page *control, uint64_t head, uint64_t aux_head)
{
	noted[nr_noted].control = control;
	noted[nr_noted].head = head;
	noted[nr_noted++].aux_head = aux_head;
}

/* Bytes from the tail that word holds to head; 0 if the tail is beyond head, which is garbage. */
static uint64_t reader_left_of(uint64_t head, const uint64_t *word)
{
	uint64_t tail = __atomic_load_n(word, __ATOMIC_ACQUIRE);

	return tail < head ? head - tail : 0;
}

static uint64_t reader_unread(void)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < nr_noted; i++)
		bytes += reader_left_of(noted[i].head, &noted[i].control->data_tail) +
		         reader_left_of(noted[i].aux_head, &noted[i].control->aux_tail);
	return bytes;
}

/* ns to wait for the reader after it last read something. and_end: wait for the reader to withdraw,
 * too. With nothing left to read that takes time, because a slow line may still be sending the
 * ledgers. */
static uint64_t reader_patience(uint64_t left, bool and_end)
{
	if (left)
		return TR_READER_MS * NSEC_PER_MSEC;
	return and_end ? TR_READER_END_MS * NSEC_PER_MSEC : 0;
}

/* Wait while the reader keeps reading; then, with and_end, until it withdraws. Returns the unread
 * bytes. */
static uint64_t reader_await_reading(struct watch *w, struct trace_region *region, bool and_end)
{
	uint64_t left = reader_unread(), moved = 0;

	while (w->all - moved < reader_patience(left, and_end) && reader_look(w, region)) {
		uint64_t now = reader_unread();

		moved = now < left ? w->all : moved;
		left = now;
	}
	if (left)
		console_printf("the reader left %lu KiB of the recording unread\n",
		               (left + 1023) >> 10);
	else if (and_end && reader_is_seen(&w->seen))
		console_printf("the reader has read everything, but does not withdraw\n");
	return left;
}

static void reader_report_unread(void)
{
	console_printf("the last recording is still being read: %lu KiB to go\n",
	               (reader_unread() + 1023) >> 10);
}

void reader_await_read(struct trace_region *region, struct channel *channel)
{
	struct watch w = reader_begin_to_watch(region, channel);

	if (!reader_unread() || !reader_is_seen(&w.seen) || w.seen.ready != region->run)
		return; /* a reader that was announced for the next run does not read this one */
	reader_report_unread();
	reader_await_reading(&w, region, false);
}

bool reader_await_end(struct trace_region *region, struct channel *channel)
{
	struct watch w = reader_begin_to_watch(region, channel);

	if (!reader_is_seen(&w.seen))
		return !w.seen.id && !reader_unread();
	reader_report_unread();
	return !reader_await_reading(&w, region, true) && !w.seen.id;
}

bool reader_await_one(struct trace_region *region, struct channel *channel)
{
	struct watch w = reader_begin_to_watch(region, channel);

	console_printf("waiting %u s for a reader\n", TR_READER_MS / 1000);
	while (!reader_is_seen(&w.seen) && w.all < TR_READER_MS * NSEC_PER_MSEC)
		reader_look(&w, region);
	return reader_is_seen(&w.seen);
}

bool reader_took_all(struct trace_region *region, struct channel *channel, bool announced)
{
	if (!announced && !reader_is_announced(region) && !reader_await_one(region, channel)) {
		console_printf("no host reads the recording, which stays in RAM");
		return false;
	}
	if (reader_await_end(region, channel))
		return true;
	console_printf("the reader has left or stopped reading; the recording stays in RAM");
	return false;
}

bool reader_await_room(struct trace_region *region, struct channel *channel, struct stream *stream)
{
	struct watch w = reader_begin_to_watch(region, channel);

	while (!stream_room(stream)) {
		if (w.all >= TR_READER_MS * NSEC_PER_MSEC || !reader_look(&w, region))
			return false;
	}
	return true;
}
