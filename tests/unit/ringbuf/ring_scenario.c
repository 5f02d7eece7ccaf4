/* SPDX-License-Identifier: MIT */
#include "tests/unit/ringbuf/ring_scenario.h"

#include <stdlib.h>

static uint64_t nesting; /* random state of the handlers that interrupt_at_random() simulates */

static uint32_t a_size(uint64_t *random, uint32_t limit)
{
	return RIG_MIN_RECORD + (uint32_t)(rig_random(random) % (limit - RIG_MIN_RECORD)) / 8 * 8;
}

/* Nothing interrupts the innermost writer. */
static bool write_at(struct rig *rig, uint32_t size, unsigned nested)
{
	if (nested + 1 == RIG_EVENTS)
		return rig_write_alone(rig, nested, size);
	return rig_write(rig, nested, size, nested);
}

static void interrupt_at_random(struct rig *rig, unsigned nested)
{
	while (nested < RIG_EVENTS && rig_random(&nesting) % 4 == 0)
		write_at(rig, a_size(&nesting, rig->ring.max_record), nested);
}

static struct rig *random_rig(uint64_t *random, uint32_t flags)
{
	struct rig *rig = malloc(sizeof(*rig));

	if (!rig)
		abort();
	rig_init(rig, (uint64_t)TR_PAGE << rig_random(random) % 4, flags,
	         rig_random(random) % 2 ? (uint32_t)(rig_random(random) % 64) : 0,
	         rig_random(random) % 2 ? (uint32_t)(rig_random(random) % TR_PAGE) : 0);
	if (rig_random(random) % 8 == 0)
		rig->ring.near = 0;
	nesting = rig_random(random);
	rig->interrupt = interrupt_at_random;
	return rig;
}

/* An impossible tail: below the last good one, far beyond the head, or not aligned. */
static void lie(struct rig *rig, uint64_t *random)
{
	uint64_t head = rig->control->data_head;

	switch (rig_random(random) % 3) {
	case 0:
		rig->control->data_tail = head + (1 << 20) + rig_random(random) % 100000 / 8 * 8;
		break;
	case 1:
		rig->control->data_tail = rig->ring.tail - 8;
		break;
	default:
		rig->control->data_tail = head | 3;
	}
}

/* The reader dies; another continues from its tail. */
static const char *replace_reader(struct rig *rig)
{
	if (ring_reader_init(&rig->reader, rig->control, rig->data, rig->ring.size, 0))
		return "a new reader was refused";
	return NULL;
}

static const char *one_step(struct rig *rig, uint64_t *random)
{
	uint64_t what = rig_random(random) % 256;

	if (what == 0) {
		lie(rig, random);
		rig_write(rig, 0, a_size(random, rig->ring.max_record), 0);
		rig_write(rig, 0, a_size(random, rig->ring.max_record), 0);
		rig->control->data_tail = rig->reader.position;
	} else if (what == 1) {
		return replace_reader(rig);
	} else if (what < 16) {
		rig->doorbell.pending = 0;
		return rig_drain(rig, what < 8 ? UINT64_MAX : what);
	}
	write_at(rig, a_size(random, what % 8 ? 128 : rig->ring.max_record),
	         what % 4 ? 0 : RIG_EVENTS - 1);
	return NULL;
}

/* Read everything; then the next record must report the lost ones. */
static const char *settle(struct rig *rig)
{
	const char *wrong;

	rig->interrupt = NULL;
	wrong = rig_drain(rig, UINT64_MAX);
	if (wrong)
		return wrong;
	if (!rig_write(rig, 0, RIG_MIN_RECORD, 0))
		return "a record was lost in an empty ring";
	wrong = rig_drain(rig, UINT64_MAX);
	if (wrong)
		return wrong;
	if (rig->reported != rig->ring.lost)
		return "a loss is not reported although there was room";
	return rig_check(rig);
}

const char *scenario_random(uint64_t seed, uint64_t records)
{
	uint64_t random = seed;
	struct rig *rig = random_rig(&random, 0);
	const char *wrong = NULL;

	while (records-- && !wrong)
		wrong = one_step(rig, &random);
	if (!wrong)
		wrong = settle(rig);
	rig_free(rig);
	free(rig);
	return wrong;
}

/* A snapshot's samples: complete, each event's newest first. */
static const char *check_snapshot(struct rig *rig, uint64_t *delivered)
{
	uint64_t newest[RIG_EVENTS] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
	const struct perf_event_header *record;
	int got;

	if (ring_reader_refresh(&rig->reader) < 0)
		return rig->reader.error.reason;
	while ((got = ring_reader_next(&rig->reader, &record)) > 0) {
		const uint64_t *words = (const uint64_t *)record;
		uint64_t event = words[1] - 100;

		if (record->type != PERF_RECORD_SAMPLE)
			continue;
		if (event >= RIG_EVENTS || words[3] >= newest[event] ||
		    words[2] != words[3] % 1000 + 1)
			return "a snapshot's sample is not whole or out of order";
		newest[event] = words[3];
		++*delivered;
	}
	return got < 0 ? rig->reader.error.reason : NULL;
}

const char *scenario_random_backward(uint64_t seed, uint64_t records)
{
	uint64_t random = seed, delivered = 0, written = 0;
	struct rig *rig = random_rig(&random, TR_RING_BACKWARD);
	const char *wrong = NULL;

	while (records-- && !wrong) {
		write_at(rig, a_size(&random, 200), rig_random(&random) % 4 ? 0 : RIG_EVENTS - 1);
		if (rig_random(&random) % 64)
			continue;
		rig->reader.still = rig_random(&random) % 2;
		wrong = check_snapshot(rig, &delivered);
	}
	for (unsigned i = 0; i < RIG_EVENTS; i++)
		written += rig->events[i].account.written;
	if (!wrong && (delivered > written || delivered == 0))
		wrong = "snapshots repeat records, or have none";
	rig_free(rig);
	free(rig);
	return wrong;
}

const char *scenario_shared_ring(void)
{
	static struct rig rig;
	uint64_t seen = 0;
	const char *wrong = NULL;

	rig_init(&rig, TR_PAGE, 0, 0, 0);
	for (int i = 0; i < 30000 && !wrong; i++) {
		rig_write_alone(&rig, 1 + i % 2, 64);
		if (rig.notified != seen) {
			seen = rig.notified;
			rig.doorbell.pending = 0;
			wrong = rig_drain(&rig, UINT64_MAX);
		}
	}
	if (!wrong && rig.ring.lost)
		wrong =
		    "samples were lost although the reader came whenever its owner was notified";
	if (!wrong)
		wrong = settle(&rig);
	rig_free(&rig);
	return wrong;
}
