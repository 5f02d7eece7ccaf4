/* SPDX-License-Identifier: MIT */
/* Branch stacks in samples, from AMD's last branch records, on modelled registers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/lbr.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/branch_stack.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/amd_model.h"
#include "tests/unit/pmu/x86/lbr_rig.h"

#define model   (amd_model)
#define MISPRED (1ULL << 63)

/* How a branch was recorded: the three upper bits of TO. */
enum { ERRONEOUS = 1, WRONG = 2, CERTAIN = 4, FORESEEN = 6 };

static void power_on(unsigned lbrs, bool freezes)
{
	amd_model_power_on(2);
	model.lbrs = lbrs;
	model.freezes = freezes;
	lbr_rig_place_entries();
	branch_stack_erroneous[0] = 0;
}

static const uint64_t *next_stack(const struct perf_event *event)
{
	return lbr_rig_stack(event, amd_model_count_on);
}

static void branches(unsigned first, unsigned count)
{
	for (unsigned i = first; i < first + count; i++)
		amd_model_branch(LBR_SELECT_JCC, from_of(i) & ~MISPRED, to_of(i), FORESEEN);
}

static void the_newest_branches_are_in_the_sample_newest_first(void **state)
{
	static const unsigned sizes[] = { 1, 16, 32, 48 };

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_event *event = &rig_events[0];
		unsigned size = sizes[i / 2], most = size < 32 ? size : 32;
		const uint64_t *stack;

		power_on(size, i % 2);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
		branches(0, 100);
		for (unsigned turn = 0; turn < 2; turn++) { /* the second one after an interrupt */
			stack = next_stack(event);
			assert_int_equal(stack[0], most);
			for (unsigned n = 0; n < most; n++) {
				const uint64_t *entry = stack + 1 + 3 * n;
				unsigned last = turn ? 149 : 99;

				assert_int_equal(entry[0], from_of(last - n));
				assert_int_equal(entry[1], to_of(last - n));
				assert_int_equal(entry[2],
				                 PERF_BRANCH_PREDICTED | 3 << PERF_BRANCH_SPEC);
			}
			branches(100, 50);
		}
		event_disable(event);
		assert_int_equal(model.faults, 0);
		assert_int_equal(branch_stack_erroneous[0], 0);
	}
}

static void a_stack_has_no_branch_from_before_the_event(void **state)
{
	struct perf_event *event = &rig_events[0];
	const uint64_t *stack;

	(void)state;
	power_on(16, true);
	model.extn_cfg |= DBG_EXTN_CFG_LBRV2EN;
	branches(0, 40);
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX), 0);
	branches(50, 3);
	model.from[3] = model.to[3] = 0x400000; /* neither valid nor speculative */
	stack = next_stack(event);
	assert_int_equal(stack[0], 3);
	assert_int_equal(stack[1], 0); /* hw_idx: record 0 is the newest */
	assert_int_equal(stack[2], from_of(52));
	event_disable(event);
}

static void flags_are_those_of_the_record(void **state)
{
	static const struct {
		uint64_t from, to;
		unsigned how;
		uint64_t type, flags;
	} cases[] = {
		{ 0, 0, FORESEEN, 0, PERF_BRANCH_PREDICTED | 3 << 24 },
		{ 0, 0, CERTAIN, 0, PERF_BRANCH_PREDICTED | 2 << 24 },
		{ 0, 0, WRONG, 0, PERF_BRANCH_PREDICTED | 1 << 24 },
		{ MISPRED, 0, CERTAIN, 0, PERF_BRANCH_MISPRED | 2 << 24 },
		{ MISPRED, 0, CERTAIN, PERF_SAMPLE_BRANCH_NO_FLAGS, 0 },
		{ MISPRED, 0, CERTAIN, PERF_SAMPLE_BRANCH_NO_CYCLES,
		  PERF_BRANCH_MISPRED | 2 << 24 },
		/* the bits above the address are not its own */
		{ 0x7ful << 56, 0x1f00ULL << 48, CERTAIN, 0, PERF_BRANCH_PREDICTED | 2 << 24 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event *event = &rig_events[0];
		const uint64_t *stack;

		power_on(16, false);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY | cases[i].type), 0);
		amd_model_branch(LBR_SELECT_JCC, 0x400010 | cases[i].from, 0x400100 | cases[i].to,
		                 cases[i].how);
		stack = next_stack(event);
		assert_int_equal(stack[0], 1);
		assert_int_equal(stack[1], 0x400010);
		assert_int_equal(stack[2], 0x400100);
		assert_int_equal(stack[3], cases[i].flags);
		event_disable(event);
	}
}

static void addresses_of_57_bits_keep_all_of_them(void **state)
{
	struct perf_event *event = &rig_events[0];
	const uint64_t *stack;

	(void)state;
	power_on(16, true);
	model.linear = 57;
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
	amd_model_branch(LBR_SELECT_JCC, 0x00ff800000200010, 0x01ff800000200020, CERTAIN);
	stack = next_stack(event);
	assert_true(stack[1] == 0x00ff800000200010);
	assert_true(stack[2] == 0xffff800000200020);
	event_disable(event);
}

/* Erratum 1452. */
static void erroneous_records_are_dropped_and_counted(void **state)
{
	struct perf_event *event = &rig_events[0];
	const uint64_t *stack;

	(void)state;
	power_on(16, true);
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
	branches(0, 2);
	amd_model_branch(LBR_SELECT_JCC, 0x1234, 0x5678, FORESEEN | ERRONEOUS);
	branches(2, 2);
	amd_model_branch(LBR_SELECT_JCC, 0x1234, 0x5678, WRONG | ERRONEOUS);
	stack = next_stack(event);
	assert_int_equal(stack[0], 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(stack[1 + 3 * i], from_of(3 - i));
	assert_int_equal(branch_stack_erroneous[0], 2);
	event_disable(event);
}

static bool recorded_in_handler;

static enum arch_pmi look(const struct arch_regs *regs)
{
	(void)regs;
	recorded_in_handler = model.extn_cfg & DBG_EXTN_CFG_LBRV2EN;
	assert_int_equal(model.extn_cfg & AMD_MODEL_RESERVED, AMD_MODEL_RESERVED);
	branches(1000, 3);
	return ARCH_PMI_NOT_MINE;
}

static void handlers_are_not_recorded_nor_the_way_into_them(void **state)
{
	(void)state;
	for (unsigned freezes = 0; freezes < 2; freezes++) {
		struct perf_event *event = &rig_events[0];
		const uint64_t *stack;

		power_on(16, freezes);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
		assert_int_equal(arch_pmi_share(look), 0);
		branches(0, 2);
		amd_model_branch(LBR_SELECT_FAR_BRANCH, 0x500000, ENTRIES + 0x20, CERTAIN);
		fake_pmi(&rig_regs);
		amd_model_branch(LBR_SELECT_FAR_BRANCH, ENTRIES + 0xff, 0x500000, CERTAIN);
		amd_model_branch(LBR_SELECT_FAR_BRANCH, ENTRIES + 0x100, ENTRIES - 1, CERTAIN);
		branches(2, 2);
		stack = next_stack(event);
		assert_false(recorded_in_handler);
		assert_int_equal(stack[0], 5);
		assert_int_equal(stack[1], from_of(3));
		assert_int_equal(stack[1 + 3 * 2], ENTRIES + 0x100);
		assert_int_equal(stack[1 + 3 * 3], from_of(1));
		assert_int_equal(model.status, 0);
		assert_true(model.extn_cfg & DBG_EXTN_CFG_LBRV2EN);
		arch_pmi_leave(look);
		event_disable(event);
		assert_int_equal(model.faults, 0);
	}
}

static void records_freeze_at_the_overflow_if_the_cpu_can_freeze_them(void **state)
{
	(void)state;
	for (unsigned freezes = 0; freezes < 2; freezes++) {
		struct perf_event *event = &rig_events[0];

		power_on(16, freezes);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
		assert_int_equal(model.debugctl, freezes ? DEBUGCTL_FREEZE_LBRS_ON_PMI : 0);
		branches(0, 2);
		assert_true(amd_model_count_on(PERIOD));
		branches(2, 1); /* between the overflow and the interrupt */
		fake_pmi(&rig_regs);
		assert_int_equal(model.from[0], from_of(freezes ? 1 : 2) & ~MISPRED);
		branches(3, 1);
		assert_int_equal(model.from[0], from_of(3) & ~MISPRED);
		event_disable(event);
		assert_int_equal(model.faults, 0);
	}
}

static void registers_are_given_back_as_they_were(void **state)
{
	struct perf_event *first = &rig_events[0], *second = &rig_events[1];

	(void)state;
	for (unsigned on = 0; on < 2; on++) {
		uint64_t before = AMD_MODEL_RESERVED | (on ? DBG_EXTN_CFG_LBRV2EN : 0);

		power_on(16, true);
		model.select = LBR_SELECT_JCC;
		model.extn_cfg = before;
		model.debugctl = DEBUGCTL_FREEZE_LBRS_ON_PMI;
		assert_int_equal(begin(first, PERF_SAMPLE_BRANCH_ANY), 0);
		assert_int_equal(begin(second, PERF_SAMPLE_BRANCH_ANY), 0);
		event_disable(first);
		branches(0, 2);
		assert_int_equal(next_stack(second)[0], 2);
		event_disable(second);
		assert_int_equal(fake_trace_hides, 0);
		assert_int_equal(model.select, LBR_SELECT_JCC);
		assert_int_equal(model.extn_cfg, before);
		assert_int_equal(model.debugctl, DEBUGCTL_FREEZE_LBRS_ON_PMI);
		assert_int_equal(model.faults, 0);
	}
}

static void filters_let_in_the_kinds_that_they_name(void **state)
{
	static const struct {
		uint64_t type;
		uint32_t kinds;
	} cases[] = {
		{ PERF_SAMPLE_BRANCH_ANY, 0x1fc },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN, LBR_SELECT_NEAR_RET },
		{ PERF_SAMPLE_BRANCH_CALL | PERF_SAMPLE_BRANCH_COND,
		  LBR_SELECT_NEAR_REL_CALL | LBR_SELECT_JCC },
		{ PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event *event = &rig_events[0];
		const uint64_t *stack;
		uint32_t kinds = 0;

		power_on(16, true);
		assert_int_equal(begin(event, cases[i].type), 0);
		for (uint32_t kind = LBR_SELECT_JCC; kind <= LBR_SELECT_FAR_BRANCH; kind *= 2)
			amd_model_branch(kind, 16 * kind, to_of(kind), CERTAIN);
		stack = next_stack(event);
		for (unsigned n = 0; n < stack[0]; n++)
			kinds |= (uint32_t)stack[1 + 3 * n] / 16;
		assert_int_equal(kinds, cases[i].kinds);
		event_disable(event);
	}
}

static void a_cpu_has_one_filter(void **state)
{
	struct perf_event *first = &rig_events[0], *second = &rig_events[1];

	(void)state;
	power_on(16, true);
	assert_int_equal(begin(first, PERF_SAMPLE_BRANCH_ANY), 0);
	assert_int_equal(begin(second, PERF_SAMPLE_BRANCH_CALL), -EBUSY);
	assert_int_equal(begin(second, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_CYCLES), 0);
	event_disable(first);
	event_disable(second);
	assert_int_equal(begin(second, PERF_SAMPLE_BRANCH_CALL), 0);
	event_disable(second);
}

static void features_that_the_hardware_lacks_are_refused_with_the_reason(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	power_on(0, false);
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), -ENODEV);
	assert_non_null(strstr(event->why, "no branch records (LbrExtV2"));
	model.brs = true;
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), -ENODEV);
	assert_non_null(strstr(event->why, "BRS, Zen 3"));
	power_on(16, true);
	model.brs = true; /* beside the records it does not matter */
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), 0);
	event_disable(event);
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_CALL_STACK), -EOPNOTSUPP);
	assert_non_null(strstr(event->why, "cannot be a call stack"));
	power_on(16, true);
	model.generation = EXTENDED; /* without the global registers */
	assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY), -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_branches_are_in_the_sample_newest_first),
		cmocka_unit_test(a_stack_has_no_branch_from_before_the_event),
		cmocka_unit_test(flags_are_those_of_the_record),
		cmocka_unit_test(addresses_of_57_bits_keep_all_of_them),
		cmocka_unit_test(erroneous_records_are_dropped_and_counted),
		cmocka_unit_test(handlers_are_not_recorded_nor_the_way_into_them),
		cmocka_unit_test(records_freeze_at_the_overflow_if_the_cpu_can_freeze_them),
		cmocka_unit_test(registers_are_given_back_as_they_were),
		cmocka_unit_test(filters_let_in_the_kinds_that_they_name),
		cmocka_unit_test(a_cpu_has_one_filter),
		cmocka_unit_test(features_that_the_hardware_lacks_are_refused_with_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
