/* SPDX-License-Identifier: MIT */
/* The ledger of a branch trace by the branch trace store, for any reader, interrupts and CPUs. */
#include <errno.h>

#include "arch/host/fake_cpu.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/counter_census.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/x86/bts_rig.h"

static void an_area_that_holds_the_trace_loses_nothing(void **state)
{
	(void)state;
	power_on(0);
	start(AREA);
	branches(40000);
	event_disable(&event);
	assert_int_equal(event.branches.lost, 0);
	assert_int_equal(event.count - event.branches.returns, 40000);
	assert_true(bts_cpu.interrupts > 6);
	assert_int_equal(event.branches.interrupts, bts_cpu.interrupts);
	assert_accounted();
	for (unsigned i = 0; i < GENERAL; i++)
		assert_int_equal(bts_cpu.select[i], 0); /* the counters that counted are off */
}

static void the_event_is_opened_as_perfs_decoder_expects(void **state)
{
	(void)state;
	power_on(0);
	assert_int_equal(open_trace(1 << 16, PERF_ATTR_FREQ), 0);
	assert_int_equal(event.attr.sample_period, 1);
	assert_int_equal(event.attr.flags & PERF_ATTR_FREQ, 0);
	assert_int_equal(intel_bts_of(&event)->area.segment, (1 << 16) / 8);
	assert_int_equal(aux.watermark, (1 << 16) / 8); /* one by one */
}

/* The end of the common interrupt: it checks only whether another counter overflowed. */
static void the_usual_interrupt_reads_one_register(void **state)
{
	uint64_t before;

	(void)state;
	power_on(0);
	start(1 << 16);
	branches(1000);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t interrupts = bts_cpu.interrupts;

		read_all();
		before = bts_cpu.registers;
		while (bts_cpu.interrupts == interrupts)
			branches(1);
		assert_int_equal(bts_cpu.registers - before, 1);
	}
	event_disable(&event);
	assert_accounted();
}

static void a_reader_that_keeps_up_loses_nothing(void **state)
{
	(void)state;
	for (unsigned slice = 1; slice < 400; slice += 17) {
		power_on(0);
		start(1 << 16);
		while (bts_cpu.retired < 40000) {
			branches(slice);
			read_all();
		}
		event_disable(&event);
		assert_int_equal(event.branches.lost, 0);
		assert_int_equal(aux.truncated, 0);
		assert_accounted();
	}
}

static void however_late_the_interrupt_the_ledger_is_exact(void **state)
{
	(void)state;
	for (unsigned late = 0; late < 400; late++) {
		power_on(late);
		start(1 << 14);
		for (unsigned i = 0; i < 40; i++) {
			branches(100);
			interrupt(&event);
			read_all();
		}
		event_disable(&event);
		assert_accounted();
		/* the margin of this segment's 170 records is 42; a tick comes every 100 branches
		 * */
		assert_true(late < 40 ? !event.branches.lost : late < 100 || event.branches.lost);
	}
}

static void a_reader_that_stalls_truncates_and_the_tick_resumes(void **state)
{
	(void)state;
	for (unsigned late = 0; late < 60; late++) {
		power_on(late);
		start(1 << 14);
		branches(2000); /* the area holds 682 */
		assert_int_equal(bts_cpu.debugctl, 0);
		assert_int_equal(aux.truncated, 1);
		assert_true(doorbell.pending);
		interrupt(&event); /* the reader has read nothing, so nothing changes */
		assert_int_equal(bts_cpu.debugctl, 0);
		branches(100);
		read_all();
		interrupt(&event);
		assert_true(bts_cpu.debugctl & DEBUGCTL_TR);
		branches(50);
		event_disable(&event);
		assert_true(event.branches.lost > 1300);
		assert_accounted();
	}
}

static void a_trace_that_ends_while_truncated_is_exact(void **state)
{
	(void)state;
	power_on(3);
	start(1 << 14);
	branches(5000);
	event_disable(&event);
	assert_accounted();
}

static void a_trace_that_a_handler_ends_does_not_count_its_return(void **state)
{
	(void)state;
	power_on(3);
	start(1 << 14);
	branches(100);
	output_write(BRANCH);
	fake_entered(0, ARCH_ENTERED_OUTERMOST);
	fake_trace_held++;
	event_disable(&event);
	fake_trace_held--;
	bts_cpu.interrupts--;
	assert_int_equal(event.branches.interrupts, 1);
	assert_accounted();
}

static void without_the_event_the_loss_is_unknown(void **state)
{
	(void)state;
	power_on(0);
	bts_cpu.no_taken_event = true;
	start(1 << 14);
	branches(5000);
	event_disable(&event);
	assert_true(event.branches.unknown);
	assert_true(event.branches.records > 0);
}

static void without_a_free_counter_the_loss_is_unknown(void **state)
{
	struct perf_event others[3];

	(void)state;
	power_on(0);
	for (unsigned i = 0; i < 3; i++) {
		memset(&others[i], 0, sizeof(others[i]));
		others[i].ring = &ring;
		others[i].attr = (struct perf_event_attr){
			.type = PERF_TYPE_RAW,
			.size = sizeof(others[i].attr),
			.config = 0x00c0,
			.sample_period = 1ULL << 30,
			.sample_max_stack = 1,
		};
		assert_int_equal(event_init(&others[i]), 0);
		assert_int_equal(event_enable(&others[i]), 0);
	}
	start(1 << 14);
	branches(100);
	event_disable(&event);
	assert_true(event.branches.unknown);
	for (unsigned i = 0; i < 3; i++)
		event_disable(&others[i]);
}

static void rings_are_chosen_where_the_cpu_can(void **state)
{
	(void)state;
	power_on(0);
	assert_int_equal(open_trace(1 << 14, PERF_ATTR_EXCLUDE_KERNEL), 0);
	assert_int_equal(event_enable(&event), 0);
	assert_true(bts_cpu.debugctl & DEBUGCTL_BTS_OFF_OS);
	assert_false(bts_cpu.debugctl & DEBUGCTL_BTS_OFF_USR);
	branches(100);
	interrupt(&event);
	event_disable(&event);
	assert_int_equal(event.branches.records + event.branches.lost, 0);
	assert_int_equal(event.branches.interrupts, 0);
	assert_int_equal(open_trace(1 << 14, PERF_ATTR_EXCLUDE_USER), 0);
	assert_true(intel_bts_of(&event)->debugctl & DEBUGCTL_BTS_OFF_USR);
	bts_cpu.ecx &= ~(uint64_t)CPUID_FEATURES_DS_CPL;
	assert_int_equal(open_trace(1 << 14, PERF_ATTR_EXCLUDE_USER), -EOPNOTSUPP);
	assert_int_equal(open_trace(1 << 14, 0), 0);
}

static void missing_features_of_the_machine_are_reported(void **state)
{
	const char *why;

	(void)state;
	power_on(0);
	assert_int_equal(open_trace(1 << 13, 0), -EINVAL);
	bts_cpu.misc_enable = MISC_ENABLE_BTS_UNAVAILABLE;
	assert_int_equal(pmu_intel_bts.probe(&why), -ENODEV);
	assert_non_null(why);
	power_on(0);
	bts_cpu.edx = 0;
	assert_int_equal(open_trace(1 << 14, 0), -ENODEV);
	power_on(0);
	bts_cpu.version = 1; /* without the global registers */
	assert_int_equal(open_trace(1 << 14, 0), -ENODEV);
	bts_cpu.version = 2;
	assert_int_equal(open_trace(1 << 14, 0), 0);
	power_on(0);
	start(1 << 14);
	assert_int_equal(pmu_intel_bts.add(&event), -EBUSY);
	event_disable(&event);
}

static void the_firmwares_register_values_come_back(void **state)
{
	(void)state;
	power_on(0);
	bts_cpu.debugctl = 0x1000;
	bts_cpu.ds_area = 0xdeadb000;
	start(1 << 14);
	branches(10);
	event_disable(&event);
	assert_int_equal(bts_cpu.debugctl, 0x1000);
	assert_int_equal(bts_cpu.ds_area, 0xdeadb000);
	assert_null(fake_entered);
	assert_int_equal(fake_pmi_sharers(), 0);
}

static void the_threshold_is_no_spurious_interrupt_and_one_without_cause_is(void **state)
{
	uint64_t before;

	(void)state;
	power_on(0);
	start(1 << 16);
	before = arch_spurious[0];
	branches(2000);
	assert_true(bts_cpu.interrupts > 0);
	assert_int_equal(arch_spurious[0], before);
	interrupt(NULL);
	assert_int_equal(arch_spurious[0], before + 1);
	event_disable(&event);
	assert_accounted();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(an_area_that_holds_the_trace_loses_nothing, no_faults),
		cmocka_unit_test_teardown(the_event_is_opened_as_perfs_decoder_expects, no_faults),
		cmocka_unit_test_teardown(the_usual_interrupt_reads_one_register, no_faults),
		cmocka_unit_test_teardown(a_reader_that_keeps_up_loses_nothing, no_faults),
		cmocka_unit_test_teardown(however_late_the_interrupt_the_ledger_is_exact,
		                          no_faults),
		cmocka_unit_test_teardown(a_reader_that_stalls_truncates_and_the_tick_resumes,
		                          no_faults),
		cmocka_unit_test_teardown(a_trace_that_ends_while_truncated_is_exact, no_faults),
		cmocka_unit_test_teardown(a_trace_that_a_handler_ends_does_not_count_its_return,
		                          no_faults),
		cmocka_unit_test_teardown(without_the_event_the_loss_is_unknown, no_faults),
		cmocka_unit_test_teardown(without_a_free_counter_the_loss_is_unknown, no_faults),
		cmocka_unit_test_teardown(rings_are_chosen_where_the_cpu_can, no_faults),
		cmocka_unit_test_teardown(missing_features_of_the_machine_are_reported, no_faults),
		cmocka_unit_test_teardown(the_firmwares_register_values_come_back, no_faults),
		cmocka_unit_test_teardown(
		    the_threshold_is_no_spurious_interrupt_and_one_without_cause_is, no_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
