/* SPDX-License-Identifier: MIT */
/* The clock, callchains and cpu-clock's samples, on a fake CPU. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/callchain.h"
#include "pmu/clock/clock.h"
#include "pmu/sample.h"
#include "pmu/software/cpu_clock.h"
#include "pmu/tick.h"
#include "ringbuf/ledger.h"
#include "tests/event_switch.h"

#define MHZ 1000000ULL

static struct perf_event_mmap_page control;
static uint64_t data[65536 / 8];
static uint64_t scratch[RING_LEVELS * 2048 / 8];
static struct ring ring;
static struct perf_event event;
static const struct arch_regs regs = { .pc = 0x1234, .fp = 0, .sp = 0 };

static int set_up(void **state)
{
	(void)state;
	host_fake_cycles = 1000 * MHZ;
	fake_stack_high = 0;
	clock_set(&machine_clock, 2600 * MHZ, host_fake_cycles);
	assert_int_equal(timer_init(), 0);
	memset(&event, 0, sizeof(event));
	event.attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(event.attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1 * MHZ, /* ns: 1 ms */
		.sample_type = SAMPLE_TYPES_SERVED & ~PERF_SAMPLE_BRANCH_STACK,
		.sample_max_stack = CALLCHAIN_MAX,
	};
	event.account.id = 7;
	event.ring = &ring;
	return ring_init(&ring, &(struct ring_config){ .control = &control,
	                                               .data = data,
	                                               .size = sizeof(data),
	                                               .max_record = 2048,
	                                               .scratch = scratch });
}

static void time_starts_at_zero_and_runs_at_the_counters_rate(void **state)
{
	static const uint64_t rates[] = { 1000, 24 * MHZ, 2600 * MHZ, 1ULL << 33 };
	struct tr_clock clock = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		uint64_t day = 86400 * rates[i];
		uint64_t ns;

		clock_set(&clock, rates[i], 123456789);
		assert_int_equal(clock_to_ns(&clock, 123456789), 0);
		ns = clock_to_ns(&clock, 123456789 + day);
		assert_true(ns <= 86400 * NSEC_PER_SEC);
		assert_true(ns >= 86400 * (NSEC_PER_SEC - 1));
	}
}

static void a_deadline_is_never_early(void **state)
{
	struct tr_clock clock = { 0 };

	(void)state;
	clock_set(&clock, 24 * MHZ, 0);
	assert_int_equal(clock_span_to_cycles(&clock, 1), 1);
	assert_int_equal(clock_span_to_cycles(&clock, NSEC_PER_SEC), 24 * MHZ);
	clock.time_zero = 77; /* no part of a span */
	assert_true(NSEC_PER_SEC - clock_span_to_ns(&clock, 24 * MHZ) <= 1);
	clock.time_zero = 0;
	assert_true(clock_span_to_cycles(&clock, UINT64_MAX) > 1ULL << 38);
	clock_set(&clock, 1ULL << 33, 0);
	assert_true(clock_span_to_cycles(&clock, UINT64_MAX) == 1ULL << 62);
	assert_true(clock_span_to_cycles(&clock, ((1ULL << 29) + 1) * NSEC_PER_SEC - 1) ==
	            1ULL << 62);
	assert_true(clock_span_to_cycles(&clock, ((1ULL << 29) - 1) * NSEC_PER_SEC) ==
	            (1ULL << 62) - (1ULL << 33));
}

static void periods_and_residue_are_the_count(void **state)
{
	(void)state;
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(event_enable(&event), 0);
	fake_cpu_run(26 * MHZ + 1300000, 0, &regs); /* 10.5 ms */
	event_disable(&event);
	assert_int_equal(event.account.written, 10);
	assert_int_equal(event.count, 10500000);
	assert_int_equal(event.account.period + (event.count - event.sampled), event.count);
	assert_int_equal(event.time_enabled, 10500000);
}

static void a_clock_that_was_stopped_continues_where_it_was(void **state)
{
	(void)state;
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(event_enable(&event), 0);
	fake_cpu_run(4 * 260000, 0, &regs); /* 0.4 ms */
	event_read(&event);
	assert_int_equal(event.count, 400000);
	event_disable(&event);
	assert_int_equal(fake_timer_deadline, 0);
	fake_cpu_run(26 * MHZ, 0, &regs);
	event_read(&event); /* it is not running */
	assert_int_equal(event.count, 400000);
	assert_int_equal(event_enable(&event), 0);
	assert_int_equal(fake_timer_deadline, host_fake_cycles + 6 * 260000);
	fake_cpu_run(6 * 260000 - 1, 0, &regs);
	assert_int_equal(event.account.generated, 0);
	fake_cpu_run(1, 0, &regs);
	assert_int_equal(event.account.generated, 1);
	assert_int_equal(event.account.period, 1000000);
	assert_int_equal(fake_timer_deadline, host_fake_cycles + 2600000);
	/* A sample that is due when the event stops is taken at once when it continues. */
	host_fake_cycles += 2600000 + 5;
	event_disable(&event);
	assert_int_equal(event_enable(&event), 0);
	assert_int_equal(fake_timer_deadline, host_fake_cycles);
	event_disable(&event);
}

static void periods_and_frequencies_are_taken_to_their_bounds(void **state)
{
	(void)state;
	event.attr.sample_period = 999; /* so short a period is not possible */
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(cpu_clock_of(&event)->period, 2600);
	event.attr.sample_period = 1001;
	assert_int_equal(event_init(&event), 0);
	/* 2602.6, rounded up so that it is never early */
	assert_int_equal(cpu_clock_of(&event)->period, 2603);
	assert_int_equal(cpu_clock_of(&event)->left, 2603);
	event.attr.flags = PERF_ATTR_FREQ;
	event.attr.sample_freq = 1000000;
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(cpu_clock_of(&event)->period, 2600);
	event.attr.sample_freq = 1001002; /* 999 ns */
	assert_int_equal(event_init(&event), -EINVAL);
	event.attr.sample_freq = 0;
	assert_int_equal(event_init(&event), -EINVAL);
	event.attr.flags = 0;
	event.attr.config = PERF_COUNT_SW_CPU_CLOCK + 1;
	assert_int_equal(event_init(&event), -ENOENT);
}

static void a_late_handler_writes_one_sample_with_the_true_period(void **state)
{
	struct tr_event_ledger ledger;

	(void)state;
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(event_enable(&event), 0);
	/* 4.5 periods late: the sample's PERIOD is 5.5 periods, and the multiples stay. */
	fake_cpu_run(26 * MHZ, 2600000ULL * 9 / 2, &regs);
	event_disable(&event);
	event_publish(&event, &ledger, clock_now());
	assert_int_equal(ledger.generated, 1);
	assert_int_equal(ledger.period, 5500000);
	assert_int_equal(ledger.residue, 4500000);
	assert_int_equal(ledger.count, 10000000);
}

static void a_sample_has_perfs_layout(void **state)
{
	uint64_t stack[4] = { 0, 0, 0, 0 };
	struct arch_regs at = { .pc = 0x1234, .fp = (uint64_t)stack, .sp = (uint64_t)stack };
	struct sample_data values = { .time = 11, .period = 22, .addr = 33 };
	const uint64_t expected[] = {
		PERF_RECORD_SAMPLE | (uint64_t)PERF_RECORD_MISC_USER << 32 | 152ULL << 48,
		7,              /* IDENTIFIER */
		0x1234,         /* IP */
		1 | 1ULL << 32, /* pid, tid */
		11,             /* TIME */
		33,             /* ADDR */
		7,              /* ID */
		7,              /* STREAM_ID */
		0,              /* CPU */
		22,             /* PERIOD */
		55,             /* READ: the count */
		3,              /* callchain: nr */
		PERF_CONTEXT_USER,
		0x1234,
		0x5678,
		4,          /* RAW: 4 bytes, which are 0 */
		0,          /* WEIGHT_STRUCT */
		0x05080021, /* DATA_SRC: PERF_MEM_NA */
		33,         /* PHYS_ADDR: memory is identity-mapped */
	};

	(void)state;
	stack[0] = (uint64_t)&stack[2];
	stack[1] = 0x5678;
	fake_stack_low = (uint64_t)stack;
	fake_stack_high = (uint64_t)(stack + 4);
	event.count = 55;
	sample_output(&event, &at, &values);
	assert_int_equal(control.data_head, sizeof(expected));
	assert_memory_equal(data, expected, sizeof(expected));
}

/* Hardware that takes samples itself has its own instruction, stack and values. */
static void a_precise_sample_has_the_hardwares_values(void **state)
{
	static const uint64_t raw[] = { 12 | 5ULL << 32, 77 };
	uint64_t stack[4] = { 0, 0, 0, 0 };
	const struct sample_precise precise = {
		.place = { .pc = 0x4321, .fp = (uint64_t)stack, .sp = (uint64_t)stack },
		.weight = 44,
		.data_src = 66,
		.raw = raw,
	};
	struct sample_data values = { .time = 11, .period = 22, .addr = 33, .precise = &precise };

	(void)state;
	stack[0] = (uint64_t)&stack[2];
	stack[1] = 0x5678;
	fake_stack_low = (uint64_t)stack;
	fake_stack_high = (uint64_t)(stack + 4);
	sample_output(&event, NULL, &values);
	assert_int_equal(data[0] >> 32 & 0xffff, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
	assert_int_equal(data[2], 0x4321);
	assert_int_equal(data[5], 33);
	assert_int_equal(data[13], 0x4321);
	assert_int_equal(data[14], 0x5678);
	assert_int_equal(data[15], raw[0]);
	assert_int_equal(data[16], raw[1]);
	assert_int_equal(data[17], 44);
	assert_int_equal(data[18], 66);
	assert_int_equal(data[19], 33);
}

static void a_sample_names_its_cpu(void **state)
{
	struct sample_data values = { .time = 11 };

	(void)state;
	event.cpu = 3;
	sample_output(&event, &regs, &values);
	assert_int_equal(data[3], 1 | 4ULL << 32); /* pid, tid */
	assert_int_equal(data[8], 3);              /* CPU */
}

static void a_callchain_never_leaves_the_stack(void **state)
{
	uint64_t *stack = malloc(64 * 8); /* the sanitizer knows its bounds */
	uint64_t ips[CALLCHAIN_MAX + 2];
	uint64_t low = (uint64_t)stack, high = (uint64_t)(stack + 64);
	uint64_t random = 1;

	(void)state;
	fake_stack_low = low;
	fake_stack_high = high;
	for (unsigned round = 0; round < 20000; round++) {
		struct arch_regs at = { .pc = 1, .fp = low + round % 600, .sp = low };

		for (unsigned i = 0; i < 64; i++) {
			random = random * 6364136223846793005ULL + 1;
			stack[i] = random & 1 ? low + (random >> 33) % 600 : random;
		}
		assert_in_range(callchain_collect(&at, ips, 5), 2, 6);
		at.fp = 0x4141414141414141;
		assert_int_equal(callchain_collect(&at, ips, 5), 2);
		at.fp = high - 8;
		assert_int_equal(callchain_collect(&at, ips, 5), 2);
		at.fp = UINT64_MAX - 7;
		assert_int_equal(callchain_collect(&at, ips, 5), 2);
	}
	free(stack);
}

/* Frames of a program, some of them damaged, in a stack of 128 words. */
static void fill_stack(uint64_t *stack, uint64_t *random)
{
	for (unsigned i = 0; i < 128; i++) {
		*random = *random * 6364136223846793005ULL + 1;
		stack[i] = (uint64_t)&stack[i] + 16 + 8 * (*random >> 33 & 3);
		if (*random >> 58 == 0)
			stack[i] = *random >> 33 & 1 ? 0 : *random;
		else if (*random >> 58 == 1)
			stack[i] -= *random >> 40 & 31;
	}
}

static void followed_in_a_straight_line_a_callchain_is_the_same(void **state)
{
	static const unsigned lengths[] = { 1, 2, 8, 9, 10, CALLCHAIN_MAX };
	uint64_t *stack = malloc(128 * 8); /* the sanitizer knows its bounds */
	uint64_t ips[CALLCHAIN_MAX + 1], same[CALLCHAIN_MAX + 1], random = 1;
	unsigned straight = 0;

	(void)state;
	fake_stack_low = (uint64_t)stack;
	fake_stack_high = (uint64_t)(stack + 128);
	for (unsigned round = 0; round < 60000; round++) {
		struct callchain chain = { .max_frames = lengths[round % 6] };
		struct arch_regs at = { .pc = 1 };

		fill_stack(stack, &random);
		at.sp = fake_stack_low + (random >> 20) % (round % 3 ? 512 : 1100);
		at.fp = at.sp + (random >> 40) % 64;
		if (round % 8) {
			at.sp &= ~7ULL;
			at.fp &= ~7ULL;
		}
		for (unsigned again = 0; again < 2; again++) {
			unsigned n = callchain_collect(&at, ips, chain.max_frames);

			assert_int_equal(callchain_put(&chain, &at, same), n);
			assert_memory_equal(ips, same, n * 8);
			straight += again && n > 8 && chain.straight;
		}
	}
	assert_true(straight > 1000);
	free(stack);
}

static void frames_must_ascend(void **state)
{
	uint64_t stack[4] = { 0 };
	uint64_t ips[CALLCHAIN_MAX + 2];
	struct arch_regs at = { .pc = 1, .fp = (uint64_t)stack, .sp = (uint64_t)stack };

	(void)state;
	stack[0] = (uint64_t)stack; /* a frame that is its own caller */
	stack[1] = 2;
	fake_stack_low = (uint64_t)stack;
	fake_stack_high = (uint64_t)(stack + 4);
	assert_int_equal(callchain_collect(&at, ips, CALLCHAIN_MAX), 3);
}

static void without_a_call_chain_the_current_call_is_known(void **state)
{
	struct callchain_call calls[2] = { { 0x10, 0x20, 0, NULL }, { 0x30, 0x40, 0, NULL } };
	struct arch_regs at = { .pc = 1, .fp = (uint64_t)calls, .sp = (uint64_t)&calls[1] - 8 };
	uint64_t ips[CALLCHAIN_MAX + 2];

	(void)state;
	fake_stack_low = fake_stack_high = 0;
	assert_int_equal(callchain_collect(&at, ips, CALLCHAIN_MAX), 2);
	callchain_call = &calls[1];
	assert_int_equal(callchain_collect(&at, ips, CALLCHAIN_MAX), 4);
	assert_int_equal(ips[2], 0x30);
	assert_int_equal(ips[3], 0x40);
	assert_int_equal(callchain_collect(&at, ips, 2), 2); /* room for both, or for neither */
	/* below sp: the function has returned */
	callchain_call = &calls[0];
	assert_int_equal(callchain_collect(&at, ips, CALLCHAIN_MAX), 2);
	callchain_call = NULL;
}

static void samples_come_less_often_if_that_is_said_and_the_count_is_whole(void **state)
{
	uint64_t before;

	(void)state;
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(event_enable(&event), 0);
	fake_cpu_run(10 * 2600000, 0, &regs);
	before = event.account.written;
	assert_in_range(before, 9, 10);
	event.pmu->slow(&event, 4);
	fake_cpu_run(41 * 2600000, 0, &regs);
	assert_in_range(event.account.written - before, 10, 11);
	event.pmu->slow(&event, 1);
	before = event.account.written;
	fake_cpu_run(14 * 2600000, 0, &regs);
	assert_in_range(event.account.written - before, 10, 14);
	event_disable(&event);
	assert_true(event.count - event.sampled < 4 * MHZ);
	assert_in_range(event.count, 65 * MHZ - 1000, 65 * MHZ + 1000);
}

static void impossible_attributes_are_refused(void **state)
{
	(void)state;
	event.attr.sample_freq = 1001 * 1000;
	event.attr.flags = PERF_ATTR_FREQ;
	assert_int_equal(event_init(&event), -EINVAL);
	event.attr.sample_freq = 1000;
	assert_int_equal(event_init(&event), 0);
	event.attr.sample_type |= PERF_SAMPLE_REGS_INTR;
	assert_int_equal(event_init(&event), -EOPNOTSUPP);
	event.attr.sample_type = PERF_SAMPLE_IP;
	event.attr.type = 99;
	assert_int_equal(event_init(&event), -ENOENT);
}

static void without_a_timer_s_interrupt_it_counts_and_does_not_sample(void **state)
{
	(void)state;
	fake_timer_lacks = "the firmware has it";
	event.attr.sample_period = 1000000;
	assert_int_equal(event_init(&event), -ENODEV);
	assert_string_equal(event.why, fake_timer_lacks);
	event.attr.sample_period = 0;
	assert_int_equal(event_init(&event), 0);
	fake_timer_lacks = NULL;
	event.attr.sample_period = 1000000;
	assert_int_equal(event_init(&event), 0);
	assert_null(event.why);
}

static unsigned worked;

static void work(struct tick *tick, const struct arch_regs *interrupted)
{
	(void)tick;
	(void)interrupted;
	worked++;
}

static void the_tick_comes_every_millisecond(void **state)
{
	struct tick tick;

	(void)state;
	worked = 0;
	tick_start(&tick, work);
	fake_cpu_run(26 * MHZ, 0, &regs);
	tick_stop(&tick);
	assert_int_equal(worked, 10);
	assert_int_equal(tick.count, 10);
	assert_int_equal(fake_timer_deadline, 0);
}

static void work_slowly(struct tick *tick, const struct arch_regs *interrupted)
{
	host_fake_cycles += worked == 1 ? 500 : 100;
	work(tick, interrupted);
}

static void the_ticks_time_is_counted(void **state)
{
	struct tick tick;

	(void)state;
	worked = 0;
	tick_start(&tick, work_slowly);
	assert_int_equal(fake_timer_deadline, host_fake_cycles + 26 * MHZ / 10);
	fake_cpu_run(4 * 26 * MHZ / 10, 0, &regs);
	tick_stop(&tick);
	assert_int_equal(tick.count, 4);
	assert_int_equal(tick.cycles, 800);
	assert_int_equal(tick.longest, 500);
}

static void without_a_period_time_is_only_counted(void **state)
{
	(void)state;
	event.attr.sample_period = 0;
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(event_enable(&event), 0);
	assert_int_equal(fake_cpu_run(2600 * MHZ, 0, &regs), 0);
	event_disable(&event);
	assert_int_equal(event.account.generated, 0);
	assert_in_range(event.count, 1000 * MHZ - 1, 1000 * MHZ);
	assert_in_range(event.time_running, 1000 * MHZ - 1, 1000 * MHZ);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(time_starts_at_zero_and_runs_at_the_counters_rate, set_up),
		cmocka_unit_test_setup(a_deadline_is_never_early, set_up),
		cmocka_unit_test_setup(periods_and_residue_are_the_count, set_up),
		cmocka_unit_test_setup(a_clock_that_was_stopped_continues_where_it_was, set_up),
		cmocka_unit_test_setup(periods_and_frequencies_are_taken_to_their_bounds, set_up),
		cmocka_unit_test_setup(a_late_handler_writes_one_sample_with_the_true_period,
		                       set_up),
		cmocka_unit_test_setup(a_sample_has_perfs_layout, set_up),
		cmocka_unit_test_setup(a_precise_sample_has_the_hardwares_values, set_up),
		cmocka_unit_test_setup(a_sample_names_its_cpu, set_up),
		cmocka_unit_test_setup(a_callchain_never_leaves_the_stack, set_up),
		cmocka_unit_test_setup(followed_in_a_straight_line_a_callchain_is_the_same, set_up),
		cmocka_unit_test_setup(frames_must_ascend, set_up),
		cmocka_unit_test(without_a_call_chain_the_current_call_is_known),
		cmocka_unit_test_setup(
		    samples_come_less_often_if_that_is_said_and_the_count_is_whole, set_up),
		cmocka_unit_test_setup(impossible_attributes_are_refused, set_up),
		cmocka_unit_test_setup(without_a_timer_s_interrupt_it_counts_and_does_not_sample,
		                       set_up),
		cmocka_unit_test_setup(without_a_period_time_is_only_counted, set_up),
		cmocka_unit_test_setup(the_tick_comes_every_millisecond, set_up),
		cmocka_unit_test_setup(the_ticks_time_is_counted, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
