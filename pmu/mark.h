/* SPDX-License-Identifier: MIT */
/*
 * Marks of the traced program, as samples of the event `marks` (pmu/software/marks.c): perf's
 * PERF_COUNT_SW_BPF_OUTPUT. Every perf prints their RAW field as text if only NULs follow the text.
 * So a mark without values is written as its final text. A mark with values has its format, then
 * room for the text, then the values. The host writes the text over all three
 * (writer/perfdata/mark_text.h), so the record keeps its size.
 *
 *	word 0		header
 *	1 .. 6		IDENTIFIER, IP, TID, TIME, CPU, PERIOD
 *	7, 8 ..		RAW: its size in the lower half of the first, then text, NUL, and NULs up to
 *			the word's end; of a mark with values: MARK_ROOM words for each; the values
 *
 * A format with values begins with a byte that is no text: the number of values.
 */
#ifndef PMU_MARK_H
#define PMU_MARK_H

#include "pmu/clock/clock.h"
#include "pmu/pmu.h"
#include "pmu/sample.h"
#include "ringbuf/bytes.h"
#include "ringbuf/ring.h"

#define MARK_TYPES                                                                      \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)
#define MARK_HEAD   56U /* bytes before RAW */
#define MARK_TEXT   8U  /* most words of RAW with the text; at least 2 */
#define MARK_VALUES 4U
#define MARK_ROOM   2U /* words per value: 24 bytes with it, enough as text */

/* Bytes of the longest mark. */
#define MARK_SIZE_MAX (MARK_HEAD + 8U * (MARK_TEXT + (1 + MARK_ROOM) * MARK_VALUES))

/* Whether the event is `marks`: with a sample_period they are recorded, otherwise only counted. */
static inline bool mark_is_event(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* Each CPU's marks. event records them (NULL: marks are off); slow is the number of calls inside
 * mark_put_slow(). That CPU writes both. calls, image and size belong to
 * agent/payload/payload_calls.c, which gets the address of calls and finds the other two beside
 * it. */
extern struct mark_cpu {
	const void *calls[5];
	struct perf_event *event;
	uint64_t image, size;
	uint64_t slow;
} mark_cpus[TR_MAX_CPUS];

/* Write the result of marks that were only counted, when counting ends: a sample of the event with
 * this text as RAW. Any context on event->cpu. */
void mark_report(struct perf_event *event, const char *text);

/* Build a record of size bytes, MARK_HEAD of them before RAW. Words are loaded and stored in pairs:
 * Arm moves a pair by one instruction, and x86 has no registers for more. raw has at least two
 * words; nearly all texts have exactly two. */
RING_FAST void mark_build(const struct perf_event *event, uint64_t *at, uint32_t size, uint64_t ip,
                          uint64_t time, const uint64_t *raw, uint32_t values,
                          const uint64_t *value)
{
	uint64_t one, other;
	uint32_t end = size / 8 - values;

	at[0] = event->usual.header | (uint64_t)size << 48;
	at[1] = event->account.id;
	at[2] = ip;
	one = event->usual.tid;
	other = event->usual.cpu;
	at[3] = one;
	at[5] = other;
	at[4] = time;
	at[6] = 1;
	one = raw[0];
	other = raw[1];
	at[7] = one;
	at[8] = other;
	if (RING_RARE(size != MARK_HEAD + 16 + 8 * (1 + MARK_ROOM) * values)) {
		for (uint32_t i = 2; i < end - MARK_HEAD / 8 - MARK_ROOM * values; i++)
			at[MARK_HEAD / 8 + i] = raw[i];
	}
	for (uint32_t i = 0; i < values; i++)
		at[end + i] = value[i];
}

/* mark_put() when the ring needs more than the fast way. */
void mark_put_slow(struct perf_event *event, uint64_t ip, const uint64_t *raw, uint32_t bytes,
                   uint32_t values, const uint64_t *value);

/* raw has bytes bytes: RAW as it will be written, its size included, without the room and the
 * values. values is the length of value. At least two words of text. Any context on event->cpu,
 * nested or not. Returns false if the caller must call mark_put_slow(); that is a separate call so
 * that this function keeps everything in registers. */
RING_FAST bool mark_put(struct perf_event *event, uint64_t ip, const uint64_t *raw, uint32_t bytes,
                        uint32_t values, const uint64_t *value)
{
	uint64_t time = clock_line_stamp(&event->usual.clock, arch_cycles());
	uint32_t size = MARK_HEAD + bytes;
	struct ring_output out;
	uint64_t *at = ring_try(&out, event->ring, &event->account, size);

	if (RING_RARE(!at))
		return false;
	RING_OPAQUE(event); /* otherwise gcc saves the account's address for the slow way */
	out.account = &event->account;
	mark_build(event, at, size, ip, time, raw, values, value);
	out.sample = true;
	ring_commit(&out);
	return true;
}

#endif
