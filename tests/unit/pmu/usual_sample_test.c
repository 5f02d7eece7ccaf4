/* SPDX-License-Identifier: MIT */
/*
 * The common path of a sample, which the counters' handlers take, compared with the general path:
 * two worlds with the same events have the same bytes in their rings, none beyond, and the same
 * ledgers, in every state of the ring.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/branch_stack.h"
#include "pmu/clock/clock.h"
#include "pmu/sample.h"
#include "pmu/sampling.h"
#include "pmu/throttle.h"
#include "pmu/usual_sample.h"
#include "ringbuf/ledger.h"
#include "tests/unit/ringbuf/ring_rig.h"

#define RING_SIZE  8192U
#define MAX_RECORD 2048U
#define STACK      256U /* words */
#define PERIOD     1000U
#define KHZ        1000ULL

struct world {
	struct perf_event event, other; /* other: a side-band writer that events interrupt */
	struct ring ring;
	struct ring_owner owner;
	struct tr_doorbell doorbell;
	struct perf_event_mmap_page *control;
	uint8_t *data; /* exactly the ring's size, so that the sanitizer knows its end */
	uint64_t scratch[RING_LEVELS * MAX_RECORD / 8];
	unsigned notified;
};

static struct world general, alone;
static uint64_t stack[STACK], seed;
static unsigned short_ways; /* samples that were published by the common path */

/* ---- Two worlds ---- */

static void stop(struct perf_event *event)
{
	(void)event;
}

/* A branch stack of any length. It depends on the count alone, so both worlds have the same. */
static unsigned branch_stack(const struct perf_event *event, uint64_t *at)
{
	at[0] = event->count % (BRANCH_STACK_MAX + 1);
	for (unsigned i = 0; i < 3 * at[0]; i++)
		at[1 + i] = event->count + i;
	return 1 + 3 * (unsigned)at[0];
}

static const struct pmu pmu_fake = {
	.source.name = "fake", .start = stop, .stop = stop, .branch_stack = branch_stack
};

static void notify(void *context, uint32_t vector)
{
	(void)vector;
	((struct world *)context)->notified++;
}

struct plan {
	uint64_t sample_type;
	unsigned cpu, max_stack;
	uint64_t rate; /* --max-sample-rate */
	uint32_t wakeup_events, watermark, flags;
};

static void describe(struct perf_event *event, struct ring *ring, const struct plan *plan)
{
	memset(event, 0, sizeof(*event));
	event->attr = (struct perf_event_attr){
		.size = sizeof(event->attr),
		.sample_period = PERIOD,
		.sample_type = plan->sample_type,
		.sample_max_stack = (uint16_t)plan->max_stack,
	};
	event->pmu = &pmu_fake;
	event->group_leader = event;
	event->nr_members = 1;
	event->cpu = plan->cpu;
	event->ring = ring;
	event->state = EVENT_ACTIVE;
	event->account = (struct ring_account){
		.id = 70 + plan->cpu,
		.trailer_size = sample_id_size(plan->sample_type),
		.trailer = sample_trailer,
	};
	assert_int_equal(sampling_init(event), 0);
	throttle_set(event, plan->rate);
	usual_sample_prepare(event);
}

static void begin_world(struct world *w, const struct plan *plan)
{
	free(w->control);
	free(w->data);
	memset(w, 0, sizeof(*w));
	w->control = malloc(sizeof(*w->control));
	w->data = malloc(RING_SIZE);
	assert_non_null(w->control);
	assert_non_null(w->data);
	w->owner = (struct ring_owner){
		.doorbell = &w->doorbell,
		.wakeup_events = plan->wakeup_events,
		.wakeup_watermark = plan->watermark,
		.notify = notify,
		.context = w,
	};
	assert_int_equal(ring_init(&w->ring, &(struct ring_config){ .control = w->control,
	                                                            .data = w->data,
	                                                            .size = RING_SIZE,
	                                                            .flags = plan->flags,
	                                                            .max_record = MAX_RECORD,
	                                                            .scratch = w->scratch,
	                                                            .owner = &w->owner }),
	                 0);
	describe(&w->event, &w->ring, plan);
	describe(&w->other, &w->ring, plan);
	w->other.account.id = 99;
}

static void begin_worlds(const struct plan *plan)
{
	host_fake_cycles = 1000000007;
	fake_cpu_number = plan->cpu;
	clock_set(&machine_clock, 2600000 * KHZ, 1000000000);
	/* Behind, ahead, and by more than the time since entry. */
	clock_offsets[1] = -12345;
	clock_offsets[2] = 1LL << 45;
	fake_stack_low = (uint64_t)stack;
	fake_stack_high = (uint64_t)(stack + STACK);
	begin_world(&general, plan);
	begin_world(&alone, plan);
	/* Pages that are not zero, so that a missing store shows. */
	memset(general.data, 0x5a, RING_SIZE);
	memset(alone.data, 0x5a, RING_SIZE);
	short_ways = 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(general.control);
	free(general.data);
	free(alone.control);
	free(alone.data);
	general.control = alone.control = NULL;
	general.data = alone.data = NULL;
	clock_offsets[1] = clock_offsets[2] = 0;
	fake_stack_low = fake_stack_high = 0;
	fake_cpu_number = 0;
	return 0;
}

/* ---- Cases for both ---- */

static uint64_t chance(uint64_t of)
{
	return rig_random(&seed) % of;
}

/* So many frames above an interrupted pc, some of them invalid. */
static struct arch_regs interrupted(unsigned frames)
{
	uint64_t at = chance(8);
	struct arch_regs regs = { .pc = 0x400000 + chance(4096), .sp = (uint64_t)&stack[at] };

	at += chance(4);
	regs.fp = (uint64_t)&stack[at];
	for (unsigned i = 0; i < frames; i++) {
		uint64_t next = at + 2 + chance(4);

		stack[at] = (uint64_t)&stack[next];
		stack[at + 1] = 0x500000 + rig_random(&seed) % 65536;
		at = next;
	}
	stack[at] = chance(2) ? 0 : 0x4141414141414141;
	stack[at + 1] = chance(4) ? 0 : 0x600000;
	return regs;
}

/* The counter has interrupted at or after the next sample, or before it. */
static void count(uint64_t events, const struct arch_regs *regs)
{
	uint64_t head = alone.control->data_head, claim = ~alone.ring.published << 32;
	bool is_first = !ring_is_writing(&alone.ring);

	if (is_first)
		alone.ring.claim = claim; /* none; the general path leaves another value */
	general.event.count += events;
	alone.event.count += events;
	sampling_counted(&general.event, regs, host_fake_cycles);
	assert_int_equal(sampling_counted_alone(&alone.event, regs, host_fake_cycles),
	                 sampling_left(&general.event));
	short_ways += is_first && alone.ring.claim == claim && alone.control->data_head != head;
}

/* A writer that a handler interrupts before and after it has reserved space. */
static void count_within_a_writer(const struct arch_regs *regs)
{
	struct world *const worlds[] = { &general, &alone };
	struct ring_output out[2];
	uint64_t *at[2], size = 8 * (1 + chance(12));

	for (unsigned i = 0; i < 2; i++) {
		at[i] = ring_reserve(&out[i], &worlds[i]->ring, &worlds[i]->other.account,
		                     (uint32_t)size);
		if (at[i])
			memset(at[i], 0xee, size);
	}
	assert_int_equal(!!at[0], !!at[1]);
	for (uint64_t n = chance(3) + 1; n; n--)
		count(PERIOD, regs);
	for (unsigned i = 0; i < 2; i++) {
		if (at[i])
			ring_commit(&out[i]);
	}
}

/* The reader frees records that it has read, or writes an invalid tail. */
static void read_some(void)
{
	uint64_t head = general.control->data_head, tail = general.control->data_tail;

	if (chance(10) == 0)
		tail = rig_random(&seed);
	else if (head > tail)
		tail += chance(head - tail + 8) & ~7ULL;
	else
		tail = head; /* after an invalid tail */
	general.control->data_tail = alone.control->data_tail = tail;
	if (chance(3) == 0)
		general.doorbell.pending = alone.doorbell.pending = 0;
}

static void tick(void)
{
	struct world *const worlds[] = { &general, &alone };
	uint64_t now = clock_stamp_of(general.event.cpu, host_fake_cycles);

	for (unsigned i = 0; i < 2; i++) {
		throttle_end(&worlds[i]->event, now);
		ring_report_lost(&worlds[i]->ring, &worlds[i]->event.account);
		ring_tick(&worlds[i]->ring);
	}
}

static void assert_same_worlds(uint64_t step)
{
	struct tr_event_ledger events[2] = { 0 };
	struct tr_ring_ledger rings[2] = { 0 };

	for (unsigned i = 0; i < 2; i++) {
		const struct world *w = i ? &alone : &general;

		event_publish(&w->event, &events[i], host_fake_cycles);
		ring_publish_ledger(&w->ring, &rings[i]);
	}
	if (general.control->data_head != alone.control->data_head ||
	    memcmp(general.data, alone.data, RING_SIZE) != 0)
		fail_msg("step %" PRIu64 ": the rings differ", step);
	assert_memory_equal(&events[0], &events[1], sizeof(events[0]));
	assert_memory_equal(&rings[0], &rings[1], sizeof(rings[0]));
	assert_int_equal(general.ring.published, alone.ring.published);
	assert_memory_equal(&general.event.sampling, &alone.event.sampling,
	                    sizeof(struct sampling));
	assert_memory_equal(&general.event.throttle, &alone.event.throttle,
	                    sizeof(struct throttle));
	assert_int_equal(general.event.state, alone.event.state);
	assert_int_equal(general.notified, alone.notified);
}

/* So many steps; one in `rarely` is not a sample. */
static void live(unsigned steps, unsigned rarely, unsigned frames)
{
	for (uint64_t step = 0; step < steps; step++) {
		struct arch_regs regs = interrupted((unsigned)chance(frames + 1));
		uint64_t what = chance(rarely);

		host_fake_cycles += 1 + chance(300000);
		if (what <= 3)
			count_within_a_writer(&regs);
		else if (what <= 6)
			count(chance(6 * PERIOD), &regs); /* early, or late by some periods */
		else
			count(PERIOD + chance(50), &regs);
		if (chance(4) == 0)
			read_some();
		if (chance(8) == 0)
			tick();
		assert_same_worlds(step);
	}
}

/* ---- Claims ---- */

static void each_word_equals_perfs(void **state)
{
	const struct plan plan = { .sample_type = USUAL_SAMPLE | PERF_SAMPLE_CALLCHAIN,
		                   .cpu = 1,
		                   .max_stack = 4 };
	const struct arch_regs regs = { .pc = 0x401234,
		                        .fp = (uint64_t)&stack[2],
		                        .sp = (uint64_t)stack };
	const uint64_t expected[] = {
		PERF_RECORD_SAMPLE | (uint64_t)PERF_RECORD_MISC_USER << 32 | 88ULL << 48,
		71,             /* IDENTIFIER */
		0x401234,       /* IP */
		1 | 2ULL << 32, /* pid, tid */
		995,            /* TIME: 2600 * 0.384615 ns, less 12.345 us of offset, see below */
		1,              /* CPU */
		PERIOD + 3,     /* PERIOD */
		3,
		PERF_CONTEXT_USER,
		0x401234,
		0x5678,
	};
	uint64_t got[sizeof(expected) / 8];

	(void)state;
	begin_worlds(&plan);
	memset(stack, 0, sizeof(stack));
	stack[3] = 0x5678;
	host_fake_cycles = 1000000000 + 12345 + 2590; /* CPU 1's count at 2590 / 2.6 ns */
	alone.event.count = PERIOD + 3;
	assert_int_equal(sampling_counted_alone(&alone.event, &regs, host_fake_cycles), PERIOD - 3);
	assert_int_equal(alone.control->data_head, sizeof(expected));
	memcpy(got, alone.data, sizeof(got));
	assert_in_range(got[4], 995, 996);
	got[4] = 995;
	assert_memory_equal(got, expected, sizeof(expected));
	assert_int_equal(alone.ring.claim, UINT64_MAX); /* the sample took the common path */
	for (unsigned i = sizeof(expected); i < RING_SIZE; i++)
		assert_int_equal(alone.data[i], 0x5a);
}

static void every_cpu_writes_the_sample_of_the_general_path(void **state)
{
	(void)state;
	for (unsigned cpu = 0; cpu < 3; cpu++) {
		begin_worlds(
		    &(struct plan){ .sample_type = USUAL_SAMPLE, .cpu = cpu, .max_stack = 1 });
		seed = cpu;
		live(4000, 100, 0);
		assert_in_range(short_ways, 1000, 4000);
	}
}

/* Records of all lengths reach the ring's end at all distances. */
static void with_a_callchain_none_writes_beyond_the_ring(void **state)
{
	static const unsigned lengths[] = { 1, 3, 7, 8, 9, 10, 20, CALLCHAIN_MAX };

	(void)state;
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		begin_worlds(&(struct plan){ .sample_type = USUAL_SAMPLE | PERF_SAMPLE_CALLCHAIN,
		                             .cpu = 1,
		                             .max_stack = lengths[i] });
		seed = 100 + i;
		live(3000, 100, lengths[i] < 20 ? lengths[i] + 2 : 38);
		assert_in_range(short_ways, 500, 3000);
	}
}

static void with_a_branch_stack_none_writes_beyond_the_ring(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin_worlds(&(struct plan){ .sample_type = USUAL_SAMPLE |
		                                            PERF_SAMPLE_BRANCH_STACK |
		                                            (i ? PERF_SAMPLE_CALLCHAIN : 0),
		                             .cpu = 1,
		                             .max_stack = 9 });
		seed = 150 + i;
		live(3000, 100, 11);
		assert_in_range(short_ways, 300, 3000);
	}
}

static void whatever_there_is_to_look_at_is_looked_at(void **state)
{
	static const struct plan plans[] = {
		{ .watermark = 512 },
		{ .wakeup_events = 3 },
		{ .wakeup_events = 1, .watermark = 2048 },
		{ .flags = TR_RING_BACKWARD },
		{ .rate = 3000 },
		{ .rate = 20000, .watermark = 256 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		for (unsigned has_chain = 0; has_chain < 2; has_chain++) {
			struct plan plan = plans[i];

			plan.sample_type = USUAL_SAMPLE | (has_chain ? PERF_SAMPLE_CALLCHAIN : 0);
			plan.cpu = 2;
			plan.max_stack = 9;
			begin_worlds(&plan);
			seed = 200 + i;
			live(3000, 30, 11);
			/* If samples are counted, or precede the last one, the path is not taken.
			 * */
			if (plan.wakeup_events || plan.flags)
				assert_int_equal(short_ways, 0);
			else
				assert_in_range(short_ways, 500, 3000);
		}
		if (plans[i].rate)
			assert_true(alone.event.throttled > 10);
	}
}

static void samples_with_other_fields_are_not_taken_for_usual(void **state)
{
	static const uint64_t types[] = {
		USUAL_SAMPLE | PERF_SAMPLE_ADDR,
		USUAL_SAMPLE | PERF_SAMPLE_READ,
		USUAL_SAMPLE & ~(uint64_t)PERF_SAMPLE_TID,
		USUAL_SAMPLE | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID,
		PERF_SAMPLE_IP,
		SAMPLE_TYPES_SERVED,
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		begin_worlds(&(struct plan){ .sample_type = types[i], .cpu = 1, .max_stack = 5 });
		seed = 300 + i;
		live(1000, 30, 7);
		assert_int_equal(short_ways, 0);
	}
}

/* LOST records and the branch trace's AUX records end with this trailer (sample_id). */
static void the_usual_trailer_is_the_general_ways(void **state)
{
	uint64_t usual[RING_TRAILER_MAX / 8], other[RING_TRAILER_MAX / 8];

	(void)state;
	for (unsigned cpu = 0; cpu < 3; cpu++) {
		begin_worlds(
		    &(struct plan){ .sample_type = USUAL_SAMPLE, .cpu = cpu, .max_stack = 1 });
		assert_true(alone.event.usual.has_trailer);
		memset(usual, 0, sizeof(usual));
		memset(other, 0, sizeof(other));
		usual_trailer_put(usual, &alone.event);
		sample_trailer(&general.event.account, other);
		assert_int_equal(general.event.account.trailer_size, 32);
		assert_memory_equal(usual, other, sizeof(usual));
	}
	begin_worlds(
	    &(struct plan){ .sample_type = USUAL_SAMPLE | PERF_SAMPLE_ID, .max_stack = 1 });
	assert_false(alone.event.usual.has_trailer);
	alone.event.account.trailer_size = 0;
	alone.event.attr.sample_type = USUAL_SAMPLE;
	usual_sample_prepare(&alone.event);
	assert_false(alone.event.usual.has_trailer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_equals_perfs),
		cmocka_unit_test(every_cpu_writes_the_sample_of_the_general_path),
		cmocka_unit_test(with_a_callchain_none_writes_beyond_the_ring),
		cmocka_unit_test(with_a_branch_stack_none_writes_beyond_the_ring),
		cmocka_unit_test(whatever_there_is_to_look_at_is_looked_at),
		cmocka_unit_test(samples_with_other_fields_are_not_taken_for_usual),
		cmocka_unit_test(the_usual_trailer_is_the_general_ways),
	};

	return cmocka_run_group_tests_name("usual_sample", tests, NULL, tear_down);
}
