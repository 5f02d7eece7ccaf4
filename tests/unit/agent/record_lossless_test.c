/* SPDX-License-Identifier: MIT */
/* A CPU that stands still until its ring has room, and the time that is none meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agent/record_lossless.h"
#include "arch/host/fake_cpu.h"
#include "lib/console.h"
#include "lib/print.h"
#include "pmu/clock.h"
#include "pmu/sample.h"
#include "pmu/software/cpu_clock.h"
#include "tests/unit/channel/pumped_uart.h"

#define CPUS   2U
#define PERIOD 10000U /* ns */
#define LOOK   10000U /* ns that a look takes here */
#define RING   4096U
#define SAMPLE 56U

static struct command command;
static struct recording recording;
static struct channel channel;
static struct traced_cpu cpus[CPUS];
static struct perf_event events[CPUS];
static struct perf_event_mmap_page controls[CPUS];
static uint64_t data[CPUS][RING / 8], scratch[RING_LEVELS * 2048 / 8];
static const struct arch_regs regs = { .pc = 0x1234 };

static uint64_t looks, looked_ns, leap, signalled[CPUS], housekept, taken;
static void (*reader)(void); /* at each look */
static char text[512];

/* ---- What it takes of its neighbours ---- */

struct traced_cpu *recording_here(void)
{
	return &cpus[fake_cpu_number];
}

void arch_cpu_signal(unsigned cpu)
{
	signalled[cpu]++;
}

void recording_tick_standing(struct traced_cpu *c)
{
	(void)c;
	housekept++;
}

int recording_fail(struct recording *r, int code, const char *format, ...)
{
	va_list arguments;

	(void)r;
	va_start(arguments, format);
	print_text_v(text, sizeof(text), format, arguments);
	va_end(arguments);
	return code;
}

void console_printf(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_text_v(text, sizeof(text), format, arguments);
	va_end(arguments);
}

/* ---- The machine ---- */

static void look(void)
{
	looks++;
	looked_ns += LOOK;
	host_fake_cycles += leap ? leap : LOOK;
	if (reader)
		reader();
}

static void read_all(void)
{
	controls[0].data_tail = controls[0].data_head;
}

static void read_all_at_last(void)
{
	if (looks % 250 == 0)
		read_all();
}

/* Every 9 s, three times. */
static void read_one(void)
{
	if (looked_ns % (9 * NSEC_PER_SEC) != 0)
		return;
	controls[0].data_tail += SAMPLE;
	cpus[0].stopped = ++taken == 3;
}

static const struct channel_ops memory = { .name = "memory" };

static void set_up_cpu(unsigned i)
{
	struct traced_cpu *c = &cpus[i];

	*c = (struct traced_cpu){
		.recording = &recording,
		.cpu = i,
		.index = i,
		.events = &events[i],
		.live = true,
	};
	events[i] = (struct perf_event){
		.attr = { .type = PERF_TYPE_SOFTWARE,
		          .size = sizeof(events[i].attr),
		          .config = PERF_COUNT_SW_CPU_CLOCK,
		          .sample_period = PERIOD,
		          .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		                         PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		          .sample_max_stack = 1 },
		.cpu = i,
		.ring = &c->ring,
	};
	assert_int_equal(event_init(&events[i]), 0);
	assert_int_equal(ring_init(&c->ring, &(struct ring_config){ .control = &controls[i],
	                                                            .data = data[i],
	                                                            .size = RING,
	                                                            .max_record = 2048,
	                                                            .scratch = scratch }),
	                 0);
	assert_int_equal(lossless_open(c), 0);
}

static int set_up(void **state)
{
	(void)state;
	host_fake_cycles = 5 * NSEC_PER_SEC;
	fake_cpu_number = 0;
	fake_nested = false;
	clock_set(&machine_clock, NSEC_PER_SEC, 0);
	command = (struct command){ .lossless = LOSSLESS_ALL };
	channel = (struct channel){ .ops = &memory, .lines = pumped_start(look) };
	recording = (struct recording){ .command = &command,
		                        .channel = &channel,
		                        .nr_events = 1,
		                        .nr_cpus = CPUS,
		                        .cpus = cpus };
	reader = read_all_at_last;
	looks = looked_ns = leap = housekept = taken = 0;
	memset(signalled, 0, sizeof(signalled));
	*text = 0;
	clock_frozen[0] = 0;
	set_up_cpu(0);
	set_up_cpu(1);
	timer_init();
	lossless_begin(&recording);
	lossless_started(&recording);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	lossless_end(&recording);
	return 0;
}

static void start(void)
{
	const struct perf_event *failed;

	assert_int_equal(context_start(&cpus[0].context, events, 1, &failed), 0);
}

/* Until the ring is low. */
static void fill(void)
{
	while (!signalled[0])
		fake_cpu_run(PERIOD, 0, &regs);
}

static struct ring_account *account(void)
{
	return &events[0].account;
}

/* ---- Room ---- */

static void a_cpu_stands_until_there_is_room_and_loses_nothing(void **state)
{
	(void)state;
	start();
	fake_cpu_run(2000 * PERIOD, 0, &regs);
	context_stop(&cpus[0].context);
	assert_int_equal(account()->generated, 2000);
	assert_int_equal(account()->written, 2000);
	assert_in_range(cpus[0].stands, 2000 * SAMPLE / RING, 2000 * SAMPLE / (RING / 4));
	assert_int_equal(cpus[0].given_up, 0);
	lossless_tell(&recording);
	assert_string_equal(text, "");
}

static void without_the_option_nobody_stands(void **state)
{
	(void)state;
	command.lossless = LOSSLESS_NONE;
	set_up_cpu(0);
	start();
	fake_cpu_run(2000 * PERIOD, 0, &regs);
	assert_int_equal(looks, 0);
	assert_int_equal(account()->written, RING / SAMPLE);
	assert_int_equal(account()->generated, account()->written + account()->lost);
}

static void no_time_passes_for_its_events_while_it_stands(void **state)
{
	uint64_t began = host_fake_cycles, ran;

	(void)state;
	start();
	fake_cpu_run(2000 * PERIOD + 77, 0, &regs);
	context_stop(&cpus[0].context);
	ran = host_fake_cycles - began - looked_ns;
	assert_true(looked_ns > 100 * PERIOD);
	assert_int_equal(ran, 2000 * PERIOD + 77);
	assert_int_equal(cpus[0].stood, looked_ns);
	assert_int_equal(events[0].count, ran);
	assert_int_equal(events[0].time_enabled, ran);
	assert_int_equal(events[0].time_running, ran);
	assert_int_equal(events[0].sampled, 2000 * PERIOD);
}

static void each_period_is_what_was_asked_for(void **state)
{
	(void)state;
	start();
	for (unsigned i = 0; i < 500; i++) {
		fake_cpu_run(PERIOD, 0, &regs);
		/* the last word of the newest sample */
		assert_int_equal(data[0][(controls[0].data_head - 8) % RING / 8], PERIOD);
	}
	assert_true(cpus[0].stands > 0);
}

static void the_reader_is_woken_and_housekeeping_goes_on(void **state)
{
	static struct tr_doorbell doorbell;

	(void)state;
	doorbell.pending = 0;
	cpus[0].owner = (struct ring_owner){ .id = 1, .doorbell = &doorbell };
	ring_set_owner(&cpus[0].ring, &cpus[0].owner);
	start();
	while (!cpus[0].stands)
		fake_cpu_run(PERIOD, 0, &regs);
	assert_int_equal(doorbell.pending, 1);
	assert_int_equal(cpus[0].owner.causes[TR_WAKEUP_FULL], 1);
	assert_int_equal(housekept, looked_ns / TICK_NS);
}

static void where_all_stand_the_clock_may_stand_too(void **state)
{
	uint64_t began, cycles;

	(void)state;
	command.lossless = LOSSLESS_FREEZE;
	recording.nr_cpus = 1;
	set_up_cpu(0);
	lossless_begin(&recording);
	start();
	began = clock_now();
	cycles = host_fake_cycles;
	fake_cpu_run(2000 * PERIOD + 77, 0, &regs);
	assert_int_equal(clock_now() - began, 2000 * PERIOD + 77);
	assert_int_equal(clock_steady() - began, host_fake_cycles - cycles);
	context_stop(&cpus[0].context);
	assert_true(looked_ns > 100 * PERIOD);
	assert_int_equal(cpus[0].stood, looked_ns);
	assert_int_equal(cpus[0].frozen, looked_ns);
	assert_int_equal(events[0].time_enabled, 2000 * PERIOD + 77);
	assert_int_equal(events[0].sampled, 2000 * PERIOD);
	/* the newest sample's TIME */
	assert_in_range(data[0][(controls[0].data_head - 24) % RING / 8], began + 2000 * PERIOD,
	                began + 2000 * PERIOD + 77);
}

static void a_clock_that_does_not_stand_for_all_is_refused(void **state)
{
	(void)state;
	command.lossless = LOSSLESS_FREEZE;
	cpus[0].cpu = 1;
	assert_int_not_equal(lossless_open(&cpus[0]), 0);
	assert_non_null(strstr(text, "the workload runs on CPU 0"));
	cpus[0].cpu = 0;
	cpus[0].aux_event = &events[0];
	assert_int_not_equal(lossless_open(&cpus[0]), 0);
	assert_non_null(strstr(text, "an AUX area"));
}

static unsigned frozen;

static void freeze(void)
{
	frozen++;
}

static void thaw(void)
{
	frozen--;
}

static void look_at_counters(void)
{
	assert_int_equal(frozen, 1);
	read_all();
}

static void its_counters_stand_still_meanwhile(void **state)
{
	static struct pmu counts;

	(void)state;
	counts = pmu_cpu_clock;
	counts.disable = freeze;
	counts.enable = thaw;
	start();
	fill();
	events[0].pmu = &counts;
	reader = look_at_counters;
	lossless_look(&cpus[0]);
	assert_true(looks > 0);
	assert_int_equal(frozen, 0);
}

static void what_is_nested_in_a_handler_writes_from_the_reserve(void **state)
{
	const struct sample_data sample = { .time = 1, .period = 1 };

	(void)state;
	start();
	while (ring_room(&cpus[0].ring) >= cpus[0].ring.reserve)
		fake_cpu_run(PERIOD, 0, &regs);
	assert_int_equal(looks, 0);
	assert_true(signalled[0] > 0);
	fake_nested = true;
	while (ring_room(&cpus[0].ring) >= SAMPLE)
		sample_output(&events[0], &regs, &sample);
	assert_int_equal(looks, 0);
	assert_int_equal(account()->lost, 0);
	fake_nested = false;
	fake_cpu_run(PERIOD, 0, &regs);
	assert_true(looks > 0);
	assert_int_equal(account()->lost, 0);
}

static void a_signal_that_finds_a_thread_has_it_stand(void **state)
{
	(void)state;
	start();
	lossless_look(&cpus[0]);
	assert_int_equal(cpus[0].stands, 0);
	while (!signalled[0])
		fake_cpu_run(PERIOD, 0, &regs);
	lossless_look(&cpus[0]);
	assert_int_equal(cpus[0].stands, 1);
	assert_int_equal(looks, 250);
	assert_true(ring_room(&cpus[0].ring) >= RING / 4);
}

static void a_ring_that_handlers_could_fill_is_refused(void **state)
{
	(void)state;
	events[0].attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	assert_int_not_equal(lossless_open(&cpus[0]), 0);
	assert_string_equal(text, "--lossless wants rings of 8 pages for these events: -m 8");
}

/* ---- Nobody reads ---- */

static void nobody_reads_and_after_a_while_it_loses(void **state)
{
	(void)state;
	reader = NULL;
	start();
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(looked_ns, (uint64_t)TR_STAND_MS * 1000000);
	assert_int_equal(cpus[0].given_up, 1);
	assert_false(cpus[0].waits);
	fake_cpu_run(500 * PERIOD, 0, &regs);
	assert_int_equal(looked_ns, (uint64_t)TR_STAND_MS * 1000000);
	assert_true(account()->lost > 400);
	assert_int_equal(account()->generated, account()->written + account()->lost);
	lossless_tell(&recording);
	assert_string_equal(text,
	                    "--lossless: nobody read for 10 s, 1 times: gone on without, and "
	                    "what found no room is lost\n");
}

static void once_somebody_reads_again_it_waits_again(void **state)
{
	uint64_t lost;

	(void)state;
	reader = NULL;
	start();
	fake_cpu_run(10 * PERIOD, 0, &regs);
	read_all();
	fill();
	lossless_look(&cpus[0]);
	fake_cpu_run(500 * PERIOD, 0, &regs);
	lossless_tick(&cpus[0]);
	assert_true(recording.lossless_given_up);
	reader = read_all_at_last;
	read_all();
	lossless_tick(&cpus[0]);
	assert_false(recording.lossless_given_up);
	lost = account()->lost;
	fake_cpu_run(500 * PERIOD, 0, &regs);
	assert_int_equal(account()->lost, lost);
	assert_true(cpus[0].stands > 1);
}

static void a_slow_reader_is_not_a_dead_one(void **state)
{
	(void)state;
	reader = read_one;
	start();
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(taken, 3);
	assert_false(recording.lossless_given_up);
}

static void a_clock_that_leaps_is_not_waited_for(void **state)
{
	(void)state;
	reader = NULL;
	start();
	fill();
	leap = NSEC_PER_SEC;
	lossless_look(&cpus[0]);
	assert_int_equal(looks, TR_STAND_MS * 1000000ULL / LOOK);
}

/* ---- Several CPUs ---- */

static void leave_the_other(void)
{
	if (looks == 300)
		cpus[1].waits = false;
}

static void a_cpu_stands_as_long_as_another_waits(void **state)
{
	(void)state;
	start();
	reader = leave_the_other;
	cpus[1].waits = true;
	fake_cpu_run(PERIOD, 0, &regs);
	assert_int_equal(looks, 300);
	assert_int_equal(cpus[0].stands, 1);
	assert_int_equal(signalled[1], 0); /* it is not for this one to call others */
	assert_int_equal(account()->lost, 0);
}

static void alone_it_does_not(void **state)
{
	(void)state;
	command.lossless = LOSSLESS_CPU;
	start();
	cpus[1].waits = true;
	fake_cpu_run(PERIOD, 0, &regs);
	assert_int_equal(looks, 0);
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(cpus[0].stands, 1);
	assert_int_equal(signalled[1], 0);
}

/* Whose interrupts and tables are not there yet, nor heard by those who start it. */
static void a_cpu_that_has_not_started_is_not_called(void **state)
{
	(void)state;
	start();
	fill();
	cpus[1].live = false;
	lossless_look(&cpus[0]);
	assert_int_equal(signalled[1], 0);
	cpus[1].live = true;
	recording.lossless_together = false;
	signalled[0] = 0;
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(signalled[1], 0);
	assert_int_equal(cpus[0].stands, 2);
	cpus[1].waits = true;
	lossless_look(&cpus[0]);
	assert_int_equal(cpus[0].stands, 2);
}

static void who_waits_calls_those_that_do_not_stand(void **state)
{
	(void)state;
	start();
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(signalled[1], 1 + looked_ns / TICK_NS);
	signalled[0] = signalled[1] = 0;
	cpus[1].stands_now = true;
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(signalled[1], 0);
}

/* ---- Who does not stand ---- */

static void stop_when_standing(void)
{
	cpus[0].stopped = looks == 42;
}

static void a_stop_ends_it(void **state)
{
	(void)state;
	reader = stop_when_standing;
	start();
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(looks, 42);
	lossless_look(&cpus[0]);
	assert_int_equal(looks, 42);
	assert_false(cpus[0].waits);
}

static void a_cpu_that_does_not_trace_does_not_stand(void **state)
{
	(void)state;
	start();
	fill();
	cpus[0].live = false;
	lossless_look(&cpus[0]);
	assert_int_equal(looks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_cpu_stands_until_there_is_room_and_loses_nothing),
		TEST(without_the_option_nobody_stands),
		TEST(no_time_passes_for_its_events_while_it_stands),
		TEST(where_all_stand_the_clock_may_stand_too),
		TEST(a_clock_that_does_not_stand_for_all_is_refused),
		TEST(each_period_is_what_was_asked_for),
		TEST(the_reader_is_woken_and_housekeeping_goes_on),
		TEST(its_counters_stand_still_meanwhile),
		TEST(what_is_nested_in_a_handler_writes_from_the_reserve),
		TEST(a_signal_that_finds_a_thread_has_it_stand),
		TEST(a_ring_that_handlers_could_fill_is_refused),
		TEST(nobody_reads_and_after_a_while_it_loses),
		TEST(once_somebody_reads_again_it_waits_again),
		TEST(a_slow_reader_is_not_a_dead_one),
		TEST(a_clock_that_leaps_is_not_waited_for),
		TEST(a_cpu_stands_as_long_as_another_waits),
		TEST(alone_it_does_not),
		TEST(a_cpu_that_has_not_started_is_not_called),
		TEST(who_waits_calls_those_that_do_not_stand),
		TEST(a_stop_ends_it),
		TEST(a_cpu_that_does_not_trace_does_not_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
