/* SPDX-License-Identifier: MIT */
/* Branch stacks in samples, from last branch records of every form, on modelled registers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "arch/x86_64/pmu/lbr.h"
#include "pmu/branch_stack.h"
#include "pmu/sample.h"
#include "pmu/x86/lbr/intel_lbr.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/intel_model.h"
#include "tests/unit/pmu/x86/lbr_rig.h"

#define model (intel_models[0])

static const struct {
	unsigned version, format, depth;
} by_model[] = {
	{ 3, LBR_FMT_EIP_FLAGS, 16 }, { 3, LBR_FMT_EIP_FLAGS2, 16 }, { 4, LBR_FMT_INFO, 32 },
	{ 4, LBR_FMT_TIME, 32 },      { 4, LBR_FMT_INFO2, 32 },      { 2, LBR_FMT_INFO, 8 },
};
#define NR_MODELS (sizeof(by_model) / sizeof(by_model[0]))

static void power_on(unsigned m)
{
	intel_model_power_on(m < NR_MODELS ? by_model[m].version : 5, true);
	if (m < NR_MODELS) {
		model.lbr.format = by_model[m].format;
		model.lbr.depth = by_model[m].depth;
	} else {
		model.lbr.architectural = true;
		model.lbr.depth = 0x0b; /* 8, 16 or 32 */
		model.lbr.can = CPUID_LBR_CPL | CPUID_LBR_FILTERS | CPUID_LBR_CALL_STACK;
		model.lbr.has = CPUID_LBR_MISPRED | CPUID_LBR_CYCLES | CPUID_LBR_TYPE;
		model.lbr.used = 8;
	}
	lbr_rig_place_entries();
}

static unsigned depth_of(unsigned m)
{
	return m < NR_MODELS ? by_model[m].depth : 32;
}

static const uint64_t *next_stack(const struct perf_event *event)
{
	return lbr_rig_stack(event, intel_model_count_on);
}

static void branches(unsigned first, unsigned count)
{
	for (unsigned i = first; i < first + count; i++)
		intel_model_branch(LBR_SELECT_JCC, from_of(i), to_of(i),
		                   i % 3 ? 0 : LBR_INFO_MISPRED);
}

static void the_newest_branches_are_in_the_sample_newest_first(void **state)
{
	(void)state;
	for (unsigned m = 0; m <= NR_MODELS; m++) {
		struct perf_event *event = &rig_events[0];
		const uint64_t *stack;

		power_on(m);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
		branches(0, 100);
		stack = next_stack(event);
		assert_int_equal(stack[0], depth_of(m));
		for (unsigned i = 0; i < depth_of(m); i++) {
			const uint64_t *entry = stack + 1 + 3 * i;
			uint64_t flags = (99 - i) % 3 ? PERF_BRANCH_PREDICTED : PERF_BRANCH_MISPRED;

			if (m == NR_MODELS)
				flags |= PERF_BR_COND << PERF_BRANCH_TYPE;
			assert_int_equal(entry[0], from_of(99 - i));
			assert_int_equal(entry[1], to_of(99 - i));
			assert_int_equal(entry[2], flags);
		}
		event_disable(event);
		assert_int_equal(model.faults, depth_of(m) < X86_LBR_MAX ? 2 : 0);
		model.faults = 0;
	}
}

static void a_stack_has_no_branch_from_before_the_event(void **state)
{
	(void)state;
	for (unsigned m = 0; m <= NR_MODELS; m++) {
		struct perf_event *event = &rig_events[0];
		const uint64_t *stack;

		power_on(m);
		model.debugctl = m < NR_MODELS ? DEBUGCTL_LBR : 0;
		model.lbr.control = m < NR_MODELS ? 0 : 0x7f0007;
		branches(0, 40);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
		branches(50, 3);
		stack = next_stack(event);
		assert_int_equal(stack[0], 3);
		assert_int_equal(stack[1], from_of(52));
		event_disable(event);
		branches(60, 3);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
		assert_int_equal(next_stack(event)[0], 0);
		event_disable(event);
		model.faults = 0; /* the search for the number of records */
	}
}

/* The fake CPU's handlers would record branches if the records were not off in them. */
static void records_go_on_after_each_interrupt(void **state)
{
	(void)state;
	for (unsigned m = 0; m <= NR_MODELS; m++) {
		struct perf_event *event = &rig_events[0];
		const uint64_t *stack;

		power_on(m);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
		for (unsigned turn = 0; turn < 5; turn++) {
			branches(8 * turn, 8);
			stack = next_stack(event);
			assert_int_equal(stack[1], from_of(8 * turn + 7));
			assert_int_equal(stack[1 + 3 * 7], from_of(8 * turn));
			assert_false(model.status);
		}
		event_disable(event);
		model.faults = 0;
	}
}

static uint64_t seen_in_handler;

static enum arch_pmi look(const struct arch_regs *regs)
{
	(void)regs;
	seen_in_handler = model.lbr.architectural ? model.lbr.control : model.debugctl & 1;
	branches(1000, 3);
	return ARCH_PMI_NOT_MINE;
}

static void handlers_are_not_recorded_nor_the_way_into_them(void **state)
{
	(void)state;
	for (unsigned m = 0; m <= NR_MODELS; m++) {
		struct perf_event *event = &rig_events[0];
		const uint64_t *stack;

		power_on(m);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
		assert_int_equal(arch_pmi_share(look), 0);
		branches(0, 2);
		/* another interrupt: its delivery and its return are branches */
		intel_model_branch(LBR_SELECT_FAR_BRANCH, 0x500000, ENTRIES + 0x20, 0);
		fake_pmi(&rig_regs);
		intel_model_branch(LBR_SELECT_FAR_BRANCH, ENTRIES + 0xff, 0x500000, 0);
		intel_model_branch(LBR_SELECT_FAR_BRANCH, ENTRIES + 0x100, ENTRIES - 1, 0);
		branches(2, 2);
		stack = next_stack(event);
		assert_int_equal(seen_in_handler, 0);
		assert_int_equal(stack[0], 5);
		assert_int_equal(stack[1], from_of(3));
		assert_int_equal(stack[1 + 3 * 2], ENTRIES + 0x100);
		assert_int_equal(stack[1 + 3 * 3], from_of(1));
		arch_pmi_leave(look);
		event_disable(event);
		model.faults = 0;
	}
}

static void registers_are_given_back_as_they_were(void **state)
{
	(void)state;
	for (unsigned m = 0; m <= NR_MODELS; m++) {
		struct perf_event *first = &rig_events[0], *second = &rig_events[1];

		power_on(m);
		model.lbr.select = m < NR_MODELS ? LBR_SELECT_JCC : 0;
		assert_int_equal(begin(first, PERF_SAMPLE_BRANCH_ANY), 0);
		assert_int_equal(begin(second, PERF_SAMPLE_BRANCH_ANY), 0);
		event_disable(first);
		assert_int_not_equal(fake_trace_hides, 0);
		branches(0, 2);
		assert_int_equal(next_stack(second)[0], 2);
		event_disable(second);
		assert_int_equal(fake_trace_hides, 0);
		assert_int_equal(model.debugctl, 0);
		assert_int_equal(model.lbr.control, 0);
		if (m < NR_MODELS)
			assert_int_equal(model.lbr.select, LBR_SELECT_JCC);
		else
			assert_int_equal(model.lbr.used, 8);
		model.faults = 0;
	}
}

static void filters_let_in_the_kinds_that_they_name(void **state)
{
	static const struct {
		uint64_t type;
		uint32_t kinds;
	} cases[] = {
		{ PERF_SAMPLE_BRANCH_ANY, 0x1fc },
		{ PERF_SAMPLE_BRANCH_ANY_CALL,
		  LBR_SELECT_NEAR_REL_CALL | LBR_SELECT_NEAR_IND_CALL },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN, LBR_SELECT_NEAR_RET },
		{ PERF_SAMPLE_BRANCH_IND_CALL, LBR_SELECT_NEAR_IND_CALL },
		{ PERF_SAMPLE_BRANCH_IND_JUMP, LBR_SELECT_NEAR_IND_JMP },
		{ PERF_SAMPLE_BRANCH_COND, LBR_SELECT_JCC },
		{ PERF_SAMPLE_BRANCH_CALL, LBR_SELECT_NEAR_REL_CALL },
		{ PERF_SAMPLE_BRANCH_CALL | PERF_SAMPLE_BRANCH_COND,
		  LBR_SELECT_NEAR_REL_CALL | LBR_SELECT_JCC },
		{ PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER, 0 },
		{ PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL, 0x1fc },
	};

	(void)state;
	for (unsigned m = 0; m <= NR_MODELS; m++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct perf_event *event = &rig_events[0];
			const uint64_t *stack;
			uint32_t kinds = 0;

			power_on(m);
			assert_int_equal(begin(event, cases[i].type), 0);
			for (uint32_t kind = LBR_SELECT_JCC; kind <= LBR_SELECT_FAR_BRANCH;
			     kind *= 2)
				intel_model_branch(kind, from_of(kind), to_of(kind), 0);
			stack = next_stack(event);
			for (unsigned n = 0; n < stack[0]; n++)
				kinds |= (uint32_t)(stack[1 + 3 * n] - from_of(0)) / 16;
			assert_int_equal(kinds, cases[i].kinds);
			event_disable(event);
			model.faults = 0;
		}
	}
}

static void a_call_stack_has_the_calls_without_a_return(void **state)
{
	(void)state;
	for (unsigned m = 0; m <= NR_MODELS; m++) {
		struct perf_event *event = &rig_events[0];
		uint64_t type = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_HW_INDEX;
		const uint64_t *stack;

		power_on(m);
		if (m == 0) {
			assert_int_equal(begin(event, type), -EOPNOTSUPP);
			assert_non_null(strstr(event->why, "cannot be a call stack"));
			continue;
		}
		assert_int_equal(begin(event, type), 0);
		for (unsigned i = 0; i < 5; i++)
			intel_model_branch(LBR_SELECT_NEAR_REL_CALL, from_of(i), to_of(i), 0);
		branches(20, 5);
		intel_model_branch(LBR_SELECT_NEAR_RET, to_of(4), from_of(4), 0);
		intel_model_branch(LBR_SELECT_NEAR_RET, to_of(3), from_of(3), 0);
		stack = next_stack(event);
		assert_int_equal(stack[0], 3);
		assert_true(stack[1] == (m < NR_MODELS ? model.lbr.top : UINT64_MAX));
		assert_int_equal(stack[2], from_of(2));
		assert_int_equal(stack[2 + 3 * 2], from_of(0));
		event_disable(event);
		model.faults = 0;
	}
}

static void flags_are_those_that_the_hardware_reports(void **state)
{
	static const struct {
		unsigned m;
		uint64_t info, flags;
	} cases[] = {
		{ 1, LBR_FROM_IN_TSX, PERF_BRANCH_PREDICTED | PERF_BRANCH_IN_TX },
		{ 1, LBR_FROM_ABORT | LBR_FROM_MISPRED, PERF_BRANCH_MISPRED | PERF_BRANCH_ABORT },
		{ 2, LBR_INFO_IN_TSX | 77, PERF_BRANCH_PREDICTED | PERF_BRANCH_IN_TX | 77 << 4 },
		{ 2, LBR_INFO_ABORT | 65535,
		  PERF_BRANCH_PREDICTED | PERF_BRANCH_ABORT | 65535 << 4 },
		{ 3, 77, PERF_BRANCH_PREDICTED | 77 << 4 },
		{ 6, LBR_INFO_CYCLES_VALID | 5ULL << 56 | 9,
		  PERF_BRANCH_PREDICTED | PERF_BR_RET << 20 | 9 << 4 },
		{ 6, 4ULL << 56 | 9, PERF_BRANCH_PREDICTED | PERF_BR_CALL << 20 },
		{ 6, 8ULL << 56, PERF_BRANCH_PREDICTED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event *event = &rig_events[0];

		power_on(cases[i].m);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
		intel_model_branch(LBR_SELECT_JCC, from_of(1), to_of(1), cases[i].info);
		assert_int_equal(next_stack(event)[3], cases[i].flags);
		event_disable(event);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_FLAGS |
		                                  PERF_SAMPLE_BRANCH_NO_CYCLES),
		                 0);
		intel_model_branch(LBR_SELECT_JCC, from_of(1), to_of(1), cases[i].info);
		assert_int_equal(next_stack(event)[3], cases[i].flags & 0xf00000);
		event_disable(event);
		model.faults = 0;
	}
	power_on(NR_MODELS);
	model.lbr.has = 0;
	assert_int_equal(begin(&rig_events[0], PERF_SAMPLE_BRANCH_ANY), 0);
	intel_model_branch(LBR_SELECT_JCC, from_of(1), to_of(1), LBR_INFO_MISPRED | 4ULL << 56);
	assert_int_equal(next_stack(&rig_events[0])[3], 0);
	event_disable(&rig_events[0]);
}

static void a_cpu_has_one_filter(void **state)
{
	struct perf_event *first = &rig_events[0], *second = &rig_events[1];

	(void)state;
	power_on(2);
	assert_int_equal(begin(first, PERF_SAMPLE_BRANCH_ANY), 0);
	assert_int_equal(begin(second, PERF_SAMPLE_BRANCH_CALL), -EBUSY);
	assert_int_equal(begin(second, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_CYCLES), 0);
	event_disable(first);
	event_disable(second);
	model.debugctl = DEBUGCTL_TR | DEBUGCTL_BTS;
	model.debug_store = true;
	assert_int_equal(begin(second, PERF_SAMPLE_BRANCH_CALL), 0); /* old records are cleared */
	event_disable(second);
}

static void features_that_the_hardware_lacks_are_refused_with_the_reason(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	intel_model_power_on(4, true);
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), -ENODEV);
	assert_non_null(strstr(event->why, "no branch records"));
	power_on(2);
	model.lbr.format = 2; /* without flags */
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), -ENODEV);
	power_on(2);
	model.lbr.depth = 0; /* a hypervisor offers none of them */
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), -ENODEV);
	model.faults = 0;
	power_on(2);
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_CALL_STACK),
	                 -EOPNOTSUPP);
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY | 1U << 8), -EOPNOTSUPP);
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_KERNEL), -EINVAL);
	power_on(NR_MODELS);
	model.lbr.can = 0;
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_CALL), -EOPNOTSUPP);
	assert_non_null(strstr(event->why, "use -b"));
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
	event_disable(event);
	rig_describe(event, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 100000);
	event->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	event->attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	assert_int_equal(event_init(event), -EOPNOTSUPP);
	assert_non_null(strstr(event->why, "no branch stacks"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_branches_are_in_the_sample_newest_first),
		cmocka_unit_test(a_stack_has_no_branch_from_before_the_event),
		cmocka_unit_test(records_go_on_after_each_interrupt),
		cmocka_unit_test(handlers_are_not_recorded_nor_the_way_into_them),
		cmocka_unit_test(registers_are_given_back_as_they_were),
		cmocka_unit_test(filters_let_in_the_kinds_that_they_name),
		cmocka_unit_test(a_call_stack_has_the_calls_without_a_return),
		cmocka_unit_test(flags_are_those_that_the_hardware_reports),
		cmocka_unit_test(a_cpu_has_one_filter),
		cmocka_unit_test(features_that_the_hardware_lacks_are_refused_with_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, intel_model_off);
}
