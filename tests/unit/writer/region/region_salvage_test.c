/* SPDX-License-Identifier: MIT */
/*
 * Reading a recording in RAM after a reset in which the caches' lines were lost. The machine is the
 * firmware's own code; its bytes are the CPUs' view of memory, with RAM behind. A line reaches RAM
 * when it is cleaned, or when a cache happens to write it back. After a reset each line has RAM's
 * bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/event_types.h"
#include "host-tools/ledger/check.h"
#include "host-tools/session/session_host.h"
#include "ringbuf/keep.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "tests/unit/temporary.h"
#include "writer/region/region_salvage.h"
#include "writer/session/session.h"

#define LINE       64U
#define LINES      (FIXTURE_SIZE / LINE)
#define RESETS     400U
#define STEPS      120U
#define RUNS       2U
#define IDLE       50U /* moments between two runs */
#define RECORD_MAX 128U
#define HALF       (FIXTURE_PAGES * TR_PAGE / 2)
#define STREAM     (1U << 16) /* the most bytes that a run writes to a ring or an AUX area */

static struct fixture fixture;
static uint8_t ram[FIXTURE_SIZE], image[FIXTURE_SIZE];
static bool pending[LINES];
static uint64_t seed;
static unsigned hooks, reset_at; /* number of calls; the one at which the reset comes */
static bool was_reset, was_in_tick, in_tick;
static unsigned ticks; /* ticks of this run that had ended before the reset */

/* All bytes that were written, by run, ring and position. */
static uint8_t records[RUNS][FIXTURE_RINGS][STREAM], trace[RUNS][FIXTURE_RINGS][STREAM];
static uint64_t heads[FIXTURE_RINGS], aux_heads[FIXTURE_RINGS];
static unsigned run;
/* The positions that the last complete tick has cleaned up to, and those that a reader had read up
 * to. */
static uint64_t kept[FIXTURE_RINGS];
static struct ring_keep keeps[FIXTURE_RINGS];

/* ---- RAM, caches, the reset ---- */

static uint64_t chance(uint64_t below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % below;
}

static void write_back(unsigned line)
{
	memcpy(ram + line * LINE, fixture.bytes + line * LINE, LINE);
	pending[line] = false;
}

/* The cache writes lines to RAM at random; lines of tables more often, because there are few. */
static void evict(void)
{
	unsigned hot = (unsigned)(fixture.region.tables_end / LINE);

	for (unsigned i = 0; i < 8; i++) {
		write_back((unsigned)chance(LINES));
		write_back((unsigned)chance(hot));
	}
}

static void take_image(void)
{
	if (hooks++ != reset_at)
		return;
	was_reset = true;
	was_in_tick = in_tick;
	memcpy(image, ram, sizeof(image));
	for (unsigned line = 0; line < LINES; line++) {
		if (chance(2))
			memcpy(image + line * LINE, fixture.bytes + line * LINE, LINE);
	}
}

static void clean(const void *start, size_t size)
{
	size_t from = (size_t)((const uint8_t *)start - fixture.bytes);

	if (was_reset)
		return;
	evict();
	take_image();
	for (size_t at = from / LINE; at * LINE < from + size; at++)
		pending[at] = true;
	for (size_t at = from / LINE; at * LINE < from + size; at++) {
		if (chance(2))
			write_back((unsigned)at);
	}
}

static void cleaned(void)
{
	if (was_reset)
		return;
	evict();
	take_image();
	for (unsigned line = 0; line < LINES; line++) {
		if (pending[line])
			write_back(line);
	}
	take_image();
}

/* ---- The machine ---- */

static void open_keeps(bool aux, bool reader)
{
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		keeps[i] = (struct ring_keep){
			.ring = &fixture.rings[i],
			.aux = aux ? &fixture.aux[i] : NULL,
			.area =
			    trace_region_at(&fixture.region, fixture.region.rings[i].aux_offset),
			.ledger = &fixture.region.ring_ledger[i],
			.events = &fixture.region.event_ledger[i * FIXTURE_EVENTS],
			.nr_events = FIXTURE_EVENTS,
			.stride = sizeof(struct tr_event_ledger),
			.has_reader = reader,
		};
		heads[i] = aux_heads[i] = 0;
	}
}

/* Note the new records of ring i, to compare them later. */
static void note(unsigned i)
{
	const struct ring *ring = &fixture.rings[i];
	const struct ring_aux *aux = &fixture.aux[i];
	const uint8_t *area = keeps[i].area;

	for (; heads[i] < ring->published && heads[i] < STREAM; heads[i]++)
		records[run][i][heads[i]] = ring->data[heads[i] & ring->mask];
	for (; aux->size && aux_heads[i] < aux->head && aux_heads[i] < STREAM; aux_heads[i]++)
		trace[run][i][aux_heads[i]] = area[aux_heads[i] % aux->size];
}

static void take_what_there_is(unsigned i)
{
	struct perf_event_mmap_page *control = fixture.rings[i].control;

	control->data_tail = control->data_head;
	control->aux_tail = control->aux_head;
}

static void tick(uint64_t most)
{
	in_tick = true;
	fixture_publish(&fixture);
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		ring_keep(&keeps[i], most);
		if (!was_reset)
			kept[i] = keeps[i].aux ? 0 : keeps[i].head;
	}
	in_tick = false;
	ticks += !was_reset;
}

static void step(bool aux, bool reader)
{
	static const uint8_t branches[24 * 40] = { 1, 2, 3, 4, 5, 6, 7 };
	unsigned ring = (unsigned)chance(FIXTURE_RINGS);

	for (uint64_t more = chance(6); more; more--)
		fixture_sample(&fixture, ring, (unsigned)chance(FIXTURE_EVENTS), seed,
		               1 + chance(99), (unsigned)chance(9));
	if (aux && chance(4) == 0)
		fixture_piece(&fixture, ring, branches, 24 * (1 + chance(40)), 0);
	note(ring);
	/* Less than half of a ring is written between two ticks. */
	if (reader && fixture.rings[ring].published - keeps[ring].head > HALF / 2)
		tick(UINT64_MAX);
	if (chance(3) == 0)
		tick(chance(2) ? UINT64_MAX : 8 * (1 + chance(128)));
	if (reader && chance(8) == 0)
		take_what_there_is(ring);
	take_image();
}

/* As recording_stop_cpu(), on each CPU, and then the end of the run. */
static void stop(void)
{
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		ring_report_lost(&fixture.rings[i], &fixture.accounts[i * FIXTURE_EVENTS]);
		ring_wake(&fixture.rings[i], TR_WAKEUP_END);
		note(i);
	}
	tick(UINT64_MAX);
	trace_region_set_state(&fixture.region, TR_COMPLETE);
	for (unsigned i = 0; i < IDLE && !was_reset; i++)
		take_image();
}

static void make_runs(bool aux, bool reader)
{
	for (run = 0; run < RUNS && !was_reset; run++) {
		memset(kept, 0, sizeof(kept));
		ticks = 0;
		in_tick = true; /* the start of a tick is not a safe moment either */
		if (run)
			fixture_run_again(&fixture, aux ? PERF_TYPE_INTEL_BTS : UINT32_MAX);
		open_keeps(aux, reader);
		in_tick = false;
		for (unsigned i = 0; i < STEPS && !was_reset; i++)
			step(aux, reader);
		stop();
	}
}

/* ---- The reader ---- */

static void check_ring(const struct region *region, uint32_t ring)
{
	const struct tr_ring *r = &region->rings[ring];
	unsigned of = (unsigned)region->header.run - 1;
	struct region_positions at;

	region_positions(region, ring, &at);
	assert_true(at.data_head <= STREAM && at.data_head - at.data_tail <= r->data_size);
	for (uint64_t p = at.data_tail; p < at.data_head; p++)
		assert_int_equal(image[r->data_offset + p % r->data_size], records[of][ring][p]);
	/* Up to that position or, if a tick has cleaned only a part, to the last complete record.
	 * */
	if (of == run - 1 && !r->aux_size && !keeps[ring].has_reader)
		assert_true(at.data_head + RECORD_MAX > kept[ring]);
}

/* The AUX bytes that the records report are there. */
static void check_trace(const struct region *region, uint32_t ring)
{
	static struct ring_reader reader;
	const struct tr_ring *r = &region->rings[ring];
	const struct perf_event_header *record;
	unsigned of = (unsigned)region->header.run - 1;

	assert_int_equal(region_read_ring(region, ring, &reader), 0);
	while (ring_reader_next(&reader, &record) > 0) {
		const uint64_t *words = (const void *)(record + 1);

		if (record->type != PERF_RECORD_AUX)
			continue;
		for (uint64_t p = words[0]; p < words[0] + words[1]; p++)
			assert_int_equal(image[r->aux_offset + p % r->aux_size],
			                 trace[of][ring][p]);
	}
	assert_null(reader.error.reason);
}

/* Whether the ledgers of the file that is made of it are from one moment; then they balance. */
static bool check_ledgers(const struct region *region)
{
	char path[PATH_MAX];
	struct writer_host host = session_host;
	struct session_options options = { .host = &host, .output = path };
	struct session session;
	struct error error = { "" };
	bool torn;

	host.images_find = images_named;
	temporary_path(path, "salvaged");
	unlink(path);
	options.others_read = region_was_read(region);
	if (session_begin(&session, region, &options, &error)) {
		/* its reader was ahead of the cleaned positions */
		assert_true(options.others_read);
		return false;
	}
	assert_int_equal(session_finish(&session, false, &error), 0);
	torn = session.ledger.head.interrupted & LEDGER_TORN;
	assert_false(torn && !was_in_tick && ticks);
	assert_int_equal(check_conserved(&session.ledger, NULL, NULL), !torn);
	session_end(&session);
	unlink(path);
	return !torn;
}

struct found {
	unsigned regions, whole, cut, ended;
};

static void salvage(struct found *found)
{
	struct channel channel;
	struct region region;
	struct error error = { "" };

	assert_int_equal(channel_open_still(&channel, image, sizeof(image), &error), 0);
	assert_int_equal(region_open(&region, &channel, &error), 0);
	assert_int_equal(region_load(&region, &error), 0);
	if (region_state(&region) != TR_BOOTING && region.header.events.count) {
		assert_int_equal(region_salvage(&region, &error), 0);
		for (uint32_t i = 0; i < region.header.rings.count; i++) {
			check_ring(&region, i);
			check_trace(&region, i);
		}
		found->regions++;
		found->ended += region_state(&region) == TR_COMPLETE;
		found->whole += check_ledgers(&region);
	}
	region_close(&region);
	channel_close(&channel);
}

static void reset_somewhere(bool aux, bool reader, unsigned at, struct found *found)
{
	memset(pending, 0, sizeof(pending));
	if (aux)
		fixture_init_aux(&fixture, PERF_TYPE_INTEL_BTS, false);
	else
		fixture_init(&fixture, 0);
	memcpy(ram, fixture.bytes, sizeof(ram));
	fixture.region.is_kept = true;
	hooks = 0;
	reset_at = at;
	was_reset = false;
	make_runs(aux, reader);
	if (was_reset)
		salvage(found);
	fixture_free(&fixture);
}

/* Rings alone, with a reader that takes records meanwhile, with AUX areas. */
static void a_reset_leaves_the_cleaned_records_and_no_invalid_ones(void **state)
{
	static const struct {
		bool aux, reader;
	} kinds[] = { { false, false }, { false, true }, { true, false } };

	(void)state;
	host_memory_clean = clean;
	host_memory_cleaned = cleaned;
	for (unsigned kind = 0; kind < 3; kind++) {
		struct found found = { 0 };

		for (unsigned i = 0; i < RESETS; i++) {
			seed = 1000 * kind + i;
			reset_somewhere(kinds[kind].aux, kinds[kind].reader, (unsigned)chance(1500),
			                &found);
		}
		print_message("%u regions, %u with whole ledgers, %u ended\n", found.regions,
		              found.whole, found.ended);
		assert_true(found.regions > RESETS / 2 && found.ended > 3);
		assert_true(found.whole > 10);
	}
	host_memory_clean = NULL;
	host_memory_cleaned = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reset_leaves_the_cleaned_records_and_no_invalid_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
