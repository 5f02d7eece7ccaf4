/* SPDX-License-Identifier: MIT */
/* The PMUv3 driver on a modelled PMU: two event counters and a cycle counter. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/pmu/pmuv3.h"
#include "pmu/arm/arm_pmuv3.h"
#include "pmu/arm/arm_pmuv3_config.h"
#include "pmu/clock/clock.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/arm/arm_pmuv3_model.h"
#include "tests/unit/pmu/counter_rig.h"

#define MHZ      1000000ULL
#define COUNTERS 2U

#define model (arm_pmuv3_models[0])

static int set_up(void **state)
{
	(void)state;
	arm_pmuv3_model_power_on();
	return 0;
}

static uint64_t residue(const struct perf_event *event)
{
	return event->count - event->sampled;
}

static void a_sample_comes_each_period_and_the_counts_add_up(void **state)
{
	(void)state;
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
	arm_pmuv3_model_run(10500, 0);
	event_disable(&rig_events[0]);
	assert_int_equal(rig_events[0].account.generated, 10);
	assert_int_equal(rig_events[0].count, 10500);
	assert_int_equal(rig_events[0].account.period, 10000);
	assert_int_equal(residue(&rig_events[0]), 500);
}

/* Events pass while registers are read and written: if a running counter is read and later written,
 * the events in between would be lost. */
static void expect_no_event_lost(void)
{
	uint64_t counted = 0;

	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(event_init(&rig_events[0]), 0);
	model.access = 3;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(event_enable(&rig_events[0]), 0);
		arm_pmuv3_model_run(50000, 40);
		event_read(&rig_events[0]);
		arm_pmuv3_model_run(50000, 40);
		event_disable(&rig_events[0]);
	}
	for (unsigned i = 0; i < 32; i++)
		counted += model.counted[i];
	assert_true(counted >= 200000 && rig_events[0].account.generated >= 100);
	assert_int_equal(rig_events[0].count, counted);
	assert_int_equal(rig_events[0].account.period + residue(&rig_events[0]), counted);
}

static void no_event_is_lost_while_registers_are_accessed(void **state)
{
	(void)state;
	expect_no_event_lost();
}

/* At EL2 and in hosted mode the entry does not stop the counters; the handler does. */
static void nor_in_handlers_that_are_entered_with_the_counters_running(void **state)
{
	(void)state;
	fake_never_hides = true;
	expect_no_event_lost();
	fake_never_hides = false;
}

/* The interrupt may come between disable() and enable(), which change several events at once. */
static void a_handler_between_disable_and_enable_leaves_them_stopped(void **state)
{
	(void)state;
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	for (unsigned i = 0; i < 2; i++) {
		const struct pmu *pmu = rig_events[0].pmu;

		assert_true(model.pmcr & PMCR_E);
		pmu->disable();
		assert_false(model.pmcr & PMCR_E);
		model.overflowed = model.interrupts;
		fake_pmi(&rig_regs);
		assert_int_equal(model.overflowed, 0);
		assert_false(model.pmcr & PMCR_E);
		pmu->enable();
	}
	assert_true(model.pmcr & PMCR_E);
	event_disable(&rig_events[0]);
}

static void stop_or_start_the_first(const struct arch_regs *regs)
{
	struct perf_event *event = &rig_events[0];

	(void)regs;
	assert_int_equal(model.enabled, 0);
	event->pmu->disable();
	if (event->state == EVENT_ACTIVE)
		event->pmu->stop(event);
	else
		event->pmu->start(event);
	event->state = event->state == EVENT_ACTIVE ? EVENT_INACTIVE : EVENT_ACTIVE;
	event->pmu->enable();
	assert_int_equal(model.enabled, 0);
}

static void expect_anothers(const struct arch_regs *regs)
{
	(void)regs;
	assert_int_equal(model.enabled, 1U << 1);
}

/* After the recording a payload may use a counter itself. */
static void a_counter_of_another_user_counts_on_in_handlers(void **state)
{
	(void)state;
	rig_begin(&rig_events[0], PERF_TYPE_RAW, EVENT_INST_RETIRED, 1000);
	event_disable(&rig_events[0]);
	model.enabled = 1U << 1;
	assert_int_equal(arch_timer_init(expect_anothers), 0);
	arch_timer_arm(host_fake_cycles);
	assert_int_equal(fake_cpu_run(0, 0, &rig_regs), 1);
	assert_int_equal(model.enabled, 1U << 1);
}

static void
counters_stand_still_in_handlers_and_go_on_at_the_return_as_these_left_them(void **state)
{
	static const uint32_t on[] = { 1U << 1, 1U << 1 | 1U << 0 };

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		rig_begin(&rig_events[i], PERF_TYPE_RAW, EVENT_INST_RETIRED, 1000);
	assert_int_equal(arch_timer_init(stop_or_start_the_first), 0);
	for (unsigned i = 0; i < 2; i++) {
		arch_timer_arm(host_fake_cycles);
		assert_int_equal(fake_cpu_run(0, 0, &rig_regs), 1);
		assert_int_equal(model.enabled, on[i]);
	}
	arm_pmuv3_model_run(10500, 0);
	for (unsigned i = 0; i < 2; i++) {
		event_disable(&rig_events[i]);
		assert_int_equal(rig_events[i].count, 10500);
	}
	assert_int_equal(model.enabled, 0);
}

static void a_late_interrupt_makes_one_sample_with_the_true_period(void **state)
{
	(void)state;
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	arm_pmuv3_model_run(1000, 3300);
	assert_int_equal(rig_events[0].account.generated, 1);
	assert_int_equal(rig_events[0].account.period, 4300);
	arm_pmuv3_model_run(700, 0); /* back in step: due at 5000 */
	event_disable(&rig_events[0]);
	assert_int_equal(rig_events[0].account.generated, 2);
	assert_int_equal(rig_events[0].account.period, 5000);
	assert_int_equal(rig_events[0].account.period + residue(&rig_events[0]),
	                 rig_events[0].count);
}

static void an_unserved_overflow_does_not_outlive_its_event(void **state)
{
	(void)state;
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	arm_pmuv3_model_run(999, 0);
	model.overflowed = 0;
	model.access = 3; /* during the access that stops it */
	event_disable(&rig_events[0]);
	assert_in_range(rig_events[0].count, 1000, 1010);
	assert_int_equal(model.overflowed, 0);
}

static void however_late_and_whatever_the_period_nothing_is_lost(void **state)
{
	(void)state;
	srand(1);
	for (unsigned round = 0; round < 2000; round++) {
		uint64_t period = 256 + (uint64_t)rand() % 5000;
		uint64_t start, cycles;

		set_up(NULL);
		start = host_fake_cycles;
		rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, period);
		rig_begin(&rig_events[1], PERF_TYPE_RAW, EVENT_INST_RETIRED, period + 77);
		for (unsigned i = 0; i < 20; i++) {
			arm_pmuv3_model_run((uint64_t)rand() % 4000, (uint64_t)rand() % 3000);
			if (rand() % 2)
				rig_events[1].pmu->read(&rig_events[1]);
		}
		cycles = host_fake_cycles - start;
		for (unsigned i = 0; i < 2; i++) {
			event_disable(&rig_events[i]);
			assert_int_equal(rig_events[i].count, cycles);
			assert_int_equal(rig_events[i].account.period + residue(&rig_events[i]),
			                 cycles);
			assert_true(residue(&rig_events[i]) < period + 77);
		}
	}
}

static void cycles_take_the_cycle_counter_first_and_then_any(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS + 1; i++)
		rig_begin(&rig_events[i], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
	assert_int_equal(arm_pmuv3_of(&rig_events[0])->counter, CYCLE_COUNTER);
	assert_int_equal(arm_pmuv3_of(&rig_events[1])->counter, 0);
	assert_int_equal(arm_pmuv3_of(&rig_events[2])->counter, 1);
	rig_describe(&rig_events[3], PERF_TYPE_RAW, EVENT_CPU_CYCLES, 1000);
	assert_int_equal(event_init(&rig_events[3]), 0);
	assert_int_equal(event_enable(&rig_events[3]), -EAGAIN);
	arm_pmuv3_model_run(10500, 0);
	for (unsigned i = 0; i < COUNTERS + 1; i++) {
		event_disable(&rig_events[i]);
		assert_int_equal(rig_events[i].account.generated, 10);
		assert_int_equal(rig_events[i].count, 10500);
	}
}

static void a_period_beyond_32_bits_needs_no_wide_counter(void **state)
{
	(void)state;
	for (model.version = 1; model.version <= PMUVER_V3P5; model.version += PMUVER_V3P5 - 1) {
		rig_begin(&rig_events[0], PERF_TYPE_RAW, EVENT_INST_RETIRED, 10ULL << 32);
		arm_pmuv3_model_run(25ULL << 32, 100);
		event_disable(&rig_events[0]);
		assert_int_equal(rig_events[0].account.generated, 2);
		assert_int_equal(rig_events[0].account.period + residue(&rig_events[0]),
		                 rig_events[0].count);
		assert_true(rig_events[0].count >= 25ULL << 32);
	}
}

static void a_frequency_is_approached(void **state)
{
	(void)state;
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 10000);
	rig_events[0].attr.flags = PERF_ATTR_FREQ;
	clock_set(&machine_clock, 100 * MHZ, host_fake_cycles); /* ten times fewer than assumed */
	assert_int_equal(event_init(&rig_events[0]), 0);
	assert_int_equal(event_enable(&rig_events[0]), 0);
	arm_pmuv3_model_run(10 * MHZ, 0); /* 100 ms to settle */
	rig_events[0].account.generated = 0;
	arm_pmuv3_model_run(100 * MHZ, 0);
	event_disable(&rig_events[0]);
	assert_in_range(rig_events[0].account.generated, 9900, 10100);
}

static void modifiers_choose_the_exception_levels(void **state)
{
	static const struct {
		uint64_t flags;
		uint32_t bits;
	} cases[] = {
		{ 0, 0 },
		{ PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV, PMEVTYPER_P },
		{ PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_HV, PMEVTYPER_U },
		{ PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL,
		  PMEVTYPER_U | PMEVTYPER_P | PMEVTYPER_NSH },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig_describe(&rig_events[0], PERF_TYPE_RAW, 0x234, 1000);
		rig_events[0].attr.flags = cases[i].flags;
		assert_int_equal(event_init(&rig_events[0]), 0);
		assert_int_equal(event_enable(&rig_events[0]), 0);
		assert_int_equal(model.type[0], 0x234 | cases[i].bits);
		event_disable(&rig_events[0]);
	}
}

static void an_event_that_the_pmu_cannot_count_is_not_served(void **state)
{
	(void)state;
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 1000);
	assert_int_equal(event_init(&rig_events[0]), -ENOENT); /* not in PMCEID */
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 1000);
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	rig_describe(&rig_events[0], PERF_TYPE_RAW, 0x10000, 1000);
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1ULL << 62);
	assert_int_equal(event_init(&rig_events[0]), -EINVAL);
}

static void a_machine_without_pmuv3_says_why(void **state)
{
	static const uint64_t versions[] = { 0, ID_AA64DFR0_PMUVER_IMP };
	const char *why;

	(void)state;
	assert_int_equal(pmu_arm_pmuv3.probe(&why), 0);
	for (unsigned i = 0; i < 2; i++) {
		model.version = versions[i];
		assert_int_equal(pmu_arm_pmuv3.probe(&why), -ENODEV);
		assert_non_null(strstr(why, "no PMUv3"));
		rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
		assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	}
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS + 2; i++)
		event_disable(&rig_events[i]);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sample_comes_each_period_and_the_counts_add_up),
		TEST(no_event_is_lost_while_registers_are_accessed),
		TEST(nor_in_handlers_that_are_entered_with_the_counters_running),
		TEST(a_handler_between_disable_and_enable_leaves_them_stopped),
		TEST(a_counter_of_another_user_counts_on_in_handlers),
		TEST(counters_stand_still_in_handlers_and_go_on_at_the_return_as_these_left_them),
		TEST(a_late_interrupt_makes_one_sample_with_the_true_period),
		TEST(an_unserved_overflow_does_not_outlive_its_event),
		TEST(however_late_and_whatever_the_period_nothing_is_lost),
		TEST(cycles_take_the_cycle_counter_first_and_then_any),
		TEST(a_period_beyond_32_bits_needs_no_wide_counter),
		TEST(a_frequency_is_approached),
		TEST(modifiers_choose_the_exception_levels),
		TEST(an_event_that_the_pmu_cannot_count_is_not_served),
		TEST(a_machine_without_pmuv3_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
