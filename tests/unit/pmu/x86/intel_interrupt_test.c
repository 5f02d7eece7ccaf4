/* SPDX-License-Identifier: MIT */
/* Whose an NMI is: the overflow interrupt of Intel's counters, others' signals, and nobody's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pmu/counter_census.h"
#include "pmu/x86/x86_counters.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/intel_model.h"

static void a_spurious_interrupt_changes_nothing_and_is_counted(void **state)
{
	uint64_t before = counter_census[0].spurious;

	(void)state;
	intel_model_power_on(2, false);
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(event_init(&rig_events[0]), 0);
	assert_int_equal(event_enable(&rig_events[0]), 0);
	rig_run(400, 1, intel_model_count_on);
	fake_pmi(&rig_regs);
	rig_run(600, 1, intel_model_count_on);
	event_disable(&rig_events[0]);
	fake_pmi(&rig_regs);
	assert_int_equal(counter_census[0].spurious, before + 2);
	assert_int_equal(rig_events[0].count, 1000);
	assert_int_equal(rig_events[0].account.generated, 1);
}

static bool served_as_well(unsigned cpu)
{
	(void)cpu;
	return true;
}

/* Another CPU's signal is an NMI as well. */
static void a_signal_is_not_counted_as_spurious(void **state)
{
	uint64_t before = counter_census[0].spurious;

	(void)state;
	for (unsigned i = 0; i < 8; i++) { /* each version, without full-width writes and with */
		intel_model_power_on(1 + i / 2, i % 2);
		rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
		fake_signalled = true;
		fake_pmi(&rig_regs);
		rig_run(1500, 1, intel_model_count_on);
		event_disable(&rig_events[0]);
		fake_pmi(&rig_regs);
		fake_signalled = false;
		assert_int_equal(rig_events[0].account.generated, 1);
	}
	assert_int_equal(counter_census[0].spurious, before);
}

static void the_interrupt_is_given_back_with_the_last_counter(void **state)
{
	(void)state;
	intel_model_power_on(4, true);
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	rig_begin(&rig_events[1], PERF_TYPE_RAW, 0x20c4, 1000);
	event_disable(&rig_events[0]);
	assert_false(fake_pmi_ended);
	event_disable(&rig_events[1]);
	assert_true(fake_pmi_ended);
	assert_int_equal(x86_counters_share_interrupt(served_as_well), 0);
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	event_disable(&rig_events[0]);
	assert_false(fake_pmi_ended);
	x86_counters_have_interrupt();
	assert_true(fake_pmi_ended);
}

static uint64_t (*read_before)(uint32_t reg);
static unsigned reads;

static uint64_t counted_read(uint32_t reg)
{
	reads++;
	return read_before(reg);
}

/* Register accesses of one sample. */
static unsigned reads_of_a_sample(void)
{
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	intel_model_count_on(999);
	reads = 0;
	rig_run(1, 1, intel_model_count_on);
	event_disable(&rig_events[0]);
	return rig_events[0].account.generated == 1 ? reads : 0;
}

static void a_shared_interrupt_that_is_no_longer_costs_no_more_than_before(void **state)
{
	unsigned before, shared;

	(void)state;
	intel_model_power_on(4, true);
	read_before = fake_reg_read;
	fake_reg_read = counted_read;
	before = reads_of_a_sample();
	assert_int_equal(x86_counters_share_interrupt(served_as_well), 0);
	shared = reads_of_a_sample();
	x86_counters_have_interrupt();
	assert_true(before > 0 && shared != before);
	assert_int_equal(reads_of_a_sample(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spurious_interrupt_changes_nothing_and_is_counted),
		cmocka_unit_test(a_signal_is_not_counted_as_spurious),
		cmocka_unit_test(the_interrupt_is_given_back_with_the_last_counter),
		cmocka_unit_test(a_shared_interrupt_that_is_no_longer_costs_no_more_than_before),
	};

	return cmocka_run_group_tests(tests, NULL, intel_model_off);
}
