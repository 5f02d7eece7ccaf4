/* SPDX-License-Identifier: MIT */
/* The driver of AMD's counters on modelled registers that know their reserved bits and the CPU's
 * features: legacy, extended, and PerfMonV2. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/clock/clock.h"
#include "pmu/counter_census.h"
#include "pmu/parse/events.h"
#include "pmu/throttle.h"
#include "pmu/x86/amd_pmu.h"
#include "pmu/x86/x86_counters.h"
#include "pmu/x86/x86_tick.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/amd_model.h"

#define model       (amd_model)
#define NR_MACHINES AMD_MODEL_MACHINES

/* ---- The claims ---- */

static void every_counter_of_every_generation_counts_and_samples_exactly(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		amd_model_power_on(m);
		for (unsigned i = 0; i < model.counters; i++)
			rig_begin(&rig_events[i], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
			          1000 + i);
		assert_true(counter_census[0].present == (1ULL << model.counters) - 1);
		rig_run(1000000, 7, amd_model_count_on);
		for (unsigned i = 0; i < model.counters; i++) {
			struct perf_event *event = &rig_events[i];

			event_disable(event);
			assert_in_range(event->count, 1000000 - 7, 1000000);
			assert_int_equal(event->account.period + (event->count - event->sampled),
			                 event->count);
			assert_int_equal(event->account.generated, event->count / (1000 + i));
			assert_int_equal(event->account.lost, 0);
		}
		assert_int_equal(model.faults, 0);
	}
}

/* Events pass while registers are read and written: if a running counter is read and later written,
 * the events in between would be lost. */
static void no_event_is_lost_while_registers_are_accessed(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		struct perf_event *event = &rig_events[0];

		amd_model_power_on(m);
		rig_describe(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
		assert_int_equal(event_init(event), 0);
		model.access_events = 3;
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(event_enable(event), 0);
			rig_run(50000, 7, amd_model_count_on_with_pending);
			event_read(event);
			rig_run(50000, 7, amd_model_count_on_with_pending);
			event_disable(event);
		}
		assert_true(model.counted >= 300000);
		assert_int_equal(event->count, model.counted);
		assert_int_equal(event->account.period + (event->count - event->sampled),
		                 model.counted);
		assert_int_equal(model.running_writes, 0);
		assert_int_equal(model.faults, 0);
	}
}

/* Both overflow at once; the first is stopped by its own sample, while the second is still to be
 * handled. */
static void an_event_throttled_in_the_handler_leaves_the_others_running(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		amd_model_power_on(m);
		model.access_events = 3;
		for (unsigned i = 0; i < 2; i++) {
			rig_begin(&rig_events[i], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
			          1000);
			rig_events[i].group_leader = &rig_events[i];
			rig_events[i].nr_members = 1;
		}
		throttle_set(&rig_events[0], 1000);
		for (unsigned i = 0; i < 50; i++) {
			rig_run(10000, 7, amd_model_count_on_with_pending);
			pmu_amd.disable();
			throttle_end(&rig_events[0], clock_now());
			pmu_amd.enable();
		}
		for (unsigned i = 0; i < 2; i++)
			event_disable(&rig_events[i]);
		assert_true(rig_events[0].throttled > 10);
		assert_int_equal(rig_events[0].count + rig_events[1].count, model.counted);
		assert_int_equal(model.running_writes, 0);
		assert_int_equal(model.faults, 0);
	}
}

/* If it were farther, a late interrupt could miss a wrap of the counter's 48 bits. */
static void a_counter_is_never_more_than_half_a_lap_from_its_overflow(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		amd_model_power_on(m);
		rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1ULL << 50);
		assert_true(model.counter[0] == (AMD_MODEL_MASK >> 1) + 2);
		event_disable(&rig_events[0]);
		assert_int_equal(model.faults, 0);
	}
}

static void more_events_than_counters_are_reported(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES - 1; m++) {
		amd_model_power_on(m);
		for (unsigned i = 0; i < model.counters; i++)
			rig_begin(&rig_events[i], PERF_TYPE_RAW, 0xc0, 1000);
		rig_describe(&rig_events[model.counters], PERF_TYPE_RAW, 0xc0, 1000);
		assert_int_equal(event_init(&rig_events[model.counters]), 0);
		assert_int_equal(event_enable(&rig_events[model.counters]), -EAGAIN);
		for (unsigned i = 0; i < model.counters; i++)
			event_disable(&rig_events[i]);
	}
}

static void a_late_interrupt_writes_one_sample_with_the_true_period(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		amd_model_power_on(m);
		rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
		rig_run(5500, 5500, amd_model_count_on);
		assert_int_equal(rig_events[0].account.generated, 1);
		assert_int_equal(rig_events[0].account.period, 5500);
		rig_run(500, 1, amd_model_count_on);
		/* the multiples of the period stay */
		assert_int_equal(rig_events[0].account.generated, 2);
		event_disable(&rig_events[0]);
		assert_int_equal(rig_events[0].count, 6000);
	}
}

/* Without global registers the NMI of one overflow may find that the last handler has already
 * handled it. */
static void a_spurious_interrupt_changes_nothing_and_is_counted(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		uint64_t before = arch_spurious[0];

		amd_model_power_on(m);
		rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
		rig_run(400, 1, amd_model_count_on);
		fake_pmi(&rig_regs);
		rig_run(600, 1, amd_model_count_on);
		event_disable(&rig_events[0]);
		fake_pmi(&rig_regs);
		assert_int_equal(arch_spurious[0], before + 2);
		assert_int_equal(rig_events[0].count, 1000);
		assert_int_equal(rig_events[0].account.generated, 1);
	}
}

static void leftovers_are_cleared_and_reported(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		amd_model_power_on(m);
		model.control[1] = PERFEVTSEL_EN | PERFEVTSEL_INT | PERFEVTSEL_OS | 0x76;
		model.global_control = model.status = 3;
		rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
		assert_int_equal(counter_census[0].leftovers, 1 << 1);
		assert_int_equal(model.control[1], 0);
		event_disable(&rig_events[0]);
		assert_int_equal(model.faults, 0);
	}
}

static void counters_of_other_software_are_left_alone(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		amd_model_power_on(m);
		model.stuck = 1;
		model.counter[0] = 99;
		rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
		assert_int_equal(counter_census[0].foreign, 1);
		assert_int_equal(x86_counter_of(&rig_events[0])->counter, 1);
		event_disable(&rig_events[0]);
		model.stuck = (1ULL << model.counters) - 1;
		memset(model.counter, 0x11, sizeof(model.counter));
		rig_describe(&rig_events[0], PERF_TYPE_RAW, 0xc0, 1000);
		assert_int_equal(event_init(&rig_events[0]), 0);
		assert_int_equal(event_enable(&rig_events[0]), -EBUSY);
	}
}

static void generic_events_are_the_familys(void **state)
{
	static const struct {
		size_t machine;
		uint64_t generic, select;
	} cases[] = {
		{ 0, PERF_COUNT_HW_CPU_CYCLES, 0x76 },
		{ 0, PERF_COUNT_HW_INSTRUCTIONS, 0xc0 },
		{ 1, PERF_COUNT_HW_INSTRUCTIONS, 0xc0 },
		{ 0, PERF_COUNT_HW_CACHE_MISSES, 0x077e },
		{ 1, PERF_COUNT_HW_CACHE_MISSES, 0x0964 },
		{ 0, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0xc2 },
		{ 1, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0xc2 },
		{ 0, PERF_COUNT_HW_BRANCH_MISSES, 0xc3 },
		{ 1, PERF_COUNT_HW_BRANCH_MISSES, 0xc3 },
		{ 0, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0xd0 },
		{ 1, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0 },
		{ 1, PERF_COUNT_HW_CPU_CYCLES, 0x76 },
		{ 0, PERF_COUNT_HW_CACHE_REFERENCES, 0x077d },
		{ 1, PERF_COUNT_HW_CACHE_REFERENCES, 0xff60 },
		{ 0, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0xd1 },
		{ 1, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0 },
		{ 0, PERF_COUNT_HW_BUS_CYCLES, 0 },
		{ 2, PERF_COUNT_HW_BRANCH_MISSES, 0xc3 },
		{ 1, PERF_COUNT_HW_REF_CPU_CYCLES, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event *event = &rig_events[0];

		amd_model_power_on(cases[i].machine);
		rig_describe(event, PERF_TYPE_HARDWARE, cases[i].generic, 1000);
		assert_int_equal(event_init(event), cases[i].select ? 0 : -ENOENT);
		if (cases[i].select)
			assert_int_equal(x86_counter_of(event)->select & PERF_CTL_EVENT,
			                 cases[i].select);
	}
}

static void zens_events_begin_with_family_17h(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	for (unsigned family = 0x14; family < 0x1a; family++) {
		amd_model_power_on(1);
		model.family = family;
		rig_describe(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 1000);
		assert_int_equal(event_init(event), 0);
		assert_int_equal(x86_counter_of(event)->select & PERF_CTL_EVENT,
		                 family < 0x17 ? 0x077e : 0x0964);
	}
}

static void without_a_timer_the_last_counter_ticks(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		amd_model_power_on(m);
		fake_timer_lacks = "a test";
		for (unsigned i = 0; i + 1 < model.counters; i++)
			rig_begin(&rig_events[i], PERF_TYPE_RAW, 0xc0, 1000);
		assert_true(x86_tick_counter() == 1ULL << (model.counters - 1));
		for (unsigned i = 0; i + 1 < model.counters; i++)
			event_disable(&rig_events[i]);
		fake_timer_lacks = NULL;
		assert_int_equal(model.faults, 0);
	}
}

static void raw_events_have_twelve_bits_and_no_bits_of_ours(void **state)
{
	static const uint64_t refused[] = { 0,
		                            PERFEVTSEL_EN | 0x76,
		                            PERFEVTSEL_INT | 0x76,
		                            PERFEVTSEL_ANY | 0x76,
		                            1ULL << 36 | 0x76,
		                            1ULL << 41 | 0x76 };
	static const char *const too_large[] = { "cpu/event=1,edge=2/", "cpu/event=1,inv=2/",
		                                 "cpu/event=1,umask=256/",
		                                 "cpu/event=1,cmask=256/" };
	static const struct pmu_source *const list[] = { &pmu_amd.source, NULL };
	static const struct event_sources sources = { .list = list, .is_here = pmu_is_here };
	struct parse_error error;
	struct event_spec spec;

	(void)state;
	amd_model_power_on(1);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		rig_describe(&rig_events[0], PERF_TYPE_RAW, refused[i], 1000);
		assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	}
	assert_int_equal(
	    parse_events("cpu/event=0x1c7,umask=2,cmask=1,inv,edge/", &sources, &spec, 1, &error),
	    1);
	assert_true(spec.attr.config == (1ULL << 32 | 1 << 24 | 1 << 23 | 1 << 18 | 0x02c7));
	rig_begin(&rig_events[0], PERF_TYPE_RAW, spec.attr.config, 1000);
	assert_true((model.control[0] & PERF_CTL_EVENT) == spec.attr.config);
	event_disable(&rig_events[0]);
	assert_int_equal(model.faults, 0);
	for (size_t i = 0; i < sizeof(too_large) / sizeof(too_large[0]); i++)
		assert_int_equal(parse_events(too_large[i], &sources, &spec, 1, &error), -EINVAL);
	assert_int_equal(parse_events("cpu/event=0x1000/", &sources, &spec, 1, &error), -EINVAL);
	assert_int_equal(parse_events("cpu/any/", &sources, &spec, 1, &error), -EINVAL);
}

static void a_hypervisor_without_counters_is_named(void **state)
{
	const char *why;

	(void)state;
	amd_model_power_on(0);
	assert_int_equal(pmu_amd.probe(&why), 0);
	model.hypervisor = true;
	assert_int_equal(pmu_amd.probe(&why), -EBUSY);
	assert_non_null(strstr(why, "hypervisor"));
	amd_model_power_on(1);
	model.hypervisor = true;
	assert_int_equal(pmu_amd.probe(&why), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_counter_of_every_generation_counts_and_samples_exactly),
		cmocka_unit_test(no_event_is_lost_while_registers_are_accessed),
		cmocka_unit_test(an_event_throttled_in_the_handler_leaves_the_others_running),
		cmocka_unit_test(a_counter_is_never_more_than_half_a_lap_from_its_overflow),
		cmocka_unit_test(more_events_than_counters_are_reported),
		cmocka_unit_test(a_late_interrupt_writes_one_sample_with_the_true_period),
		cmocka_unit_test(a_spurious_interrupt_changes_nothing_and_is_counted),
		cmocka_unit_test(leftovers_are_cleared_and_reported),
		cmocka_unit_test(counters_of_other_software_are_left_alone),
		cmocka_unit_test(generic_events_are_the_familys),
		cmocka_unit_test(zens_events_begin_with_family_17h),
		cmocka_unit_test(without_a_timer_the_last_counter_ticks),
		cmocka_unit_test(raw_events_have_twelve_bits_and_no_bits_of_ours),
		cmocka_unit_test(a_hypervisor_without_counters_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
