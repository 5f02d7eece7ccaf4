/* SPDX-License-Identifier: MIT */
#include "tests/unit/ringbuf/ring_rig.h"

#include <stdlib.h>
#include <string.h>

#include "ringbuf/ring_alone.h"

#define HEAD_WORDS (RIG_MIN_RECORD / 8)

static void count_notification(void *context, uint32_t vector)
{
	struct rig *rig = context;

	(void)vector;
	__atomic_fetch_add(&rig->notified, 1, __ATOMIC_RELAXED);
}

/* ID, STREAM_ID, IDENTIFIER: they identify the trailer's event. */
static void fill_trailer(const struct ring_account *account, void *to)
{
	uint64_t words[3] = { account->id, account->id + 1000, account->id };

	memcpy(to, words, sizeof(words));
}

static void init_ring(struct rig *rig, uint64_t size, uint32_t flags)
{
	struct ring_config config = {
		.control = rig->control,
		.data = rig->data,
		.size = size,
		.flags = flags,
		.max_record = size < 4 * RIG_MAX_RECORD ? (uint32_t)size / 4 : RIG_MAX_RECORD,
		.scratch = rig->scratch,
		.owner = &rig->owner,
	};

	if (ring_init(&rig->ring, &config) ||
	    ring_reader_init(&rig->reader, rig->control, rig->data, size, flags))
		abort();
}

void rig_init(struct rig *rig, uint64_t size, uint32_t flags, uint32_t events, uint32_t watermark)
{
	memset(rig, 0, sizeof(*rig));
	rig->control = aligned_alloc(TR_PAGE, TR_PAGE + size);
	if (!rig->control)
		abort();
	rig->data = (uint8_t *)rig->control + TR_PAGE;
	/* an earlier rig's records would hide a head that is published too early */
	memset(rig->data, 0, size);
	rig->owner.id = 100;
	rig->owner.doorbell = &rig->doorbell;
	rig->owner.wakeup_events = events;
	rig->owner.wakeup_watermark = watermark;
	rig->owner.notify = count_notification;
	rig->owner.context = rig;
	for (unsigned i = 0; i < RIG_EVENTS; i++) {
		rig->events[i].account.id = 100 + i;
		rig->events[i].account.trailer_size = 24;
		rig->events[i].account.trailer = fill_trailer;
	}
	init_ring(rig, size, flags);
}

void rig_free(struct rig *rig)
{
	free(rig->control);
}

uint64_t rig_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint64_t pattern(uint64_t id, uint64_t number, uint64_t word)
{
	return (id << 56) ^ (number * 0x9e3779b97f4a7c15) ^ word;
}

/* The part of a record's head that stays the same if the writer is interrupted afterwards. */
static void begin(uint64_t *words, uint64_t id, uint64_t number, uint32_t size)
{
	struct perf_event_header header = { PERF_RECORD_SAMPLE, 0, (uint16_t)size };

	memcpy(words, &header, sizeof(header));
	words[1] = id;
	words[2] = number % 1000 + 1;
}

static void complete(uint64_t *words, uint64_t id, uint64_t number, uint32_t size)
{
	words[3] = number;
	for (uint32_t i = HEAD_WORDS; i < size / 8; i++)
		words[i] = pattern(id, number, i);
}

bool rig_write(struct rig *rig, unsigned event, uint32_t size, unsigned nested)
{
	struct rig_event *e = &rig->events[event];
	uint64_t id = e->account.id, number = e->number++;
	struct ring_output out;
	uint64_t *words;

	words = ring_reserve_sample(&out, &rig->ring, &e->account, size, number % 1000 + 1);
	if (!words)
		return false;
	begin(words, id, number, size);
	if (rig->interrupt)
		rig->interrupt(rig, nested + 1);
	complete(words, id, number, size);
	ring_commit(&out);
	return true;
}

bool rig_write_alone(struct rig *rig, unsigned event, uint32_t size)
{
	struct rig_event *e = &rig->events[event];
	uint64_t *words, number, at = ring_load(&rig->ring.published);

	if (!ring_is_alone(&rig->ring, at, size))
		return rig_write(rig, event, size, RIG_EVENTS);
	words = ring_place_alone(&rig->ring, at);
	number = e->number++;
	begin(words, e->account.id, number, size);
	complete(words, e->account.id, number, size);
	e->account.period += number % 1000 + 1;
	ring_commit_alone(&rig->ring, &e->account, at + size);
	rig->alone++;
	return true;
}

static struct rig_event *find(struct rig *rig, uint64_t id)
{
	return id >= 100 && id < 100 + RIG_EVENTS ? &rig->events[id - 100] : NULL;
}

static const char *read_sample(struct rig *rig, const uint64_t *words, uint32_t size)
{
	struct rig_event *e = size >= RIG_MIN_RECORD ? find(rig, words[1]) : NULL;

	if (!e)
		return "a sample of no event";
	if (words[3] < e->expected)
		return "a sample out of order";
	e->gaps += words[3] - e->expected;
	e->expected = words[3] + 1;
	if (words[2] != words[3] % 1000 + 1)
		return "a sample with another's period";
	for (uint32_t i = HEAD_WORDS; i < size / 8; i++)
		if (words[i] != pattern(words[1], words[3], i))
			return "a sample that is not whole";
	e->delivered++;
	e->period += words[2];
	return NULL;
}

static const char *read_lost(struct rig *rig, const uint64_t *words, uint32_t size)
{
	if (size != 48 || !find(rig, words[1]))
		return "a LOST record of no event";
	if (words[2] == 0)
		return "a LOST record that tells nothing";
	if (words[3] != words[1] || words[4] != words[1] + 1000 || words[5] != words[1])
		return "a LOST record without its writer's trailer";
	rig->reported += words[2];
	rig->lost_records++;
	return NULL;
}

const char *rig_drain(struct rig *rig, uint64_t records)
{
	const struct perf_event_header *record;
	const char *wrong = NULL;
	int got;

	if (ring_reader_refresh(&rig->reader) < 0)
		return rig->reader.error.reason;
	while (records-- && (got = ring_reader_next(&rig->reader, &record)) != 0) {
		const uint64_t *words;

		if (got < 0)
			return rig->reader.error.reason;
		words = (const uint64_t *)record;
		if (record->type == PERF_RECORD_SAMPLE)
			wrong = read_sample(rig, words, record->size);
		else if (record->type == PERF_RECORD_LOST)
			wrong = read_lost(rig, words, record->size);
		else
			wrong = "a record of a type that nobody wrote";
		if (wrong)
			return wrong;
	}
	ring_reader_release(&rig->reader);
	return NULL;
}

static const char *check_event(const struct rig_event *e)
{
	struct tr_event_ledger ledger = { 0 };

	ring_account_publish(&e->account, &ledger);
	if (ledger.generated != e->number)
		return "generated is not what was begun";
	if (ledger.generated != ledger.written + ledger.lost)
		return "generated != written + lost";
	if (ledger.written != e->delivered)
		return "written != delivered";
	if (ledger.lost != e->gaps + e->number - e->expected)
		return "lost is not what is missing";
	if (ledger.period != e->period + ledger.period_lost)
		return "period != delivered PERIODs + period_lost";
	return NULL;
}

bool rig_may_sleep(struct rig *rig)
{
	ring_reader_clear(&rig->doorbell.pending);
	return ring_reader_refresh(&rig->reader) >= 0 && rig->reader.position == rig->reader.head;
}

const char *rig_check(const struct rig *rig)
{
	struct tr_ring_ledger ledger = { 0 };
	uint64_t lost = 0, causes = 0;
	const char *wrong;

	for (unsigned i = 0; i < RIG_EVENTS; i++) {
		wrong = check_event(&rig->events[i]);
		if (wrong)
			return wrong;
		lost += rig->events[i].account.lost;
	}
	ring_publish_ledger(&rig->ring, &ledger);
	if (ledger.lost != lost)
		return "the ring's lost != the sum of its events'";
	if (ledger.reported != rig->reported)
		return "reported != the sum of the LOST records";
	if (ledger.lost_records != rig->lost_records)
		return "LOST records written != read";
	for (unsigned i = 0; i < TR_WAKEUP_CAUSES; i++)
		causes += ledger.causes[i];
	if (ledger.sent != causes - ledger.coalesced)
		return "sent != causes - coalesced";
	if (ledger.sent + ledger.repeated != rig->notified)
		return "sent + repeated != notifications that came";
	return NULL;
}
