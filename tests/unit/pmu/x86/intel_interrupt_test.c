/* SPDX-License-Identifier: MIT */
/* The cause of an NMI: an overflow of Intel's counters, another CPU's signal, or unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/intel_model.h"

static void a_spurious_interrupt_changes_nothing_and_is_counted(void **state)
{
	uint64_t before = arch_spurious[0];

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
	assert_int_equal(arch_spurious[0], before + 2);
	assert_int_equal(rig_events[0].count, 1000);
	assert_int_equal(rig_events[0].account.generated, 1);
}

static unsigned asked; /* calls of other handlers that share the NMI */

static enum arch_pmi is_always_its(const struct arch_regs *regs)
{
	(void)regs;
	asked++;
	arch_pmi_ack();
	return ARCH_PMI_MINE;
}

static enum arch_pmi is_never_its(const struct arch_regs *regs)
{
	(void)regs;
	asked++;
	return ARCH_PMI_NOT_MINE;
}

/* Of two other handlers that share the NMI, one never claims it, the other always does. */
static void all_sharers_are_called_and_an_unclaimed_nmi_is_spurious(void **state)
{
	uint64_t before = arch_spurious[0];

	(void)state;
	intel_model_power_on(4, true);
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(arch_pmi_share(is_never_its), 0);
	asked = 0;
	rig_run(5500, 1, intel_model_count_on);
	assert_int_equal(rig_events[0].account.generated, 5);
	assert_int_equal(asked, 5);
	fake_pmi(&rig_regs);
	assert_int_equal(arch_spurious[0], before + 1);
	assert_int_equal(arch_pmi_share(is_always_its), 0);
	fake_pmi(&rig_regs);
	rig_run(500, 1, intel_model_count_on);
	assert_int_equal(rig_events[0].account.generated, 6);
	arch_pmi_leave(is_always_its);
	arch_pmi_leave(is_never_its);
	assert_int_equal(asked, 5 + 1 + 2 + 2);
	event_disable(&rig_events[0]);
	assert_int_equal(arch_spurious[0], before + 1);
	fake_pmi(&rig_regs); /* late: no handler shares it any more */
	assert_int_equal(arch_spurious[0], before + 2);
	assert_int_equal(asked, 5 + 1 + 2 + 2);
}

static enum arch_pmi leaves(const struct arch_regs *regs)
{
	asked += 100;
	arch_pmi_leave(leaves);
	return is_never_its(regs);
}

static void the_list_is_a_set_that_one_may_leave_from_its_handler(void **state)
{
	static const arch_pmi_fn orders[][3] = {
		{ leaves, is_never_its, is_always_its },
		{ is_never_its, leaves, is_always_its },
		{ is_never_its, is_always_its, leaves },
	};

	(void)state;
	assert_int_equal(fake_pmi_sharers(), 0);
	for (size_t i = 0; i < 3; i++) {
		asked = 0;
		for (size_t j = 0; j < 3; j++) {
			assert_int_equal(arch_pmi_share(orders[i][j]), 0);
			assert_int_equal(arch_pmi_share(orders[i][j]), 0);
		}
		assert_int_equal(fake_pmi_sharers(), 3);
		fake_pmi(&rig_regs);
		assert_int_equal(asked, 103);
		assert_int_equal(fake_pmi_sharers(), 2);
		fake_pmi(&rig_regs);
		assert_int_equal(asked, 105);
		arch_pmi_leave(leaves); /* a handler that does not share it */
		arch_pmi_leave(is_never_its);
		arch_pmi_leave(is_always_its);
		assert_int_equal(fake_pmi_sharers(), 0);
	}
}

/* Another CPU's signal is an NMI as well, and the NMI is claimed. */
static void a_signal_is_not_counted_as_spurious(void **state)
{
	uint64_t before = arch_spurious[0];

	(void)state;
	for (unsigned i = 0; i < 8; i++) { /* each version, with and without full-width writes */
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
	assert_int_equal(arch_spurious[0], before);
}

static void the_interrupt_is_given_back_with_the_last_counter(void **state)
{
	(void)state;
	intel_model_power_on(4, true);
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	rig_begin(&rig_events[1], PERF_TYPE_RAW, 0x20c4, 1000);
	event_disable(&rig_events[0]);
	assert_int_equal(fake_pmi_sharers(), 1);
	event_disable(&rig_events[1]);
	assert_int_equal(fake_pmi_sharers(), 0);
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

static void a_shared_interrupt_costs_the_counters_no_more(void **state)
{
	unsigned before;

	(void)state;
	intel_model_power_on(4, true);
	read_before = fake_reg_read;
	fake_reg_read = counted_read;
	before = reads_of_a_sample();
	assert_true(before > 0);
	assert_int_equal(arch_pmi_share(is_always_its), 0);
	assert_int_equal(reads_of_a_sample(), before);
	arch_pmi_leave(is_always_its);
	assert_int_equal(reads_of_a_sample(), before);
}

static void an_overflow_that_was_not_served_does_not_outlive_its_event(void **state)
{
	(void)state;
	for (unsigned version = 2; version <= 4; version++) {
		intel_model_power_on(version, true);
		rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
		rig_begin(&rig_events[1], PERF_TYPE_RAW, 0x20c4, 100000);
		assert_true(intel_model_count_on(1000));
		event_disable(&rig_events[0]);
		assert_int_equal(intel_models[0].status, 0);
		assert_int_equal(rig_events[0].count, 1000);
		event_disable(&rig_events[1]);
	}
}

static uint64_t passes; /* events between reading a counter and using the value; 0: none */
static bool races;

/* The interrupt comes after the instruction that reads the counter. */
static uint64_t raced_read(uint32_t reg)
{
	uint64_t value = read_before(reg);

	if ((reg & ~0x1ffU) == RDPMC_VALUES && races) {
		races = false;
		intel_model_count_on(passes);
		fake_pmi(&rig_regs);
	}
	return value;
}

static uint64_t count_by_reading(struct perf_event *event)
{
	event_read(event);
	return event->count;
}

static uint64_t count_by_peeking(struct perf_event *event)
{
	return event->pmu->peek(event);
}

static void an_interrupt_in_the_midst_of_a_look_changes_no_count(void **state)
{
	static uint64_t (*const looks[])(struct perf_event *) = { count_by_reading,
		                                                  count_by_peeking };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t (*look)(struct perf_event *) = looks[i % 2];

		intel_model_power_on(4, true);
		read_before = fake_reg_read;
		rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
		fake_reg_read = raced_read;
		passes = i / 2 ? 400 : 0;
		intel_model_count_on(1300 - passes); /* late: the next distance is another one */
		assert_int_equal(count_by_reading(&rig_events[0]), 1300 - passes);
		races = true;
		assert_int_equal(look(&rig_events[0]), 1300);
		assert_false(races);
		assert_int_equal(rig_events[0].account.generated, 1);
		assert_int_equal(look(&rig_events[0]), 1300);
		event_disable(&rig_events[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spurious_interrupt_changes_nothing_and_is_counted),
		cmocka_unit_test(a_signal_is_not_counted_as_spurious),
		cmocka_unit_test(the_interrupt_is_given_back_with_the_last_counter),
		cmocka_unit_test(a_shared_interrupt_costs_the_counters_no_more),
		cmocka_unit_test(an_overflow_that_was_not_served_does_not_outlive_its_event),
		cmocka_unit_test(an_interrupt_in_the_midst_of_a_look_changes_no_count),
		cmocka_unit_test(all_sharers_are_called_and_an_unclaimed_nmi_is_spurious),
		cmocka_unit_test(the_list_is_a_set_that_one_may_leave_from_its_handler),
	};

	return cmocka_run_group_tests(tests, NULL, intel_model_off);
}
