/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/context_rig.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/clock/clock.h"
#include "pmu/sampling.h"

struct fake_source fake;
struct perf_event events[CONTEXT_RIG_EVENTS];
unsigned nr_events;
struct perf_event_context context;
const struct perf_event *failed;
struct perf_event_mmap_page control;
uint64_t data[1 << 15];

static uint64_t scratch[RING_LEVELS * 2048 / 8];
static struct ring ring;

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
	event->count += fake.unread;
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
	.source.name = "fake",
	.add = fake_add,
	.del = fake_del,
	.start = fake_start,
	.stop = fake_stop,
	.read = fake_read,
	.disable = fake_disable,
	.enable = fake_enable,
};

static const struct arch_regs regs = { .pc = 0x1234 };

/* Run until the next timer or the next sample of any event, because single ns are slow. */
void context_rig_run(uint64_t ns)
{
	while (ns) {
		uint64_t some = ns;

		if (fake_timer_deadline > host_fake_cycles &&
		    fake_timer_deadline - host_fake_cycles < some)
			some = fake_timer_deadline - host_fake_cycles;
		for (unsigned i = 0; i < CONTEXT_RIG_EVENTS; i++) {
			if (fake.on[i] && sampling_left(fake.on[i]) < some)
				some = sampling_left(fake.on[i]);
		}
		assert_false(fake.frozen);
		for (unsigned i = 0; i < CONTEXT_RIG_EVENTS; i++) {
			if (fake.on[i])
				fake.on[i]->count += some;
		}
		ns -= some;
		fake_cpu_run(some, 0, &regs);
		for (unsigned i = 0; i < CONTEXT_RIG_EVENTS; i++) {
			if (fake.on[i])
				sampling_counted(fake.on[i], &regs, host_fake_cycles);
		}
	}
}

int context_rig_set_up(void **state)
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

void context_rig_add_group(unsigned members, uint64_t period)
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

int context_rig_start(unsigned counters)
{
	fake.counters = counters;
	return context_start(&context, events, nr_events, &failed);
}

void context_rig_check_group(const struct perf_event *leader, uint64_t enabled)
{
	for (unsigned i = 0; i < leader->nr_members; i++) {
		assert_int_equal(leader[i].time_enabled, enabled);
		assert_int_equal(leader[i].time_running, leader->time_running);
		assert_int_equal(leader[i].count, leader->time_running);
		assert_int_equal(leader[i].account.period + (leader[i].count - leader[i].sampled),
		                 leader[i].count);
	}
}
