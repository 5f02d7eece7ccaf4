/* SPDX-License-Identifier: MIT */
#include "agent/payload/payload_output.h"

#include "agent/payload/payload_hooks.h"
#include "agent/payload/payload_run.h"
#include "agent/record/reader.h"
#include "lib/console/console.h"
#include "pmu/clock/clock.h"

#define LOOK_NS 1000U /* as in agent/record/reader.c */
#define PIECE   512U  /* bytes at a time: meanwhile other CPUs wait, and no CPU may stall */

/* Set when the reader has made no room for TR_STALL_MS: no write waits for it again until its tail
 * has moved from here. */
struct given_up {
	bool is;
	uint64_t tail;
};

static const struct trace_region *output_region;
static struct stream streams[TR_STREAMS];
static struct given_up given_up[TR_STREAMS];
static uint32_t busy; /* a lock: one CPU at a time writes streams and console */

static void payload_output_init(const struct trace_region *region)
{
	output_region = region;
	for (unsigned i = 0; i < TR_STREAMS; i++) {
		uint8_t *bytes = region->stream_bytes + (uint64_t)i * region->limits.stream_size;

		stream_init(&streams[i], &region->streams[i], bytes,
		            (uint64_t)(bytes - (uint8_t *)region->header),
		            region->limits.stream_size);
	}
}

void payload_output_begin(const struct trace_region *region)
{
	if (!output_region)
		payload_output_init(region);
	for (unsigned i = 0; i < TR_STREAMS; i++) {
		stream_begin(&streams[i]);
		given_up[i].is = false;
	}
}

struct stream *payload_output_files(void)
{
	return &streams[TR_STREAM_FILES];
}

static void payload_output_lock(void)
{
	payload_hooks->hold();
	while (arch_exchange(&busy, 1) != 0)
		arch_relax();
}

static void payload_output_unlock(void)
{
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	payload_hooks->release();
}

/* Write as many bytes as there is room for. Returns their number. */
static uint64_t payload_output_put(enum tr_stream_kind kind, const uint8_t *bytes, uint64_t size)
{
	struct stream *stream = &streams[kind];
	uint64_t put;

	payload_output_lock();
	if (!reader_is_announced(output_region))
		stream_make_room(stream, size);
	put = stream_put(stream, bytes, size);
	console_write_aside((const char *)bytes, put);
	payload_output_unlock();
	return put;
}

/* Whether bytes can be written: there is room, or no reader, and then the oldest bytes are dropped.
 * *tail: the reader's position. */
static bool payload_output_has_room(enum tr_stream_kind kind, uint64_t *tail)
{
	bool has;

	payload_output_lock();
	has = stream_room(&streams[kind]) || !reader_is_announced(output_region);
	*tail = streams[kind].tail;
	payload_output_unlock();
	return has;
}

/* Wait until bytes can be written. Returns false if the reader has stopped. A profile shows the
 * program's waiting time in this function. */
static bool payload_output_await(enum tr_stream_kind kind)
{
	struct given_up *gone = &given_up[kind];
	uint64_t last = clock_now(), still = 0, tail;

	while (!payload_output_has_room(kind, &tail)) {
		if (gone->is && gone->tail == tail)
			return false;
		payload_leave_if_ending();
		arch_relax();
		still += clock_look(&last, clock_now(), LOOK_NS);
		*gone = (struct given_up){ still >= TR_STALL_MS * NSEC_PER_MSEC, tail };
	}
	return true;
}

static uint64_t payload_output_lose(enum tr_stream_kind kind, const uint8_t *bytes, uint64_t size)
{
	payload_output_lock();
	stream_lose(&streams[kind], size);
	console_write_aside((const char *)bytes, size);
	payload_output_unlock();
	return size;
}

void payload_output_write(enum tr_stream_kind kind, const void *bytes, uint64_t size)
{
	const uint8_t *at = bytes;

	while (size) {
		uint64_t piece = size < PIECE ? size : PIECE;
		uint64_t put = payload_output_put(kind, at, piece);

		if (!put && !payload_output_await(kind))
			put = payload_output_lose(kind, at, piece);
		at += put;
		size -= put;
	}
	payload_leave_if_ending();
}
