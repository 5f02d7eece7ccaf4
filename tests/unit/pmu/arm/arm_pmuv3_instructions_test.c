/* SPDX-License-Identifier: MIT */
/* PMUv3p9's instruction counter, beside two event counters and the cycle counter. */
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
#include "pmu/counter_census.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/arm/arm_pmuv3_model.h"
#include "tests/unit/pmu/counter_rig.h"

#define model  (arm_pmuv3_models[0])
#define BIT(n) (1ULL << (n))

static void power_on(void)
{
	arm_pmuv3_model_power_on();
	counter_census[0] = (struct counter_census){ 0 };
	model.instructions = true;
	model.version = PMUVER_V3P9;
	model.pmmir = 4ULL << PMMIR_THWIDTH;
	model.enabled = model.interrupts = model.overflowed = UINT32_MAX | BIT(INSTRUCTION_COUNTER);
}

static int set_up(void **state)
{
	(void)state;
	power_on();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RIG_EVENTS; i++)
		event_disable(&rig_events[i]);
	return 0;
}

static unsigned counter_of(unsigned event)
{
	return arm_pmuv3_of(&rig_events[event])->counter;
}

static void instructions_take_the_instruction_counter_first_and_then_any(void **state)
{
	(void)state;
	rig_begin(&rig_events[0], PERF_TYPE_RAW, EVENT_INST_RETIRED, 1000);
	rig_begin(&rig_events[1], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	rig_begin(&rig_events[2], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(counter_of(0), INSTRUCTION_COUNTER);
	assert_int_equal(counter_of(1), 0);
	assert_int_equal(counter_of(2), 1);
	rig_describe(&rig_events[3], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(event_init(&rig_events[3]), 0);
	assert_int_equal(event_enable(&rig_events[3]), -EAGAIN);
	arm_pmuv3_model_run(10500, 0);
	for (unsigned i = 0; i < 3; i++) {
		event_disable(&rig_events[i]);
		assert_int_equal(rig_events[i].count, 10500);
		assert_int_equal(rig_events[i].account.generated, 10);
	}
	assert_true(model.enabled == 0 && model.interrupts == 0);
}

static void other_events_leave_it_free(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		rig_begin(&rig_events[i], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
	assert_int_equal(counter_of(0), CYCLE_COUNTER);
	assert_int_equal(counter_of(1), 0);
	assert_int_equal(counter_of(2), 1);
	rig_describe(&rig_events[3], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
	assert_int_equal(event_init(&rig_events[3]), 0);
	assert_int_equal(event_enable(&rig_events[3]), -EAGAIN);
}

/* Its filter register has no threshold. */
static void an_event_with_a_threshold_takes_an_event_counter(void **state)
{
	(void)state;
	rig_describe(&rig_events[0], PERF_TYPE_RAW, EVENT_INST_RETIRED, 1000);
	rig_events[0].attr.config1 = 1ULL << 5;
	assert_int_equal(event_init(&rig_events[0]), 0);
	assert_int_equal(event_enable(&rig_events[0]), 0);
	assert_int_equal(counter_of(0), 0);
}

/* The field of the event's number is fixed. */
static void its_filter_has_the_event_s_levels_and_no_number(void **state)
{
	(void)state;
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	rig_events[0].attr.flags = PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL;
	assert_int_equal(event_init(&rig_events[0]), 0);
	assert_int_equal(event_enable(&rig_events[0]), 0);
	assert_true(model.type[INSTRUCTION_COUNTER] == (PMEVTYPER_U | PMEVTYPER_P | PMEVTYPER_NSH));
}

static void however_late_its_interrupt_no_instruction_is_lost(void **state)
{
	(void)state;
	srand(1);
	for (unsigned round = 0; round < 500; round++) {
		struct perf_event *event = &rig_events[0];

		power_on();
		rig_begin(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
		          256 + (uint64_t)rand() % 5000);
		model.counted[INSTRUCTION_COUNTER] = 0;
		model.access = 3;
		for (unsigned i = 0; i < 20; i++) {
			arm_pmuv3_model_run((uint64_t)rand() % 4000, (uint64_t)rand() % 3000);
			event->pmu->read(event);
		}
		assert_in_range(event->pmu->peek(event) - event->count, 0, 20);
		event_disable(event);
		assert_in_range(event->count, model.counted[INSTRUCTION_COUNTER],
		                model.counted[INSTRUCTION_COUNTER] + 10);
		assert_true(event->account.generated > 2);
		assert_int_equal(event->account.period + event->count - event->sampled,
		                 event->count);
	}
}

static void firmware_s_use_is_stopped_and_reported(void **state)
{
	(void)state;
	model.pmcr = PMCR_E;
	model.enabled = BIT(INSTRUCTION_COUNTER);
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
	assert_true(counter_census[0].present ==
	            (BIT(0) | BIT(1) | BIT(CYCLE_COUNTER) | BIT(INSTRUCTION_COUNTER)));
	assert_true(counter_census[0].leftovers == BIT(INSTRUCTION_COUNTER));
	assert_true(model.enabled == BIT(CYCLE_COUNTER));
	assert_true(model.interrupts == BIT(CYCLE_COUNTER) && model.overflowed == 0);
}

static void a_counter_of_a_hypervisor_is_left_alone(void **state)
{
	(void)state;
	model.stuck = BIT(INSTRUCTION_COUNTER);
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_true(counter_census[0].foreign == BIT(INSTRUCTION_COUNTER));
	assert_int_equal(counter_of(0), 0);
}

static void instructions_need_no_event_counter(void **state)
{
	(void)state;
	model.counters = 0;
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(counter_of(0), INSTRUCTION_COUNTER);
	model.instructions = false;
	rig_describe(&rig_events[1], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(event_init(&rig_events[1]), -ENOENT);
	assert_non_null(strstr(rig_events[1].why, "HPMN"));
	model.instructions = true;
}

/* Without the feature the bits and the registers do not exist: the model's asserts. */
static void a_cpu_without_it_counts_instructions_as_before(void **state)
{
	(void)state;
	model.instructions = false;
	model.enabled = model.interrupts = model.overflowed = UINT32_MAX;
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(counter_of(0), 0);
	assert_true(counter_census[0].present == (BIT(0) | BIT(1) | BIT(CYCLE_COUNTER)));
}

/* SPE's events need event counters. */
static void it_is_not_lent(void **state)
{
	struct perf_event *spe = &rig_events[3];

	(void)state;
	model.extended = 1;
	rig_begin(&rig_events[0], PERF_TYPE_RAW, EVENT_INST_RETIRED, 1000);
	event_disable(&rig_events[0]);
	spe->cpu = 0;
	assert_int_equal(arm_pmuv3_lend(spe, EVENT_SAMPLE_POP, false), 1);
	assert_int_equal(arm_pmuv3_lend(spe, EVENT_SAMPLE_POP, false), 0);
	assert_int_equal(arm_pmuv3_lend(spe, EVENT_SAMPLE_POP, false), ARM_PMUV3_NONE);
	arm_pmuv3_give_back(spe, 0);
	arm_pmuv3_give_back(spe, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(instructions_take_the_instruction_counter_first_and_then_any),
		TEST(other_events_leave_it_free),
		TEST(an_event_with_a_threshold_takes_an_event_counter),
		TEST(its_filter_has_the_event_s_levels_and_no_number),
		TEST(however_late_its_interrupt_no_instruction_is_lost),
		TEST(firmware_s_use_is_stopped_and_reported),
		TEST(a_counter_of_a_hypervisor_is_left_alone),
		TEST(instructions_need_no_event_counter),
		TEST(a_cpu_without_it_counts_instructions_as_before),
		TEST(it_is_not_lent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
