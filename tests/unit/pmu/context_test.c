/* SPDX-License-Identifier: MIT */
/* Many events on few counters: a fake source with a given number of counters, whose events happen
 * once a ns, so that what each counted can be held against the time that it ran. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/clock.h"
#include "pmu/context.h"
#include "pmu/read_format.h"
#include "pmu/sample.h"
#include "pmu/sampling.h"
#include "pmu/throttle.h"

#define MS         1000000ULL
#define MAX_EVENTS 12U

/* ---- A source ---- */

static struct {
	unsigned counters, used;
	bool frozen;
	struct perf_event *on[MAX_EVENTS]; /* started */
} fake;

static int fake_add(struct perf_event *event)
{
	(void)event;
	assert_true(fake.frozen);
	if (fake.used == fake.counters)
		return -EAGAIN;
	fake.used++;
	return 0;
}

static void fake_del(struct perf_event *event)
{
	assert_null(fake.on[event->evsel]);
	assert_true(fake.used > 0);
	fake.used--;
}

static void fake_start(struct perf_event *event)
{
	assert_null(fake.on[event->evsel]);
	fake.on[event->evsel] = event;
}

static void fake_stop(struct perf_event *event)
{
	fake.on[event->evsel] = NULL;
}

static void fake_read(struct perf_event *event)
{
	assert_ptr_equal(fake.on[event->evsel], event);
}

static void fake_disable(void)
{
	fake.frozen = true;
}

static void fake_enable(void)
{
	fake.frozen = false;
}

static const struct pmu pmu_fake = {
	.name = "fake",
	.add = fake_add,
	.del = fake_del,
	.start = fake_start,
	.stop = fake_stop,
	.read = fake_read,
	.disable = fake_disable,
	.enable = fake_enable,
};

static const struct arch_regs regs = { .pc = 0x1234 };

/* A ns at a time is slow: until the next timer, or the next sample of any event. */
static void run(uint64_t ns)
{
	while (ns) {
		uint64_t some = ns;

		if (fake_timer_deadline > host_fake_cycles &&
		    fake_timer_deadline - host_fake_cycles < some)
			some = fake_timer_deadline - host_fake_cycles;
		for (unsigned i = 0; i < MAX_EVENTS; i++) {
			if (fake.on[i] && sampling_left(fake.on[i]) < some)
				some = sampling_left(fake.on[i]);
		}
		assert_false(fake.frozen);
		for (unsigned i = 0; i < MAX_EVENTS; i++) {
			if (fake.on[i])
				fake.on[i]->count += some;
		}
		ns -= some;
		fake_cpu_run(some, 0, &regs);
		for (unsigned i = 0; i < MAX_EVENTS; i++) {
			if (fake.on[i])
				sampling_counted(fake.on[i], &regs, host_fake_cycles);
		}
	}
}

/* ---- The rig ---- */

static struct perf_event_mmap_page control;
static uint64_t data[1 << 15], scratch[RING_LEVELS * 2048 / 8];
static struct ring ring;
static struct perf_event events[MAX_EVENTS];
static unsigned nr_events;
static struct perf_event_context context;
static const struct perf_event *failed;

static int set_up(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	memset(events, 0, sizeof(events));
	nr_events = 0;
	host_fake_cycles = 1000 * MS;
	clock_set(&machine_clock, NSEC_PER_SEC, host_fake_cycles);
	assert_int_equal(timer_init(), 0);
	return ring_init(&ring, &(struct ring_config){ .control = &control,
	                                               .data = data,
	                                               .size = sizeof(data),
	                                               .max_record = 2048,
	                                               .scratch = scratch });
}

/* One more group. */
static void add_group(unsigned members, uint64_t period)
{
	struct perf_event *leader = &events[nr_events];

	leader->nr_members = members;
	for (unsigned i = 0; i < members; i++, nr_events++) {
		struct perf_event *event = &events[nr_events];

		event->attr.size = sizeof(event->attr);
		event->attr.sample_period = period;
		event->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME;
		event->pmu = &pmu_fake;
		event->evsel = nr_events;
		event->group_leader = leader;
		event->ring = &ring;
		event->account.id = nr_events + 1;
		assert_int_equal(sampling_init(event), 0);
	}
}

static int start(unsigned counters)
{
	fake.counters = counters;
	return context_start(&context, events, nr_events, &failed);
}

/* The group's members ran together, and each counted as long as it ran. */
static void check_group(const struct perf_event *leader, uint64_t enabled)
{
	for (unsigned i = 0; i < leader->nr_members; i++) {
		assert_int_equal(leader[i].time_enabled, enabled);
		assert_int_equal(leader[i].time_running, leader->time_running);
		assert_int_equal(leader[i].count, leader->time_running);
		assert_int_equal(leader[i].account.period + (leader[i].count - leader[i].sampled),
		                 leader[i].count);
	}
}

/* ---- The claims ---- */

static void what_fits_is_never_taken_off(void **state)
{
	(void)state;
	add_group(1, 0);
	add_group(3, 7000);
	assert_int_equal(start(4), 0);
	run(100 * MS);
	context_stop(&context);
	assert_int_equal(context.rotations, 0);
	check_group(&events[0], 100 * MS);
	check_group(&events[1], 100 * MS);
	assert_int_equal(events[1].time_running, 100 * MS);
	assert_int_equal(fake.used, 0);
}

static void eight_events_share_four_counters_alike_and_the_times_are_exact(void **state)
{
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		add_group(1, 12345);
	assert_int_equal(start(4), 0);
	run(1000 * MS);
	context_stop(&context);
	for (unsigned i = 0; i < 8; i++) {
		check_group(&events[i], 1000 * MS);
		assert_in_range(events[i].time_running, 496 * MS, 504 * MS);
		sum += events[i].time_running;
	}
	assert_int_equal(sum, 4 * 1000 * MS);
	assert_int_equal(context.rotations, 1000 * MS / MUX_INTERVAL_NS);
}

static void a_group_is_on_as_a_whole_or_not_at_all(void **state)
{
	static const unsigned sizes[] = { 3, 1, 2, 4, 1 };

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		add_group(sizes[i], 0);
	assert_int_equal(start(4), 0);
	for (unsigned step = 0; step < 400; step++) {
		run(MS);
		for (struct perf_event *e = events; e < events + nr_events; e++)
			assert_int_equal(e->state, e->group_leader->state);
		assert_true(fake.used <= 4);
	}
	context_stop(&context);
	for (struct perf_event *e = events; e < events + nr_events; e += e->nr_members)
		check_group(e, 400 * MS);
}

/* Any mixture of groups that fit alone: each is on in every round of turns. */
static void no_group_starves(void **state)
{
	(void)state;
	srand(2);
	for (unsigned round = 0; round < 300; round++) {
		unsigned counters = 1 + (unsigned)rand() % 6, groups = 0;
		uint64_t enabled;

		set_up(NULL);
		while (nr_events < MAX_EVENTS) {
			unsigned room = MAX_EVENTS - nr_events;
			unsigned members = 1 + (unsigned)rand() % counters;

			add_group(members < room ? members : room,
			          rand() % 2 ? 1000 + (uint64_t)rand() % MS : 0);
			groups++;
		}
		assert_int_equal(start(counters), 0);
		run(20 * groups * MUX_INTERVAL_NS);
		enabled = 20 * groups * MUX_INTERVAL_NS;
		context_stop(&context);
		for (struct perf_event *e = events; e < events + nr_events; e += e->nr_members) {
			check_group(e, enabled);
			assert_true(e->time_running >= 19 * MUX_INTERVAL_NS);
		}
		assert_int_equal(fake.used, 0);
	}
}

static void a_partial_period_waits_with_its_event(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		add_group(1, 9 * MS); /* no turn is as long */
	assert_int_equal(start(1), 0);
	run(360 * MS);
	context_stop(&context);
	for (unsigned i = 0; i < 3; i++) {
		check_group(&events[i], 360 * MS);
		assert_int_equal(events[i].time_running, 120 * MS);
		assert_int_equal(events[i].account.generated, 13);
	}
}

static void a_group_that_never_fits_is_refused_and_named(void **state)
{
	(void)state;
	add_group(2, 0);
	add_group(5, 0);
	assert_int_equal(start(4), -EAGAIN);
	assert_ptr_equal(failed, &events[6]);
	assert_ptr_equal(failed->group_leader, &events[2]);
	assert_int_equal(fake.used, 0);
	for (unsigned i = 0; i < nr_events; i++) {
		assert_int_equal(events[i].state, EVENT_OFF);
		assert_null(fake.on[i]);
	}
	assert_int_equal(fake_timer_deadline, 0);
}

static void a_sample_carries_the_values_of_its_whole_group(void **state)
{
	uint64_t expected[] = {
		PERF_RECORD_SAMPLE | (uint64_t)PERF_RECORD_MISC_USER << 32 | 96ULL << 48,
		2,      /* IDENTIFIER */
		3 * MS, /* TIME */
		3,      /* nr */
		3 * MS,
		3 * MS, /* time_enabled, time_running */
		3 * MS + 100,
		2, /* {value, id} of the leader, */
		3 * MS + 200,
		3, /* and of the members */
		3 * MS + 300,
		4,
	};

	(void)state;
	add_group(1, 0);
	add_group(3, 0);
	for (unsigned i = 1; i < 4; i++) {
		events[i].attr.sample_type |= PERF_SAMPLE_READ;
		events[i].attr.read_format = READ_FORMATS_SERVED;
		events[i].count = 100 * i;
	}
	events[1].attr.sample_period = 3 * MS + 100;
	assert_int_equal(sampling_init(&events[1]), 0);
	assert_int_equal(start(4), 0);
	run(4 * MS);
	context_stop(&context);
	assert_int_equal(control.data_head, sizeof(expected));
	assert_memory_equal(data, expected, sizeof(expected));
}

static void of_one_event_those_values_are_put_that_are_asked_for(void **state)
{
	static const uint64_t formats[] = { PERF_FORMAT_TOTAL_TIME_ENABLED,
		                            PERF_FORMAT_TOTAL_TIME_RUNNING, PERF_FORMAT_ID };
	const uint64_t values[] = { 3 * MS, 2 * MS, 1 };

	(void)state;
	add_group(1, 0);
	events[0].time_enabled = 3 * MS;
	events[0].time_running = 2 * MS;
	events[0].count = 77;
	for (unsigned asked = 0; asked < 8; asked++) {
		uint64_t words[5] = { 0 }, expected[5] = { 77 };
		unsigned n = 1;

		events[0].attr.read_format = 0;
		for (unsigned i = 0; i < 3; i++) {
			if (!(asked >> i & 1))
				continue;
			events[0].attr.read_format |= formats[i];
			expected[n++] = values[i];
		}
		assert_int_equal(read_format_size(&events[0]), 8 * n);
		assert_ptr_equal(read_format_put(words, &events[0], clock_now()), words + n);
		assert_memory_equal(words, expected, sizeof(words));
		events[0].attr.read_format |= PERF_FORMAT_GROUP;
		n += 1; /* nr */
		assert_int_equal(read_format_size(&events[0]), 8 * n);
		assert_ptr_equal(read_format_put(words, &events[0], clock_now()), words + n);
	}
}

/* ---- Throttling ---- */

static void tick(void)
{
	uint64_t saved = arch_irq_save();

	context_tick(&context);
	arch_irq_restore(saved);
}

static unsigned records_of(uint32_t type)
{
	unsigned n = 0;

	for (uint64_t at = 0; at < control.data_head;) {
		struct perf_event_header header;

		memcpy(&header, (const uint8_t *)data + at, sizeof(header));
		n += header.type == type;
		at += header.size;
	}
	return n;
}

static void an_absurd_period_is_stopped_until_the_tick_and_told(void **state)
{
	(void)state;
	add_group(1, 1000); /* a million samples a second */
	throttle_set(&events[0], THROTTLE_RATE);
	assert_int_equal(start(4), 0);
	for (unsigned i = 0; i < 10; i++) {
		run(MS);
		tick();
	}
	context_stop(&context);
	/* 101 samples a tick, then it stands still: neither its count nor its time goes on. */
	assert_int_equal(events[0].account.period / 1000, 10 * 101);
	assert_int_equal(events[0].throttled, 10);
	assert_int_equal(records_of(PERF_RECORD_THROTTLE), 10);
	assert_int_equal(records_of(PERF_RECORD_UNTHROTTLE), 10);
	assert_int_equal(events[0].account.generated, 10 * 101 + 20);
	assert_int_equal(events[0].time_enabled, 10 * MS);
	assert_int_equal(events[0].time_running, events[0].count);
	assert_int_equal(events[0].count, 10 * 101 * 1000);
}

static void a_period_at_the_limit_is_left_alone(void **state)
{
	(void)state;
	add_group(1, 10000);
	throttle_set(&events[0], THROTTLE_RATE);
	assert_int_equal(start(4), 0);
	for (unsigned i = 0; i < 10; i++) {
		run(MS);
		tick();
	}
	context_stop(&context);
	assert_int_equal(events[0].throttled, 0);
	assert_int_equal(events[0].account.generated, 1000);
}

static void a_throttled_event_takes_its_whole_group_along(void **state)
{
	(void)state;
	add_group(3, 0);
	events[1].attr.sample_period = 500;
	assert_int_equal(sampling_init(&events[1]), 0);
	throttle_set(&events[1], THROTTLE_RATE);
	add_group(1, 0);
	assert_int_equal(start(4), 0);
	run(MS);
	assert_int_equal(events[0].state, EVENT_THROTTLED);
	assert_int_equal(events[3].state, EVENT_ACTIVE);
	tick();
	assert_int_equal(events[0].state, EVENT_ACTIVE);
	run(MS);
	context_stop(&context);
	check_group(&events[0], 2 * MS);
	assert_int_equal(events[0].count, 2 * 101 * 500);
	assert_int_equal(events[3].count, 2 * MS);
}

static void turns_and_throttling_together_keep_the_counts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		add_group(1, 700 + 100 * i);
		throttle_set(&events[i], THROTTLE_RATE);
	}
	assert_int_equal(start(4), 0);
	for (unsigned i = 0; i < 200; i++) {
		run(MS);
		tick();
	}
	context_stop(&context);
	for (unsigned i = 0; i < 6; i++) {
		check_group(&events[i], 200 * MS);
		assert_true(events[i].throttled > 100);
	}
	assert_in_range(records_of(PERF_RECORD_THROTTLE) - records_of(PERF_RECORD_UNTHROTTLE), 0,
	                6);
}

/* ---- Frequency ---- */

static void a_rare_event_reaches_its_frequency(void **state)
{
	(void)state;
	add_group(1, 0);
	events[0].attr.sample_freq = 1000;
	events[0].attr.flags = PERF_ATTR_FREQ;
	assert_int_equal(sampling_init(&events[0]), 0);
	assert_int_equal(start(1), 0);
	/* Two thousand events a second; 1 a ns was assumed. */
	for (unsigned ms = 0; ms < 1000; ms++) {
		host_fake_cycles += MS;
		events[0].count += 2;
		sampling_counted(&events[0], &regs, host_fake_cycles);
		tick();
	}
	context_stop(&context);
	assert_in_range(events[0].account.generated, 900, 1010);
	assert_int_equal(events[0].account.period + (events[0].count - events[0].sampled),
	                 events[0].count);
}

static void time_without_a_counter_does_not_bend_the_frequency(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		add_group(1, 0);
	for (unsigned i = 0; i < 4; i++) {
		events[i].attr.sample_freq = 5000;
		events[i].attr.flags = PERF_ATTR_FREQ;
		assert_int_equal(sampling_init(&events[i]), 0);
	}
	assert_int_equal(start(1), 0);
	for (unsigned i = 0; i < 1600; i++) {
		run(MS);
		tick();
	}
	context_stop(&context);
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(events[i].account.generated, 1900, 2100); /* 0.4 s each */
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_fits_is_never_taken_off),
		TEST(eight_events_share_four_counters_alike_and_the_times_are_exact),
		TEST(a_group_is_on_as_a_whole_or_not_at_all),
		TEST(no_group_starves),
		TEST(a_partial_period_waits_with_its_event),
		TEST(a_group_that_never_fits_is_refused_and_named),
		TEST(a_sample_carries_the_values_of_its_whole_group),
		TEST(of_one_event_those_values_are_put_that_are_asked_for),
		TEST(an_absurd_period_is_stopped_until_the_tick_and_told),
		TEST(a_period_at_the_limit_is_left_alone),
		TEST(a_throttled_event_takes_its_whole_group_along),
		TEST(turns_and_throttling_together_keep_the_counts),
		TEST(a_rare_event_reaches_its_frequency),
		TEST(time_without_a_counter_does_not_bend_the_frequency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
