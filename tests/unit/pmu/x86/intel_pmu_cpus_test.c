/* SPDX-License-Identifier: MIT */
/* The PMUs of Intel's CPUs, which may differ between CPUs, and other users of their counters. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/context.h"
#include "pmu/counter_census.h"
#include "pmu/x86/intel_pmu.h"
#include "pmu/x86/x86_counters.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/intel_model.h"

#define model  (intel_models[fake_cpu_number])
#define FIXED0 (1ULL << GLOBAL_FIXED)

static int init_raw(uint64_t config)
{
	rig_describe(&rig_events[0], PERF_TYPE_RAW, config, 1000);
	return event_init(&rig_events[0]);
}

static void leftovers_are_cleared_and_reported(void **state)
{
	(void)state;
	intel_model_power_on(2, false);
	counter_census[0] = (struct counter_census){ 0 };
	model.select[1] = PERFEVTSEL_EN | PERFEVTSEL_INT | PERFEVTSEL_OS | 0xc0;
	model.select[2] = 0xc0; /* selected, but not counting */
	model.fixed_control = 0x0b0;
	model.global_control = model.status = INTEL_MODEL_ALL;
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_true(counter_census[0].present == INTEL_MODEL_ALL);
	assert_true(counter_census[0].leftovers == (1 << 1 | FIXED0 << 1));
	assert_true(counter_census[0].foreign == 0);
	assert_int_equal(model.select[1] | model.select[2] | model.status, 0);
	event_disable(&rig_events[0]);
	assert_int_equal(model.faults, 0);
}

/* Version 1 has none of these traces, version 4 all; and no MSR is accessed that CPUID does not
 * report. */
static void traces_of_firmware_are_cleared_and_reported_where_there_are_any(void **state)
{
	const uint64_t on = DEBUGCTL_TR | DEBUGCTL_BTS | DEBUGCTL_BTINT;
	const uint64_t freeze = DEBUGCTL_LBR | DEBUGCTL_FREEZE_PERFMON_ON_PMI;
	const uint64_t btf = 1 << 1;
	const struct {
		unsigned version;
		bool debug_store;
		uint64_t misc_enable, debugctl, pebs, left;
		bool reported;
	} cases[] = {
		{ 1, false, 0, btf, 0, btf, false },
		{ 1, true, 0, on | btf, 0, btf, true },
		{ 2, true, 0, btf, 1, btf, true },
		{ 4, true, 0, btf, 0, btf, false },
		{ 4, true, 0, on | freeze | btf, 0, btf, true },
		{ 4, true, 0, btf, 1, btf, true },
		{ 4, true, MISC_ENABLE_PEBS_UNAVAILABLE, btf, 0, btf, false },
		{ 4, false, 0, freeze, 0, 0, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		intel_model_power_on(cases[i].version, cases[i].version > 1);
		counter_census[0] = (struct counter_census){ 0 };
		model.debug_store = cases[i].debug_store;
		model.misc_enable = cases[i].misc_enable;
		model.debugctl = cases[i].debugctl;
		model.pebs_enable = cases[i].pebs;
		rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
		assert_true(model.debugctl == cases[i].left);
		assert_int_equal(model.pebs_enable, 0);
		assert_true(counter_census[0].leftovers ==
		            (cases[i].reported ? TR_LEFTOVERS_TRACE : 0));
		event_disable(&rig_events[0]);
		assert_int_equal(model.faults, 0);
	}
}

static void counters_of_other_software_are_left_alone(void **state)
{
	(void)state;
	intel_model_power_on(2, true);
	model.stuck = 1 << 0 | 1 << 2 | FIXED0;
	model.select[2] = PERFEVTSEL_EN | PERFEVTSEL_OS | 0x3c;
	model.counter[0] = model.counter[GLOBAL_FIXED] = 12345;
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	rig_begin(&rig_events[1], PERF_TYPE_RAW, 0x20c4, 1000);
	assert_int_equal(x86_counter_of(&rig_events[0])->counter, 1);
	assert_int_equal(x86_counter_of(&rig_events[1])->counter, 3);
	assert_true(counter_census[0].foreign == model.stuck);
	rig_run(10000, 1, intel_model_count_on);
	for (unsigned i = 0; i < 2; i++) {
		event_disable(&rig_events[i]);
		assert_int_equal(rig_events[i].count, 10000);
	}
}

static void if_other_software_has_all_counters_the_hardware_is_busy(void **state)
{
	(void)state;
	intel_model_power_on(2, false);
	model.stuck = INTEL_MODEL_ALL;
	memset(model.counter, 0x77, sizeof(model.counter));
	rig_describe(&rig_events[0], PERF_TYPE_RAW, 0xc0, 1000);
	assert_int_equal(event_init(&rig_events[0]), 0);
	assert_int_equal(event_enable(&rig_events[0]), -EBUSY);
}

static void counters_that_rdpmc_does_not_read_are_not_ours(void **state)
{
	(void)state;
	intel_model_power_on(2, true);
	model.no_rdpmc = true;
	rig_describe(&rig_events[0], PERF_TYPE_RAW, 0xc0, 1000);
	assert_int_equal(event_init(&rig_events[0]), 0);
	assert_int_equal(event_enable(&rig_events[0]), -EBUSY);
}

/* A hypervisor's counter for which the host refuses a perf event. */
static void a_hypervisors_counters_that_count_nothing_are_not_used(void **state)
{
	(void)state;
	intel_model_power_on(2, true);
	model.hypervisor = true;
	model.access_events = 3;
	model.dead = 1 << 0 | 1 << 2;
	rig_begin(&rig_events[0], PERF_TYPE_RAW, 0x20c4, 1000);
	rig_begin(&rig_events[1], PERF_TYPE_RAW, 0x20c5, 1000);
	assert_int_equal(x86_counter_of(&rig_events[0])->counter, 1);
	assert_int_equal(x86_counter_of(&rig_events[1])->counter, 3);
	assert_true(counter_census[0].dead == model.dead);
	assert_true(counter_census[0].foreign == model.dead);
	event_disable(&rig_events[0]);
	event_disable(&rig_events[1]);
}

static void if_no_source_counts_the_event_the_error_reports_it(void **state)
{
	(void)state;
	intel_model_power_on(2, true);
	model.hypervisor = true;
	model.access_events = 3;
	model.dead = INTEL_MODEL_ALL;
	rig_describe(&rig_events[0], PERF_TYPE_RAW, 0xc0, 1000);
	assert_int_equal(event_init(&rig_events[0]), 0);
	assert_int_equal(event_enable(&rig_events[0]), -ENODATA);
	assert_non_null(strstr(event_error_text(-ENODATA), "hypervisor's counters"));
	assert_true(counter_census[0].foreign == INTEL_MODEL_ALL);
}

static void a_real_cpus_counters_are_not_tried(void **state)
{
	(void)state;
	intel_model_power_on(2, true);
	model.dead = INTEL_MODEL_ALL;
	rig_begin(&rig_events[0], PERF_TYPE_RAW, 0xc0, 1000);
	assert_int_equal(counter_census[0].foreign | counter_census[0].dead, 0);
	event_disable(&rig_events[0]);
}

static void a_hypervisor_without_a_virtual_pmu_is_named(void **state)
{
	const char *why;

	(void)state;
	intel_model_power_on(0, false);
	assert_int_equal(pmu_intel.probe(&why), -ENODEV);
	assert_null(strstr(why, "hypervisor"));
	model.hypervisor = true;
	assert_int_equal(pmu_intel.probe(&why), -EBUSY);
	assert_non_null(strstr(why, "hypervisor"));
}

static void an_event_of_a_fixed_counter_uses_only_that_counter(void **state)
{
	(void)state;
	intel_model_power_on(2, false);
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 1000);
	assert_int_equal(x86_counter_of(&rig_events[0])->counter, GLOBAL_FIXED + 2);
	rig_describe(&rig_events[1], PERF_TYPE_RAW, 0x0300, 1000);
	assert_int_equal(event_init(&rig_events[1]), 0);
	assert_int_equal(event_enable(&rig_events[1]), -EAGAIN);
	event_disable(&rig_events[0]);
	rig_begin(&rig_events[1], PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 1000);
	assert_int_equal(x86_counter_of(&rig_events[1])->counter, 0); /* its rate differs */
	event_disable(&rig_events[1]);
	assert_int_equal(init_raw(0x0400), -ENOENT); /* slots: fixed counter 3 */
	assert_int_equal(init_raw(0x1100), -ENOENT);
	intel_model_power_on(1, false);
	assert_int_equal(init_raw(0x0300), -ENOENT);
}

static void version_5_names_its_fixed_counters_one_by_one(void **state)
{
	(void)state;
	intel_model_power_on(5, true);
	model.more_fixed = 1 << 3;
	assert_int_equal(init_raw(0x0400), 0);
	intel_model_power_on(4, true);
	model.more_fixed = 1 << 3;
	assert_int_equal(init_raw(0x0400), -ENOENT);
}

static void any_thread_is_served_where_it_means_something(void **state)
{
	(void)state;
	intel_model_power_on(4, true);
	assert_int_equal(init_raw(PERFEVTSEL_ANY | 0x3c), 0);
	intel_model_power_on(2, true); /* reserved: a write would fault */
	assert_int_equal(init_raw(PERFEVTSEL_ANY | 0x3c), -ENOENT);
}

static void reserved_bits_and_ours_are_not_served(void **state)
{
	(void)state;
	intel_model_power_on(4, true);
	assert_int_equal(init_raw(PERFEVTSEL_EN | 0x3c), -ENOENT);
	assert_int_equal(init_raw(PERFEVTSEL_OS | 0x3c), -ENOENT);
	assert_int_equal(init_raw(1ULL << 32 | 0x3c), -ENOENT);
	assert_int_equal(init_raw(0), -ENOENT);
}

/* ---- CPUs of two types ---- */

static void power_on_hybrid(void)
{
	intel_model_power_on(5, true);
	intel_models[0].type = CPUID_CORE_TYPE_CORE;
	intel_models[0].general = 8;
	intel_models[1].type = CPUID_CORE_TYPE_ATOM;
	intel_models[1].general = 6;
}

static void each_cpu_has_the_counters_that_it_reports(void **state)
{
	static const unsigned general[] = { 8, 6 };

	(void)state;
	power_on_hybrid();
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		unsigned n = 0;

		fake_cpu_number = cpu;
		for (; n < RIG_EVENTS; n++) {
			rig_describe(&rig_events[n], PERF_TYPE_RAW, 0x20c4, 1000);
			rig_events[n].cpu = cpu;
			assert_int_equal(event_init(&rig_events[n]), 0);
			if (event_enable(&rig_events[n]))
				break;
		}
		assert_int_equal(n, general[cpu]);
		rig_run(5000, 1, intel_model_count_on);
		while (n--) {
			event_disable(&rig_events[n]);
			assert_int_equal(rig_events[n].count, 5000);
		}
		assert_int_equal(model.faults, 0);
	}
}

/* An event for each type and one for both types, on every CPU. */
static void an_event_counts_on_cpus_of_its_type_only(void **state)
{
	static const struct pmu *const sources[] = { &pmu_intel_core, &pmu_intel_atom, &pmu_intel };
	static const bool counted[2][3] = { { true, false, true }, { false, true, true } };

	(void)state;
	power_on_hybrid();
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		struct perf_event_context context;
		const struct perf_event *failed;

		for (unsigned i = 0; i < 3; i++) {
			fake_cpu_number = 0; /* the boot CPU opens them */
			rig_describe(&rig_events[i], sources[i]->source.type, 0x20c4, 1000);
			rig_events[i].cpu = cpu;
			assert_int_equal(event_init(&rig_events[i]), 0);
			assert_ptr_equal(rig_events[i].pmu, sources[i]);
		}
		fake_cpu_number = cpu;
		assert_int_equal(context_start(&context, rig_events, 3, &failed), 0);
		rig_run(5000, 1, intel_model_count_on);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(rig_events[i].state != EVENT_OFF, counted[cpu][i]);
		context_stop(&context);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(rig_events[i].count, counted[cpu][i] ? 5000 : 0);
	}
}

static void cpus_of_one_type_have_no_types(void **state)
{
	const char *why;

	(void)state;
	intel_model_power_on(4, true);
	assert_int_equal(pmu_intel_atom.probe(&why), -ENODEV);
	assert_non_null(strstr(why, "of one type"));
	rig_describe(&rig_events[0], pmu_intel_core.source.type, 0x20c4, 1000);
	assert_int_equal(event_init(&rig_events[0]), -ENODEV);
}

static void a_hypervisor_that_keeps_the_monitor_of_two_types_is_named_for_each(void **state)
{
	static const struct pmu *const sources[] = { &pmu_intel_core, &pmu_intel_atom };

	(void)state;
	intel_model_power_on(0, false);
	model.type = CPUID_CORE_TYPE_CORE;
	model.hypervisor = true;
	for (unsigned i = 0; i < 2; i++) {
		const char *why;

		assert_int_equal(sources[i]->probe(&why), -EBUSY);
		assert_non_null(strstr(why, "hypervisor"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leftovers_are_cleared_and_reported),
		cmocka_unit_test(traces_of_firmware_are_cleared_and_reported_where_there_are_any),
		cmocka_unit_test(counters_of_other_software_are_left_alone),
		cmocka_unit_test(if_other_software_has_all_counters_the_hardware_is_busy),
		cmocka_unit_test(counters_that_rdpmc_does_not_read_are_not_ours),
		cmocka_unit_test(a_hypervisors_counters_that_count_nothing_are_not_used),
		cmocka_unit_test(if_no_source_counts_the_event_the_error_reports_it),
		cmocka_unit_test(a_real_cpus_counters_are_not_tried),
		cmocka_unit_test(a_hypervisor_without_a_virtual_pmu_is_named),
		cmocka_unit_test(an_event_of_a_fixed_counter_uses_only_that_counter),
		cmocka_unit_test(version_5_names_its_fixed_counters_one_by_one),
		cmocka_unit_test(any_thread_is_served_where_it_means_something),
		cmocka_unit_test(reserved_bits_and_ours_are_not_served),
		cmocka_unit_test(each_cpu_has_the_counters_that_it_reports),
		cmocka_unit_test(an_event_counts_on_cpus_of_its_type_only),
		cmocka_unit_test(cpus_of_one_type_have_no_types),
		cmocka_unit_test(
		    a_hypervisor_that_keeps_the_monitor_of_two_types_is_named_for_each),
	};

	return cmocka_run_group_tests(tests, NULL, intel_model_off);
}
