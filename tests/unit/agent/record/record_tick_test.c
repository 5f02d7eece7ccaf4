/* SPDX-License-Identifier: MIT */
/* A traced CPU's tick pumps the serial line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "agent/input/mailbox.h"
#include "agent/record/lossless/record_lossless.h"
#include "agent/record/record_beside.h"
#include "agent/record/record_events.h"
#include "agent/record/record_stop.h"
#include "agent/record/record_tick.h"
#include "arch/host/fake_cpu.h"
#include "lib/watchdog.h"
#include "pmu/clock/clock.h"
#include "pmu/pmu.h"
#include "tests/unit/channel/pumped_uart.h"
#include "tests/unit/host-tools/region_fixture.h"

#define COST 300U /* cycles that a call of pump() takes */
#define CPUS 2U

static struct fixture fixture;
static const struct command command;
static struct recording recording;
static struct traced_cpu cpus[CPUS];
static struct perf_event events[CPUS];
static struct channel channel;
static const struct arch_regs regs;

static bool key;       /* the stop key is pressed */
static unsigned looks; /* for one */
static unsigned signals[CPUS];
/* how often the workload was ended, which must come after its CPU's events have stopped */
static unsigned left;

/* The calls of pump(): all, outside of a handler, nested; and the depth. */
static unsigned pumps, out_of_handler, nested, depth;

/* A line that takes its bytes; inside it another CPU's tick comes. */
static void pump(void)
{
	nested += depth++ > 0;
	out_of_handler += !fake_in_handler();
	pumps++;
	host_fake_cycles += COST;
	recording_tick(&cpus[1].tick, &regs);
	depth--;
}

static const struct channel_ops memory = { .name = "memory" };

/* The functions of other files that record_tick.c calls; they do nothing here. */
void recording_progress_tick(struct recording *r, uint64_t at)
{
	(void)r;
	(void)at;
}

void recording_keys_tick(struct recording *r)
{
	looks++;
	r->by_key = key;
}

void recording_keys_leave(const struct recording *r, const struct arch_regs *interrupted)
{
	assert_ptr_equal(interrupted, &regs);
	left += r->by_key && cpus[0].stopped;
}

void recording_switch_here(struct traced_cpu *c)
{
	(void)c;
}

void recording_snapshot(struct traced_cpu *c)
{
	(void)c;
}

struct traced_cpu *recording_here(void)
{
	return NULL;
}

void lossless_tick(struct traced_cpu *c)
{
	(void)c;
}

static unsigned served; /* how often the watchdog was reset */

uint64_t watchdog_due;

void watchdog_serve(uint64_t now)
{
	assert_int_equal(now, clock_steady());
	served++;
}

void arch_cpu_signal(unsigned cpu)
{
	signals[cpu]++;
}

static void set_up_cpu(unsigned i)
{
	struct traced_cpu *c = &cpus[i];

	*c = (struct traced_cpu){
		.recording = &recording,
		.cpu = i,
		.index = i,
		.events = &events[i],
		.context.events = &events[i],
		.tick.work = recording_tick,
	};
	c->ring = fixture.rings[i];
}

static int set_up(void **state)
{
	(void)state;
	host_fake_cycles = NSEC_PER_SEC;
	fake_cpu_number = 0;
	clock_set(&machine_clock, NSEC_PER_SEC, 0);
	fixture_init(&fixture, 0);
	recording = (struct recording){
		.region = &fixture.region,
		.command = &command,
		.channel = &channel,
		.nr_cpus = CPUS,
		.cpus = cpus,
	};
	set_up_cpu(0);
	set_up_cpu(1);
	channel = (struct channel){ .ops = &memory, .lines = pumped_start(pump) };
	/* a host is connected */
	channel.lines->in_use = channel.lines->ports[0].line.framed = true;
	pumps = out_of_handler = nested = depth = left = looks = served = 0;
	key = false;
	timer_init();
	tick_start(&cpus[0].tick, recording_tick);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tick_stop(&cpus[0].tick);
	fixture_free(&fixture);
	return 0;
}

static void each_tick_pumps_once_in_irq_context(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 10; i++) {
		fake_cpu_run(TICK_NS, 0, &regs);
		assert_int_equal(cpus[0].tick.count, i);
		assert_int_equal(pumps, i);
	}
	assert_int_equal(out_of_handler, 0);
}

static void a_watchdog_is_served_but_the_firmwares_while_it_runs(void **state)
{
	(void)state;
	fake_cpu_run(3 * TICK_NS, 0, &regs);
	assert_int_equal(served, 3);
	recording.hosted = true;
	fake_cpu_run(3 * TICK_NS, 0, &regs);
	recording_tick_stalled(&cpus[0]);
	assert_int_equal(served, 3);
}

static void an_unused_line_is_polled_rarely(void **state)
{
	(void)state;
	channel.lines->in_use = channel.lines->ports[0].line.framed = false;
	fake_cpu_run(2 * LINES_IDLE_TICKS * TICK_NS, 0, &regs);
	assert_int_equal(pumps, 2);
}

static void the_cost_of_a_tick_is_in_the_ticks_account(void **state)
{
	const struct tr_cpu *reported = &fixture.region.cpus[0];

	(void)state;
	fake_cpu_run(10 * TICK_NS, 0, &regs);
	assert_int_equal(cpus[0].tick.cycles, 10 * COST);
	assert_int_equal(cpus[0].tick.longest, COST);
	assert_int_equal(reported->ticks, 9); /* the count when the last tick began */
	assert_int_equal(reported->tick_cycles, 9 * COST);
	assert_int_equal(reported->tick_max, COST);
}

static void two_cpus_do_not_pump_at_once(void **state)
{
	(void)state;
	fake_cpu_run(TICK_NS, 0, &regs);
	assert_int_equal(nested, 0);
	/* after the pump has returned, another CPU may pump */
	recording_tick(&cpus[1].tick, &regs);
	assert_int_equal(pumps, 2);
}

static void the_tick_continues_after_the_host_has_stopped_the_events(void **state)
{
	(void)state;
	cpus[0].stopped = true;
	fake_cpu_run(3 * TICK_NS, 0, &regs);
	assert_int_equal(pumps, 3);
}

static void a_key_stops_the_events_before_the_workload_is_ended(void **state)
{
	(void)state;
	fake_cpu_run(3 * TICK_NS, 0, &regs);
	assert_int_equal(left, 0);
	assert_int_equal(looks, 3); /* only the first CPU looks, although both CPUs tick */
	assert_false(cpus[0].stopped || cpus[1].stopped);
	key = true;
	fake_cpu_run(TICK_NS, 0, &regs);
	assert_true(cpus[0].stopped && cpus[1].stopped);
	assert_int_equal(left, 2); /* each CPU's tick checks whether the workload must end */
}

static void a_key_stops_a_cpu_that_stalls(void **state)
{
	(void)state;
	recording_tick_stalled(&cpus[1]);
	assert_int_equal(looks, 0);
	recording_tick_stalled(&cpus[0]);
	assert_int_equal(looks, 1);
	assert_int_equal(served, 1); /* only the first CPU resets the watchdog */
	assert_false(cpus[0].stopped);
	key = cpus[1].started = true;
	signals[1] = 0;
	recording_tick_stalled(&cpus[0]);
	assert_true(cpus[0].stopped);
	assert_int_equal(signals[1], 1); /* and the other CPUs get a signal */
	recording_tick_stalled(&cpus[1]);
	assert_true(cpus[1].stopped);
	assert_int_equal(pumps, 0); /* lines are pumped at each look */
}

static void only_cpus_that_have_started_are_asked_to_stop(void **state)
{
	(void)state;
	memset(signals, 0, sizeof(signals));
	recording_signal_others(&recording);
	assert_int_equal(signals[1], 0);
	cpus[1].started = true;
	recording_signal_others(&recording);
	assert_int_equal(signals[1], 1);
	cpus[1].stopped = true;
	recording_signal_others(&recording);
	assert_int_equal(signals[1], 1);
	assert_int_equal(signals[0], 0);
}

static uint64_t slowed_to; /* the last rate that the source was given */
static unsigned slowed;

static void note_slow(struct perf_event *event, uint64_t factor)
{
	(void)event;
	slowed_to = factor;
	slowed++;
}

static void a_slow_line_makes_every_cpu_sample_less_often(void **state)
{
	static const struct pmu slow = { .slow = note_slow }, none = { 0 };
	struct tr_mailbox *box = fixture.region.mailbox;
	uint32_t polled;

	(void)state;
	slowed = 0;
	mailbox_watch(&fixture.region, &polled);
	memcpy(box->text, "slower 8", 8);
	box->length = 8;
	box->request = polled + 1;
	for (unsigned i = 0; i < CPUS; i++) {
		events[i] = (struct perf_event){ .pmu = &slow, .attr.sample_period = 1000 };
		cpus[i].context =
		    (struct perf_event_context){ .events = &events[i], .nr_events = 1 };
	}
	fake_cpu_run(3 * TICK_NS, 0, &regs);
	assert_int_equal(slowed, CPUS); /* each event once, however long the request stays */
	assert_int_equal(slowed_to, 8);
	assert_int_equal(events[0].slower, 8);
	assert_int_equal(events[1].slower, 8);
	box->text[7] = '2';
	events[1].pmu = &none; /* this event's samples cannot be taken less often */
	events[1].slower = 0;
	fake_cpu_run(TICK_NS, 0, &regs);
	assert_int_equal(slowed, CPUS + 1);
	assert_int_equal(events[0].slower, 2);
	assert_int_equal(events[1].slower, 0);
	events[0].attr.sample_period = 0; /* nor those of an event that only counts */
	box->text[7] = '3';
	fake_cpu_run(TICK_NS, 0, &regs);
	assert_int_equal(slowed, CPUS + 1);
	box->request = polled;
}

static void a_machine_without_a_line_costs_nothing(void **state)
{
	(void)state;
	channel.lines = NULL;
	fake_cpu_run(10 * TICK_NS, 0, &regs);
	assert_int_equal(cpus[0].tick.count, 10);
	assert_int_equal(cpus[0].tick.cycles, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(each_tick_pumps_once_in_irq_context),
		TEST(a_watchdog_is_served_but_the_firmwares_while_it_runs),
		TEST(an_unused_line_is_polled_rarely),
		TEST(the_cost_of_a_tick_is_in_the_ticks_account),
		TEST(two_cpus_do_not_pump_at_once),
		TEST(the_tick_continues_after_the_host_has_stopped_the_events),
		TEST(a_key_stops_the_events_before_the_workload_is_ended),
		TEST(a_key_stops_a_cpu_that_stalls),
		TEST(only_cpus_that_have_started_are_asked_to_stop),
		TEST(a_slow_line_makes_every_cpu_sample_less_often),
		TEST(a_machine_without_a_line_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
