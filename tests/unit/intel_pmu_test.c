/* SPDX-License-Identifier: MIT */
/* The driver of Intel's performance monitor on modelled registers that know their reserved bits:
 * versions 1, 2 and 4, with and without full-width writes. */
#include "pmu/intel_pmu.h"

#include "arch/host/fake_cpu.h"
#include "arch/x86_64/perfmon.h"
#include "pmu/clock.h"
#include "pmu/sample.h"
#include "ringbuf/ledger.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EM_X86_64  62
#define GENERAL    4U
#define FIXED      3U
#define WIDTH      48U
#define MASK       ((1ULL << WIDTH) - 1)
#define GLOBAL_ALL (((1ULL << GENERAL) - 1) | ((1ULL << FIXED) - 1) << GLOBAL_FIXED)

/* ---- The model ---- */

static struct {
	unsigned version;
	bool full_width;
	uint64_t select[GENERAL], counter[64];
	uint64_t fixed_control, global_control, status;
	unsigned faults; /* writes that real registers would answer with #GP */
} model;

static uint64_t model_read(uint32_t reg)
{
	switch (reg) {
	case CPUID_WORD(CPUID_PERFMON, CPUID_EAX):
		return model.version | GENERAL << 8 | WIDTH << 16 | 7 << 24;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EBX):
		return 1 << 4; /* no LLC misses */
	case CPUID_WORD(CPUID_PERFMON, CPUID_EDX):
		return model.version >= 2 ? FIXED | WIDTH << 5 : 0;
	case CPUID_WORD(CPUID_FEATURES, CPUID_ECX):
		return model.full_width ? CPUID_FEATURES_PDCM : 0;
	case IA32_PERF_CAPABILITIES:
		return PERF_CAPABILITIES_FW_WRITE;
	case IA32_FIXED_CTR_CTRL:
		return model.fixed_control;
	case IA32_PERF_GLOBAL_STATUS:
		return model.status;
	default:
		break;
	}
	if (reg >= IA32_PMC0 && reg < IA32_PMC0 + GENERAL)
		return model.counter[reg - IA32_PMC0];
	if (reg >= IA32_FIXED_CTR0 && reg < IA32_FIXED_CTR0 + FIXED)
		return model.counter[GLOBAL_FIXED + reg - IA32_FIXED_CTR0];
	return 0;
}

static void set(uint64_t *word, uint64_t value, uint64_t allowed)
{
	if (value & ~allowed)
		model.faults++;
	else
		*word = value;
}

static void model_write(uint32_t reg, uint64_t value)
{
	if (reg >= IA32_PERFEVTSEL0 && reg < IA32_PERFEVTSEL0 + GENERAL)
		set(&model.select[reg - IA32_PERFEVTSEL0], value, 0xffffffff);
	else if (reg >= IA32_PMC0 && reg < IA32_PMC0 + GENERAL)
		model.counter[reg - IA32_PMC0] = (uint64_t)(int64_t)(int32_t)value & MASK;
	else if (reg >= IA32_A_PMC0 && reg < IA32_A_PMC0 + GENERAL && model.full_width)
		set(&model.counter[reg - IA32_A_PMC0], value, MASK);
	else if (model.version < 2)
		model.faults++;
	else if (reg >= IA32_FIXED_CTR0 && reg < IA32_FIXED_CTR0 + FIXED)
		set(&model.counter[GLOBAL_FIXED + reg - IA32_FIXED_CTR0], value, MASK);
	else if (reg == IA32_FIXED_CTR_CTRL)
		set(&model.fixed_control, value, 0xfff);
	else if (reg == IA32_PERF_GLOBAL_CTRL)
		set(&model.global_control, value, GLOBAL_ALL);
	else if (reg == IA32_PERF_GLOBAL_OVF_CTRL)
		model.status &= ~value;
	else
		model.faults++;
}

static bool counts(unsigned i)
{
	if (model.version >= 2 && !(model.global_control >> i & 1))
		return false;
	if (i >= GLOBAL_FIXED)
		return model.fixed_control >> 4 * (i - GLOBAL_FIXED) & 3;
	return i < GENERAL && model.select[i] & PERFEVTSEL_EN &&
	       model.select[i] & (PERFEVTSEL_OS | PERFEVTSEL_USR);
}

static bool interrupts(unsigned i)
{
	if (i >= GLOBAL_FIXED)
		return model.fixed_control >> 4 * (i - GLOBAL_FIXED) & FIXED_CTR_CTRL_PMI;
	return model.select[i] & PERFEVTSEL_INT;
}

/* Every running counter goes on by events; true: one that may interrupt has overflowed. */
static bool count_on(uint64_t events)
{
	bool interrupt = false;

	for (unsigned i = 0; i < GLOBAL_FIXED + FIXED; i++) {
		uint64_t before = model.counter[i];

		if (!counts(i))
			continue;
		model.counter[i] = (before + events) & MASK;
		if (model.counter[i] >= before)
			continue;
		model.status |= model.version >= 2 ? 1ULL << i : 0;
		interrupt |= interrupts(i);
	}
	return interrupt;
}

/* ---- The rig ---- */

static struct perf_event_mmap_page control;
static uint64_t data[1 << 17], scratch[RING_LEVELS * 2048 / 8];
static struct ring ring;
static struct perf_event events[8];
static const struct arch_regs regs = { .pc = 0x1234 };

static void open_event(struct perf_event *event, uint64_t config, uint64_t period)
{
	memset(event, 0, sizeof(*event));
	event->attr = (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(event->attr),
		.config = config,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
		.sample_max_stack = 1,
	};
	event->ring = &ring;
}

static void power_on(unsigned version, bool full_width)
{
	memset(&model, 0, sizeof(model));
	model.version = version;
	model.full_width = full_width;
	fake_machine = EM_X86_64;
	fake_reg_read = model_read;
	fake_reg_write = model_write;
	host_fake_cycles = 1;
	clock_set(&machine_clock, 1000000000, 0);
	assert_int_equal(ring_init(&ring, &(struct ring_config){ .control = &control,
	                                                         .data = data,
	                                                         .size = sizeof(data),
	                                                         .max_record = 2048,
	                                                         .scratch = scratch }),
	                 0);
}

static const struct {
	unsigned version;
	bool full_width;
} machines[] = { { 1, false }, { 2, false }, { 2, true }, { 4, true } };
#define NR_MACHINES (sizeof(machines) / sizeof(machines[0]))

/* Let events pass, in steps, interrupting when a counter says so. */
static void run(uint64_t total, uint64_t step)
{
	while (total) {
		uint64_t some = step < total ? step : total;

		host_fake_cycles += some;
		total -= some;
		if (count_on(some))
			fake_pmi(&regs);
	}
}

/* ---- The claims ---- */

static void periods_and_residue_are_the_count_on_every_version(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		struct perf_event *event = &events[0];

		power_on(machines[m].version, machines[m].full_width);
		open_event(event, PERF_COUNT_HW_CPU_CYCLES, 1000);
		assert_int_equal(event_init(event), 0);
		assert_int_equal(event_enable(event), 0);
		run(1000000, 7);
		event_disable(event);
		assert_int_equal(event->count, 1000000);
		assert_int_equal(event->account.period + (event->count - event->sampled), 1000000);
		assert_int_equal(event->account.generated, 1000);
		assert_int_equal(model.faults, 0);
		assert_int_equal(model.global_control, 0);
	}
}

static void three_cycles_events_get_three_equal_counts(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		power_on(machines[m].version, machines[m].full_width);
		for (unsigned i = 0; i < 3; i++) {
			open_event(&events[i], PERF_COUNT_HW_CPU_CYCLES, 10000);
			assert_int_equal(event_init(&events[i]), 0);
			assert_int_equal(event_enable(&events[i]), 0);
		}
		run(10000000, 13);
		for (unsigned i = 0; i < 3; i++)
			event_disable(&events[i]);
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(events[i].count, 10000000);
			assert_int_equal(events[i].account.written, 1000);
			assert_int_equal(events[i].account.lost, 0);
		}
		assert_int_equal(model.faults, 0);
	}
}

static void a_late_interrupt_writes_one_sample_with_the_true_period(void **state)
{
	struct perf_event *event = &events[0];

	(void)state;
	power_on(4, true);
	open_event(event, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
	run(5500, 5500);
	assert_int_equal(event->account.generated, 1);
	assert_int_equal(event->account.period, 5500);
	run(500, 1);
	assert_int_equal(event->account.generated, 2); /* the grid stays */
	event_disable(event);
	assert_int_equal(event->count, 6000);
}

static void long_periods_are_counted_in_laps(void **state)
{
	struct perf_event *event = &events[0];

	(void)state;
	power_on(2, false); /* general counters take 31 bits */
	open_event(event, 0, 0);
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = 0x20c4;
	event->attr.sample_period = 5ULL << 31;
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
	run(11ULL << 31, 1 << 20);
	event_disable(event);
	assert_true(event->count == 11ULL << 31);
	assert_int_equal(event->account.generated, 2);
	assert_int_equal(model.faults, 0);
}

static void fixed_counters_go_first_and_conditions_need_a_general_one(void **state)
{
	(void)state;
	power_on(2, false);
	open_event(&events[0], PERF_COUNT_HW_INSTRUCTIONS, 1000);
	open_event(&events[1], 0, 1000);
	events[1].attr.type = PERF_TYPE_RAW;
	events[1].attr.config = 0xc0 | 1 << 24; /* cmask=1 */
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(event_init(&events[i]), 0);
		assert_int_equal(event_enable(&events[i]), 0);
	}
	assert_int_equal(events[0].hw.intel_pmu.counter, GLOBAL_FIXED);
	assert_int_equal(events[1].hw.intel_pmu.counter, 0);
	for (unsigned i = 0; i < 2; i++)
		event_disable(&events[i]);
}

static void when_no_counter_is_free_the_event_is_told(void **state)
{
	(void)state;
	power_on(2, false);
	for (unsigned i = 0; i < 6; i++) {
		open_event(&events[i], PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000);
		assert_int_equal(event_init(&events[i]), 0);
		assert_int_equal(event_enable(&events[i]), i < GENERAL ? 0 : -EAGAIN);
	}
	for (unsigned i = 0; i < 6; i++)
		event_disable(&events[i]);
}

static void what_the_cpu_lacks_is_not_served(void **state)
{
	const char *why;

	(void)state;
	power_on(2, false);
	open_event(&events[0], PERF_COUNT_HW_CACHE_MISSES, 1000);
	assert_int_equal(event_init(&events[0]), -ENOENT);
	open_event(&events[0], PERF_COUNT_HW_BUS_CYCLES, 1000);
	assert_int_equal(event_init(&events[0]), -ENOENT);
	power_on(0, false);
	assert_int_equal(pmu_intel.probe(&why), -ENODEV);
	assert_non_null(why);
	open_event(&events[0], PERF_COUNT_HW_CPU_CYCLES, 1000);
	assert_int_equal(event_init(&events[0]), -ENOENT);
	power_on(2, false);
	open_event(&events[0], PERF_COUNT_HW_CPU_CYCLES, 63);
	assert_int_equal(event_init(&events[0]), -EINVAL);
}

static void modifiers_choose_the_ring(void **state)
{
	(void)state;
	power_on(2, false);
	open_event(&events[0], PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000);
	events[0].attr.flags = PERF_ATTR_EXCLUDE_KERNEL;
	assert_int_equal(event_init(&events[0]), 0);
	assert_int_equal(event_enable(&events[0]), 0);
	assert_true(model.select[0] & PERFEVTSEL_USR);
	assert_false(model.select[0] & PERFEVTSEL_OS);
	event_disable(&events[0]);
	assert_int_equal(model.select[0], 0);
}

static void leftovers_of_firmware_are_cleared_before_anything_counts(void **state)
{
	(void)state;
	power_on(2, false);
	model.select[3] = PERFEVTSEL_EN | PERFEVTSEL_INT | PERFEVTSEL_OS | 0xc0;
	model.fixed_control = 0xbb;
	model.global_control = GLOBAL_ALL;
	model.status = GLOBAL_ALL;
	open_event(&events[0], PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(event_init(&events[0]), 0);
	assert_int_equal(event_enable(&events[0]), 0);
	assert_int_equal(model.select[3], 0);
	assert_int_equal(model.status, 0);
	assert_true(model.global_control == 1ULL << GLOBAL_FIXED);
	event_disable(&events[0]);
	assert_int_equal(model.faults, 0);
}

static void a_spurious_interrupt_changes_nothing_and_is_counted(void **state)
{
	uint64_t before = intel_pmu_spurious(0);

	(void)state;
	power_on(2, false);
	open_event(&events[0], PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(event_init(&events[0]), 0);
	assert_int_equal(event_enable(&events[0]), 0);
	run(400, 1);
	fake_pmi(&regs);
	run(600, 1);
	event_disable(&events[0]);
	fake_pmi(&regs);
	assert_int_equal(intel_pmu_spurious(0), before + 2);
	assert_int_equal(events[0].count, 1000);
	assert_int_equal(events[0].account.generated, 1);
}

static void a_frequency_is_met_whatever_the_counters_rate(void **state)
{
	static const uint64_t rates[] = { 1, 3, 40 }; /* events a ns */

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		uint64_t samples;

		power_on(4, true);
		open_event(&events[0], PERF_COUNT_HW_INSTRUCTIONS, 0);
		events[0].attr.sample_freq = 10000;
		events[0].attr.flags = PERF_ATTR_FREQ;
		assert_int_equal(event_init(&events[0]), 0);
		assert_int_equal(event_enable(&events[0]), 0);
		for (unsigned step = 0; step < 1000000; step++) { /* 0.1 s in 100 ns */
			host_fake_cycles += 100;
			if (count_on(100 * rates[i]))
				fake_pmi(&regs);
		}
		event_disable(&events[0]);
		samples = events[0].account.generated;
		assert_in_range(samples, 950, 1100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_and_residue_are_the_count_on_every_version),
		cmocka_unit_test(three_cycles_events_get_three_equal_counts),
		cmocka_unit_test(a_late_interrupt_writes_one_sample_with_the_true_period),
		cmocka_unit_test(long_periods_are_counted_in_laps),
		cmocka_unit_test(fixed_counters_go_first_and_conditions_need_a_general_one),
		cmocka_unit_test(when_no_counter_is_free_the_event_is_told),
		cmocka_unit_test(what_the_cpu_lacks_is_not_served),
		cmocka_unit_test(modifiers_choose_the_ring),
		cmocka_unit_test(leftovers_of_firmware_are_cleared_before_anything_counts),
		cmocka_unit_test(a_spurious_interrupt_changes_nothing_and_is_counted),
		cmocka_unit_test(a_frequency_is_met_whatever_the_counters_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
