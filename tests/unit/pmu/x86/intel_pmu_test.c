/* SPDX-License-Identifier: MIT */
/* The driver of Intel's performance monitor on modelled registers that know their reserved bits:
 * versions 1, 2 and 4, with and without full-width writes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "pmu/x86/intel_pmu.h"
#include "pmu/x86/x86_counters.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/intel_model.h"

#define model (intel_models[0])

static const struct {
	unsigned version;
	bool full_width;
} machines[] = { { 1, false }, { 2, false }, { 2, true }, { 4, true } };
#define NR_MACHINES (sizeof(machines) / sizeof(machines[0]))

static void periods_and_residue_are_the_count_on_every_version(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		struct perf_event *event = &rig_events[0];

		intel_model_power_on(machines[m].version, machines[m].full_width);
		rig_describe(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
		assert_int_equal(event_init(event), 0);
		assert_int_equal(event_enable(event), 0);
		rig_run(1000000, 7, intel_model_count_on);
		event_disable(event);
		assert_int_equal(event->count, 1000000);
		assert_int_equal(event->account.period + (event->count - event->sampled), 1000000);
		assert_int_equal(event->account.generated, 1000);
		assert_int_equal(model.faults, 0);
		assert_int_equal(model.global_control, 0);
	}
}

/* The interrupt of an overflow during an access comes after it. */
static bool count_on_with_pending(uint64_t events)
{
	bool interrupt = intel_model_count_on(events) || model.pending;

	model.pending = false;
	return interrupt;
}

/* Events pass while registers are read and written: if a running counter is read and later written,
 * the events in between would be lost. */
static void no_event_is_lost_while_registers_are_accessed(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		struct perf_event *event = &rig_events[0];
		uint64_t counted = 0;

		intel_model_power_on(machines[m].version, machines[m].full_width);
		rig_describe(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
		assert_int_equal(event_init(event), 0);
		model.access_events = 3;
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(event_enable(event), 0);
			rig_run(50000, 7, count_on_with_pending);
			event_read(event);
			rig_run(50000, 7, count_on_with_pending);
			event_disable(event);
		}
		for (unsigned i = 0; i < 64; i++)
			counted += model.counted[i];
		assert_true(counted >= 300000);
		assert_int_equal(event->count, counted);
		assert_int_equal(event->account.period + (event->count - event->sampled), counted);
		assert_int_equal(model.running_writes, 0);
		assert_int_equal(model.faults, 0);
	}
}

static void three_cycles_events_get_three_equal_counts(void **state)
{
	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		intel_model_power_on(machines[m].version, machines[m].full_width);
		for (unsigned i = 0; i < 3; i++) {
			rig_describe(&rig_events[i], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
			             10000);
			assert_int_equal(event_init(&rig_events[i]), 0);
			assert_int_equal(event_enable(&rig_events[i]), 0);
		}
		rig_run(1000000, 13, intel_model_count_on);
		for (unsigned i = 0; i < 3; i++)
			event_disable(&rig_events[i]);
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(rig_events[i].count, 1000000);
			assert_int_equal(rig_events[i].account.written, 100);
			assert_int_equal(rig_events[i].account.lost, 0);
		}
		assert_int_equal(model.faults, 0);
	}
}

static void a_late_interrupt_writes_one_sample_with_the_true_period(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	intel_model_power_on(4, true);
	rig_describe(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
	rig_run(5500, 5500, intel_model_count_on);
	assert_int_equal(event->account.generated, 1);
	assert_int_equal(event->account.period, 5500);
	rig_run(500, 1, intel_model_count_on);
	assert_int_equal(event->account.generated, 2); /* the multiples of the period stay */
	event_disable(event);
	assert_int_equal(event->count, 6000);
}

static void long_periods_are_counted_in_laps(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	intel_model_power_on(2, false); /* general counters accept 31 bits */
	rig_describe(event, PERF_TYPE_HARDWARE, 0, 0);
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = 0x20c4;
	event->attr.sample_period = 5ULL << 31;
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
	rig_run(11ULL << 31, 1 << 20, intel_model_count_on);
	event_disable(event);
	assert_true(event->count == 11ULL << 31);
	assert_int_equal(event->account.generated, 2);
	assert_int_equal(model.faults, 0);
}

/* For 31 bits and 48 bits: half a wrap may pass before the interrupt is handled. */
static void no_lap_goes_by_unseen_however_late_the_interrupt(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config, lap, farthest;
		bool full_width;
	} cases[] = {
		{ PERF_TYPE_RAW, 0x20c4, 1ULL << 31, INT32_MAX, false },
		{ PERF_TYPE_RAW, 0x20c4, 1ULL << 48, (1ULL << 47) - 1, true },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, /* a fixed one */
		  1ULL << 48, (1ULL << 47) - 1, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t late = cases[i].lap / 4 * 3;

		intel_model_power_on(2, cases[i].full_width);
		rig_begin(&rig_events[0], cases[i].type, cases[i].config, 1ULL << 60);
		assert_true(x86_counter_of(&rig_events[0])->farthest == cases[i].farthest);
		rig_run(8 * late, late, intel_model_count_on);
		event_disable(&rig_events[0]);
		assert_true(rig_events[0].count == 8 * late);
		assert_int_equal(model.faults, 0);
	}
}

/* CPUID.0AH:EAX has adjacent fields; no field uses a neighbour's bit. */
static void cpuid_decides_which_events_exist(void **state)
{
	(void)state;
	intel_model_power_on(1, false);
	model.general = 3;
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(x86_counter_of(&rig_events[0])->counter,
	                 0); /* version 1 has no fixed counters */
	assert_true(model.select[0] ==
	            (0xc0 | PERFEVTSEL_USR | PERFEVTSEL_OS | PERFEVTSEL_INT | PERFEVTSEL_EN));
	event_disable(&rig_events[0]);
	intel_model_power_on(4, true);
	model.events = 32; /* as many bits as the register has */
	rig_begin(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	event_disable(&rig_events[0]);
	assert_int_equal(model.faults, 0);
}

static void fixed_counters_go_first_and_conditions_need_a_general_one(void **state)
{
	(void)state;
	intel_model_power_on(2, false);
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	rig_describe(&rig_events[1], PERF_TYPE_HARDWARE, 0, 1000);
	rig_events[1].attr.type = PERF_TYPE_RAW;
	rig_events[1].attr.config = 0xc0 | 1 << 24; /* cmask=1 */
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(event_init(&rig_events[i]), 0);
		assert_int_equal(event_enable(&rig_events[i]), 0);
	}
	assert_int_equal(x86_counter_of(&rig_events[0])->counter, GLOBAL_FIXED);
	assert_int_equal(x86_counter_of(&rig_events[1])->counter, 0);
	for (unsigned i = 0; i < 2; i++)
		event_disable(&rig_events[i]);
}

static void when_no_counter_is_free_the_event_is_reported(void **state)
{
	(void)state;
	intel_model_power_on(2, false);
	for (unsigned i = 0; i < 6; i++) {
		rig_describe(&rig_events[i], PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		             1000);
		assert_int_equal(event_init(&rig_events[i]), 0);
		assert_int_equal(event_enable(&rig_events[i]), i < model.general ? 0 : -EAGAIN);
	}
	for (unsigned i = 0; i < 6; i++)
		event_disable(&rig_events[i]);
}

static void events_that_the_cpu_lacks_are_not_served(void **state)
{
	const char *why;

	(void)state;
	intel_model_power_on(2, false);
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 1000);
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	             1000);
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	intel_model_power_on(0, false);
	assert_int_equal(pmu_intel.probe(&why), -ENODEV);
	assert_non_null(why);
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
	assert_int_equal(event_init(&rig_events[0]), -ENOENT);
	intel_model_power_on(2, false);
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1ULL << 62);
	assert_int_equal(event_init(&rig_events[0]), -EINVAL);
}

/* CPUID also reports how many architectural events it describes. */
static void an_event_that_cpuid_does_not_list_is_not_served(void **state)
{
	static const uint64_t by_bit[] = {
		PERF_COUNT_HW_CPU_CYCLES,    PERF_COUNT_HW_INSTRUCTIONS,
		PERF_COUNT_HW_BUS_CYCLES,    PERF_COUNT_HW_CACHE_REFERENCES,
		PERF_COUNT_HW_CACHE_MISSES,  PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		PERF_COUNT_HW_BRANCH_MISSES,
	};
	static const unsigned listed[] = { 0, 1, 3, 5, 6, 7, 31, 32, 255 };

	(void)state;
	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++) {
		intel_model_power_on(2, false);
		intel_models[0].events = listed[i];
		for (unsigned bit = 0; bit < 7; bit++) {
			bool is_there = bit < listed[i] && bit != 4; /* EBX: no LLC misses */

			rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, by_bit[bit], 1000);
			assert_int_equal(event_init(&rig_events[0]), is_there ? 0 : -ENOENT);
		}
	}
}

/* An instruction, and the instructions at the handlers' end, which are counted. Returns the number
 * of interrupts. */
static unsigned step_by_step(uint64_t pc, uint64_t way_out)
{
	const struct arch_regs regs = { .pc = pc };
	bool interrupt = intel_model_count_on(1);
	unsigned interrupts = 0;

	host_fake_cycles++;
	for (; interrupt && interrupts < 20; interrupts++) {
		intel_model_count_on(1); /* the way in */
		fake_pmi(&regs);
		host_fake_cycles += 300;
		interrupt = intel_model_count_on(way_out);
	}
	return interrupts;
}

/* Nothing throttles here. */
static void the_program_gets_on_whatever_the_period(void **state)
{
	static const uint64_t periods[] = { 1, 2, 39, 40, 41, 99, 100, 101, 254, 255 };
	static const uint64_t ways_out[] = { 40, 100, 200, 256, 640, 10000 };

	(void)state;
	for (size_t m = 0; m < NR_MACHINES; m++) {
		for (size_t i = 0; i < 60; i++) {
			struct perf_event *event = &rig_events[0];
			uint64_t way_out = ways_out[i % 6], interrupts = 0, most;

			intel_model_power_on(machines[m].version, machines[m].full_width);
			rig_begin(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
			          periods[i / 6]);
			for (unsigned step = 0; step < 10000; step++)
				interrupts += step_by_step(step, way_out);
			event_disable(event);
			/* a longer end requests each distance twice: too many and too few */
			most = way_out < 256 ? 10000 / (256 - way_out) + 2 : 80;
			assert_in_range(interrupts, 2, most);
			assert_int_equal(event->count, 10000 + interrupts * (1 + way_out));
			assert_int_equal(event->account.generated, interrupts);
			assert_int_equal(event->account.period + (event->count - event->sampled),
			                 event->count);
			assert_int_equal(model.faults, 0);
		}
	}
}

static void rare_events_are_sampled_at_any_short_period(void **state)
{
	(void)state;
	for (uint64_t period = 1; period < 4; period++) {
		intel_model_power_on(4, true);
		rig_begin(&rig_events[0], PERF_TYPE_RAW, 0x412e, period);
		for (unsigned i = 0; i < 300; i++) {
			host_fake_cycles += 200000;
			if (intel_model_count_on(1))
				fake_pmi(&rig_regs);
		}
		event_disable(&rig_events[0]);
		assert_int_equal(rig_events[0].account.generated, 300 / period);
		assert_int_equal(rig_events[0].account.period, 300);
	}
}

static void modifiers_choose_the_ring(void **state)
{
	static const struct {
		uint64_t flags, rings;
	} cases[] = {
		{ 0, PERFEVTSEL_USR | PERFEVTSEL_OS },
		{ PERF_ATTR_EXCLUDE_KERNEL, PERFEVTSEL_USR },
		{ PERF_ATTR_EXCLUDE_USER, PERFEVTSEL_OS },
	};

	(void)state;
	intel_model_power_on(2, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		             1000);
		rig_events[0].attr.flags = cases[i].flags;
		assert_int_equal(event_init(&rig_events[0]), 0);
		assert_int_equal(event_enable(&rig_events[0]), 0);
		assert_int_equal(model.select[0],
		                 0xc4 | cases[i].rings | PERFEVTSEL_INT | PERFEVTSEL_EN);
		event_disable(&rig_events[0]);
		assert_int_equal(model.select[0], 0);
	}
}

static void an_event_of_levels_at_which_nothing_runs_is_refused(void **state)
{
	const uint64_t user = PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV;
	const uint64_t kernel = PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_HV;
	const uint64_t hypervisor = PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL;
	const struct {
		unsigned levels;
		uint64_t flags;
		const char *why; /* NULL: it is counted */
	} cases[] = {
		{ ARCH_LEVEL_KERNEL, 0, NULL },
		{ ARCH_LEVEL_KERNEL, kernel, NULL },
		{ ARCH_LEVEL_KERNEL, PERF_ATTR_EXCLUDE_USER, NULL },
		{ ARCH_LEVEL_KERNEL, user, "nothing runs at user level" },
		{ ARCH_LEVEL_KERNEL, PERF_ATTR_EXCLUDE_KERNEL, "nothing runs at user level" },
		{ ARCH_LEVEL_KERNEL, hypervisor, "nothing runs at hypervisor level" },
		{ ARCH_LEVEL_KERNEL | ARCH_LEVEL_HYPERVISOR, hypervisor, NULL },
		{ ARCH_LEVEL_KERNEL | ARCH_LEVEL_HYPERVISOR, user, "nothing runs at user level" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		intel_model_power_on(2, false);
		fake_levels = cases[i].levels;
		rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
		rig_events[0].attr.flags = cases[i].flags;
		assert_int_equal(event_init(&rig_events[0]), cases[i].why ? -EINVAL : 0);
		if (cases[i].why)
			assert_non_null(strstr(rig_events[0].why, cases[i].why));
		else
			assert_null(rig_events[0].why);
	}
	fake_levels = ARCH_LEVEL_USER | ARCH_LEVEL_KERNEL | ARCH_LEVEL_HYPERVISOR;
}

static void leftovers_of_firmware_are_cleared_before_anything_counts(void **state)
{
	(void)state;
	intel_model_power_on(2, false);
	model.select[0] = model.select[3] = PERFEVTSEL_EN | PERFEVTSEL_INT | PERFEVTSEL_OS | 0xc0;
	model.fixed_control = 0xbb;
	model.global_control = INTEL_MODEL_ALL;
	model.status = INTEL_MODEL_ALL;
	rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	assert_int_equal(event_init(&rig_events[0]), 0);
	assert_int_equal(event_enable(&rig_events[0]), 0);
	assert_int_equal(model.select[0] | model.select[3], 0);
	assert_int_equal(model.status, 0);
	assert_true(model.global_control == 1ULL << GLOBAL_FIXED);
	event_disable(&rig_events[0]);
	assert_int_equal(model.faults, 0);
}

static void a_frequency_is_met_whatever_the_counters_rate(void **state)
{
	static const uint64_t rates[] = { 1, 3, 40 }; /* events a ns */

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		uint64_t samples;

		intel_model_power_on(4, true);
		rig_describe(&rig_events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0);
		rig_events[0].attr.sample_freq = 10000;
		rig_events[0].attr.flags = PERF_ATTR_FREQ;
		assert_int_equal(event_init(&rig_events[0]), 0);
		assert_int_equal(event_enable(&rig_events[0]), 0);
		for (unsigned step = 0; step < 1000000; step++) { /* 0.1 s in 100 ns */
			host_fake_cycles += 100;
			if (intel_model_count_on(100 * rates[i]))
				fake_pmi(&rig_regs);
		}
		event_disable(&rig_events[0]);
		samples = rig_events[0].account.generated;
		assert_in_range(samples, 950, 1100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_and_residue_are_the_count_on_every_version),
		cmocka_unit_test(no_event_is_lost_while_registers_are_accessed),
		cmocka_unit_test(three_cycles_events_get_three_equal_counts),
		cmocka_unit_test(a_late_interrupt_writes_one_sample_with_the_true_period),
		cmocka_unit_test(long_periods_are_counted_in_laps),
		cmocka_unit_test(no_lap_goes_by_unseen_however_late_the_interrupt),
		cmocka_unit_test(cpuid_decides_which_events_exist),
		cmocka_unit_test(fixed_counters_go_first_and_conditions_need_a_general_one),
		cmocka_unit_test(when_no_counter_is_free_the_event_is_reported),
		cmocka_unit_test(events_that_the_cpu_lacks_are_not_served),
		cmocka_unit_test(an_event_that_cpuid_does_not_list_is_not_served),
		cmocka_unit_test(the_program_gets_on_whatever_the_period),
		cmocka_unit_test(rare_events_are_sampled_at_any_short_period),
		cmocka_unit_test(modifiers_choose_the_ring),
		cmocka_unit_test(an_event_of_levels_at_which_nothing_runs_is_refused),
		cmocka_unit_test(leftovers_of_firmware_are_cleared_before_anything_counts),
		cmocka_unit_test(a_frequency_is_met_whatever_the_counters_rate),
	};

	return cmocka_run_group_tests(tests, NULL, intel_model_off);
}
