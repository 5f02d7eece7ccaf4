/* SPDX-License-Identifier: MIT */
/* The PMUs of Arm's CPUs, which may differ between clusters; other users of their counters; and
 * counters chained to 64 bits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/pmu/pmuv3.h"
#include "pmu/arm/arm_pmuv3.h"
#include "pmu/arm/arm_pmuv3_config.h"
#include "pmu/context.h"
#include "pmu/counter_census.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/arm/arm_pmuv3_model.h"
#include "tests/unit/pmu/counter_rig.h"

#define model    (arm_pmuv3_models[fake_cpu_number])
#define LAP      (1ULL << 32)
#define LONG     1U
#define BIT(n)   (1ULL << (n))
#define CHAINING (BIT(EVENT_CPU_CYCLES) | BIT(EVENT_INST_RETIRED) | BIT(EVENT_CHAIN))

static int set_up(void **state)
{
	(void)state;
	arm_pmuv3_model_power_on();
	counter_census[0] = counter_census[1] = (struct counter_census){ 0 };
	return 0;
}

static void describe(struct perf_event *event, uint64_t number, bool is_long, uint64_t period)
{
	rig_describe(event, PERF_TYPE_RAW, number, period);
	event->attr.config1 = is_long ? LONG : 0;
}

static void begin(struct perf_event *event, uint64_t number, bool is_long, uint64_t period)
{
	describe(event, number, is_long, period);
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
}

/* The purpose of chaining: interrupts may be late, here by 3.5 wraps of a 32-bit counter. */
static void only_a_chained_pair_counts_laps_that_no_interrupt_sees(void **state)
{
	uint64_t late = 7 * LAP / 2;

	(void)state;
	model.events = CHAINING;
	begin(&rig_events[0], EVENT_INST_RETIRED, false, 1000);
	arm_pmuv3_model_run(1000, late);
	event_disable(&rig_events[0]);
	assert_true(rig_events[0].count == 1000 + late - 3 * LAP);
	begin(&rig_events[0], EVENT_INST_RETIRED, true, 1000);
	arm_pmuv3_model_run(1000, late);
	event_disable(&rig_events[0]);
	assert_true(rig_events[0].count == 1000 + late);
	assert_true(rig_events[0].account.period == 1000 + late);
	assert_int_equal(rig_events[0].account.generated, 1);
}

static void a_pair_samples_on_its_grid_and_adds_up(void **state)
{
	static const uint64_t periods[] = { 1000, LAP - 1, LAP, 10 * LAP + 7 };

	(void)state;
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		struct perf_event *event = &rig_events[0];
		uint64_t total = periods[i] * 5 + periods[i] / 3;

		set_up(NULL);
		model.events = CHAINING;
		begin(event, EVENT_INST_RETIRED, true, periods[i]);
		assert_int_equal(arm_pmuv3_of(event)->counter, 1);
		assert_int_equal(model.type[1] & PMEVTYPER_EVENT_MASK, EVENT_CHAIN);
		assert_int_equal(model.type[0] & PMEVTYPER_EVENT_MASK, EVENT_INST_RETIRED);
		arm_pmuv3_model_run(total / 2, 0);
		event->pmu->read(event);
		assert_true(event->count == total / 2);
		arm_pmuv3_model_run(total - total / 2, 0);
		event_disable(event);
		assert_true(event->count == total);
		assert_int_equal(event->account.generated, 5);
		assert_true(event->account.period == 5 * periods[i]);
		assert_int_equal(model.enabled | model.interrupts, 0);
	}
}

static void a_pair_is_two_free_neighbours_the_lower_one_even(void **state)
{
	(void)state;
	model.counters = 5;
	model.events = CHAINING;
	begin(&rig_events[0], EVENT_INST_RETIRED, false, 1000);
	begin(&rig_events[1], EVENT_INST_RETIRED, true, 1000);
	assert_int_equal(arm_pmuv3_of(&rig_events[0])->counter, 0);
	assert_int_equal(arm_pmuv3_of(&rig_events[1])->counter, 3);
	describe(&rig_events[2], EVENT_INST_RETIRED, true, 1000); /* 1 and 4 are free */
	assert_int_equal(event_init(&rig_events[2]), 0);
	assert_int_equal(event_enable(&rig_events[2]), -EAGAIN);
	begin(&rig_events[2], EVENT_INST_RETIRED, false, 1000);
	begin(&rig_events[3], EVENT_CPU_CYCLES, true, 1000);
	assert_int_equal(arm_pmuv3_of(&rig_events[2])->counter, 1);
	assert_int_equal(arm_pmuv3_of(&rig_events[3])->counter, CYCLE_COUNTER);
	arm_pmuv3_model_run(10500, 0);
	for (unsigned i = 0; i < 4; i++) {
		event_disable(&rig_events[i]);
		assert_int_equal(rig_events[i].count, 10500);
		assert_int_equal(rig_events[i].account.generated, 10);
	}
}

static void counters_of_64_bits_need_no_pair(void **state)
{
	(void)state;
	model.version = PMUVER_V3P5;
	begin(&rig_events[0], EVENT_INST_RETIRED, true, 1000);
	assert_false(arm_pmuv3_of(&rig_events[0])->chained);
	arm_pmuv3_model_run(1000, 7 * LAP / 2);
	event_disable(&rig_events[0]);
	assert_true(rig_events[0].count == 1000 + 7 * LAP / 2);
}

static void an_uncountable_event_is_refused_with_the_reason(void **state)
{
	(void)state;
	describe(&rig_events[0], EVENT_INST_RETIRED, true, 1000); /* no CHAIN */
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	assert_non_null(strstr(rig_events[0].why, "chain"));
	model.events |= 1ULL << EVENT_CHAIN;
	model.counters = 1; /* no counter to chain it with */
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	model.counters = 2;
	assert_int_equal(event_init(&rig_events[0]), 0);
	model.events &= ~(1ULL << EVENT_CHAIN);
	describe(&rig_events[0], EVENT_BR_MIS_PRED, false, 1000);
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	assert_non_null(strstr(rig_events[0].why, "PMCEID"));
	describe(&rig_events[0], EVENTS_EXTENDED, false, 1000);
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	assert_non_null(strstr(rig_events[0].why, "Armv8.0"));
	model.version = PMUVER_V3P4;
	model.extended = 1ULL << 1 | 1ULL << 63;
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	assert_non_null(strstr(rig_events[0].why, "PMCEID"));
	describe(&rig_events[0], EVENTS_EXTENDED + 1, false, 1000);
	assert_int_equal(event_init(&rig_events[0]), 0);
	describe(&rig_events[0], EVENTS_EXTENDED + 62, false, 1000);
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	describe(&rig_events[0], EVENTS_EXTENDED + 63, false, 1000);
	assert_int_equal(event_init(&rig_events[0]), 0);
	describe(&rig_events[0], EVENTS_EXTENDED + 64, false, 1000); /* nobody says */
	assert_int_equal(event_init(&rig_events[0]), 0);
	model.counters = 0;
	describe(&rig_events[0], EVENT_INST_RETIRED, false, 1000);
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	assert_non_null(strstr(rig_events[0].why, "MDCR_EL2.HPMN"));
	begin(&rig_events[0], EVENT_CPU_CYCLES, false, 1000); /* the remaining counters */
	event_disable(&rig_events[0]);
}

static void leftovers_are_cleared_and_reported(void **state)
{
	(void)state;
	model.pmcr = PMCR_E;
	model.enabled = BIT(1) | BIT(CYCLE_COUNTER);
	begin(&rig_events[0], EVENT_INST_RETIRED, false, 1000);
	assert_true(counter_census[0].present == (BIT(0) | BIT(1) | BIT(CYCLE_COUNTER)));
	assert_true(counter_census[0].leftovers == (BIT(1) | BIT(CYCLE_COUNTER)));
	assert_int_equal(counter_census[0].foreign, 0);
	assert_int_equal(model.enabled, BIT(0));
	assert_int_equal(model.user, 0);
	event_disable(&rig_events[0]);
	set_up(NULL);
	model.enabled = UINT32_MAX; /* the counters are enabled although PMCR.E is 0 */
	begin(&rig_events[0], EVENT_INST_RETIRED, false, 1000);
	assert_int_equal(counter_census[0].leftovers, 0);
	event_disable(&rig_events[0]);
}

static void counters_of_other_software_are_left_alone(void **state)
{
	(void)state;
	model.stuck = BIT(0);
	begin(&rig_events[0], EVENT_INST_RETIRED, false, 1000);
	assert_int_equal(counter_census[0].foreign, BIT(0));
	assert_int_equal(arm_pmuv3_of(&rig_events[0])->counter, 1);
	event_disable(&rig_events[0]);
	model.stuck = UINT32_MAX;
	describe(&rig_events[0], EVENT_INST_RETIRED, false, 1000);
	assert_int_equal(event_init(&rig_events[0]), 0);
	assert_int_equal(event_enable(&rig_events[0]), -EBUSY);
}

static void a_spurious_interrupt_is_counted(void **state)
{
	(void)state;
	begin(&rig_events[0], EVENT_INST_RETIRED, false, 1000);
	fake_pmi(&rig_regs);
	event_disable(&rig_events[0]);
	assert_int_equal(arch_spurious[0], 1);
}

static void the_interrupt_is_given_back_with_the_last_counter(void **state)
{
	(void)state;
	for (unsigned turn = 0; turn < 2; turn++) {
		begin(&rig_events[0], EVENT_INST_RETIRED, false, 1000);
		begin(&rig_events[1], EVENT_INST_RETIRED, false, 1000);
		event_disable(&rig_events[0]);
		assert_int_equal(fake_pmi_sharers(), 1);
		arm_pmuv3_model_run(1000, 0);
		assert_int_equal(rig_events[1].account.generated, 1);
		event_disable(&rig_events[1]);
		assert_int_equal(fake_pmi_sharers(), 0);
	}
}

/* CPU 1 implements mispredicted branches and has 4 counters; CPU 0 does not implement them. */
static void each_cpu_counts_its_own_events_on_its_own_counters(void **state)
{
	(void)state;
	arm_pmuv3_models[1].counters = 4;
	arm_pmuv3_models[1].events |= BIT(EVENT_BR_MIS_PRED);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		struct perf_event_context context;
		const struct perf_event *failed;

		for (unsigned i = 0; i < 4; i++) {
			fake_cpu_number = 0; /* the boot CPU opens them */
			describe(&rig_events[i], i ? EVENT_INST_RETIRED : EVENT_BR_MIS_PRED, false,
			         1000);
			rig_events[i].cpu = cpu;
			assert_int_equal(event_init(&rig_events[i]), cpu || i ? 0 : -ENOENT);
		}
		if (!cpu)
			continue;
		fake_cpu_number = cpu;
		assert_int_equal(context_start(&context, rig_events, 4, &failed), 0);
		arm_pmuv3_model_run(5000, 0);
		context_stop(&context);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(rig_events[i].count, 5000);
	}
}

static void an_event_stays_off_on_cpus_that_lack_it(void **state)
{
	struct perf_event_context context;
	const struct perf_event *failed;

	(void)state;
	arm_pmuv3_models[0].events |= BIT(EVENT_BR_MIS_PRED);
	for (unsigned i = 0; i < 2; i++) {
		describe(&rig_events[i], i ? EVENT_INST_RETIRED : EVENT_BR_MIS_PRED, false, 1000);
		rig_events[i].cpu = 1;
		assert_int_equal(event_init(&rig_events[i]), 0);
	}
	fake_cpu_number = 1;
	assert_int_equal(context_start(&context, rig_events, 2, &failed), 0);
	assert_int_equal(rig_events[0].state, EVENT_OFF);
	assert_int_equal(rig_events[1].state, EVENT_ACTIVE);
	arm_pmuv3_model_run(5000, 0);
	context_stop(&context);
	assert_int_equal(rig_events[0].count, 0);
	assert_int_equal(rig_events[1].count, 5000);
}

static int init_with(uint64_t number, uint64_t config1)
{
	rig_describe(&rig_events[0], PERF_TYPE_RAW, number, 1000);
	rig_events[0].attr.config1 = config1;
	return event_init(&rig_events[0]);
}

/* Each version, by PMUVer: 8.0, 8.1, 8.4, 8.5, 8.7, 8.8, 8.9. */
static void each_version_has_its_new_features(void **state)
{
	static const struct {
		unsigned version;
		bool more_events, thresholds, wide;
	} cases[] = {
		{ 1, false, false, false }, { 4, true, false, false }, { 5, true, true, false },
		{ 6, true, true, true },    { 7, true, true, true },   { 8, true, true, true },
		{ 9, true, true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up(NULL);
		model.version = cases[i].version;
		model.pmmir = 3ULL << PMMIR_THWIDTH;
		assert_int_equal(init_with(0x3ff, 0), 0);
		assert_int_equal(init_with(0x400, 0), cases[i].more_events ? 0 : -ENOENT);
		assert_int_equal(init_with(EVENT_INST_RETIRED, 1U << 5),
		                 cases[i].thresholds ? 0 : -ENOENT);
		assert_int_equal(init_with(EVENT_INST_RETIRED, LONG), cases[i].wide ? 0 : -ENOENT);
	}
}

static void thresholds_are_the_counter_s(void **state)
{
	const uint64_t config1 = 7ULL << 5 | 2ULL << 3 | 1ULL << 2; /* at least 7: once */

	(void)state;
	model.version = 8;
	model.pmmir = 3ULL << PMMIR_THWIDTH;
	assert_int_equal(init_with(EVENT_CPU_CYCLES, config1), 0);
	assert_int_equal(event_enable(&rig_events[0]), 0);
	/* the cycle counter has no threshold */
	assert_int_equal(arm_pmuv3_of(&rig_events[0])->counter, 0);
	assert_true(model.type[0] ==
	            (5ULL << PMEVTYPER_TC | 7ULL << PMEVTYPER_TH | EVENT_CPU_CYCLES));
	event_disable(&rig_events[0]);
	assert_int_equal(init_with(EVENT_INST_RETIRED, 8ULL << 5), -ENOENT);
	assert_non_null(strstr(rig_events[0].why, "THWIDTH"));
	/* a threshold control without a threshold */
	assert_int_equal(init_with(EVENT_INST_RETIRED, 2ULL << 3), 0);
	assert_true(arm_pmuv3_of(&rig_events[0])->type == EVENT_INST_RETIRED);
}

/* The A53's own event on a machine that also has an A57, of another revision. */
static void an_event_for_one_kind_of_cpu_stays_off_on_the_others(void **state)
{
	(void)state;
	arm_pmuv3_models[1].midr = 0x411fd071;
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		struct perf_event_context context;
		const struct perf_event *failed;

		fake_cpu_number = 0;
		for (unsigned i = 0; i < 2; i++) {
			describe(&rig_events[i], 0xc0, false, 1000);
			rig_events[i].attr.config2 = i ? 0x410fd070 : 0x410fd034;
			rig_events[i].cpu = cpu;
			assert_int_equal(event_init(&rig_events[i]), 0);
		}
		fake_cpu_number = cpu;
		assert_int_equal(context_start(&context, rig_events, 2, &failed), 0);
		assert_int_equal(rig_events[cpu].state, EVENT_ACTIVE);
		assert_int_equal(rig_events[!cpu].state, EVENT_OFF);
		context_stop(&context);
	}
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RIG_EVENTS; i++)
		event_disable(&rig_events[i]);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_a_chained_pair_counts_laps_that_no_interrupt_sees),
		TEST(a_pair_samples_on_its_grid_and_adds_up),
		TEST(a_pair_is_two_free_neighbours_the_lower_one_even),
		TEST(counters_of_64_bits_need_no_pair),
		TEST(an_uncountable_event_is_refused_with_the_reason),
		TEST(leftovers_are_cleared_and_reported),
		TEST(counters_of_other_software_are_left_alone),
		TEST(a_spurious_interrupt_is_counted),
		TEST(the_interrupt_is_given_back_with_the_last_counter),
		TEST(each_cpu_counts_its_own_events_on_its_own_counters),
		TEST(an_event_stays_off_on_cpus_that_lack_it),
		TEST(each_version_has_its_new_features),
		TEST(thresholds_are_the_counter_s),
		TEST(an_event_for_one_kind_of_cpu_stays_off_on_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
