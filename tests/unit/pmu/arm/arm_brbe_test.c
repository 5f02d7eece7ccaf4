/* SPDX-License-Identifier: MIT */
/* Branch stacks in samples, from Arm's branch records, on modelled registers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/pmu/brbe.h"
#include "arch/aarch64/pmu/spe.h"
#include "pmu/branch_stack.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/arm/arm_pmuv3_model.h"
#include "tests/unit/pmu/counter_rig.h"

#define PERIOD  1000U
#define RECORDS 64U
#define WHOLE   (BRBINF_SOURCE | BRBINF_TARGET)
#define EL1     (1ULL << BRBINF_EL)
#define EL2     (2ULL << BRBINF_EL)
#define KIND(n) ((uint64_t)(n) << BRBINF_TYPE)
#define PRIV(n) ((uint64_t)(n) << PERF_BRANCH_PRIV)
#define TYPE(n) ((uint64_t)(n) << PERF_BRANCH_TYPE)

static struct {
	uint64_t idr, id, el;
	uint64_t brbcr_el1, brbcr_el2, brbfcr;
	uint64_t inf[RECORDS], src[RECORDS], tgt[RECORDS]; /* newest first */
	unsigned early; /* records that were read while branches were recorded */
	bool running;   /* records were forgotten while branches were recorded */
} model;
static uint64_t (*counters_read)(uint32_t reg);
static void (*counters_write)(uint32_t reg, uint64_t value);

/* D18, "BRBE freeze events": an overflow that is pending pauses. */
static bool is_paused(void)
{
	if (arm_pmuv3_models[0].overflowed && model.brbcr_el1 & BRBCR_FZP)
		model.brbfcr |= BRBFCR_PAUSED;
	return model.brbfcr & BRBFCR_PAUSED;
}

static uint64_t *record_register(uint32_t reg)
{
	unsigned bank = model.brbfcr & BRBFCR_BANK(1U) ? BRBE_BANK_SIZE : 0;

	for (unsigned i = 0; i < BRBE_BANK_SIZE; i++) {
		if (reg == BRBINF_EL1(i))
			return &model.inf[bank + i];
		if (reg == BRBSRC_EL1(i))
			return &model.src[bank + i];
		if (reg == BRBTGT_EL1(i))
			return &model.tgt[bank + i];
	}
	return NULL;
}

static uint64_t brbe_read(uint32_t reg)
{
	const uint64_t *record = record_register(reg);

	switch (reg) {
	case ID_AA64DFR0_EL1:
		return counters_read(reg) | model.id << ID_AA64DFR0_BRBE;
	case CURRENT_EL:
		return model.el << 2;
	case BRBIDR0_EL1:
		assert_true(model.id);
		return model.idr;
	case BRBCR_EL1:
		return model.brbcr_el1;
	case BRBCR_EL2:
		assert_int_equal(model.el, 2);
		return model.brbcr_el2;
	case BRBFCR_EL1:
		return model.brbfcr;
	default:
		break;
	}
	if (!record)
		return counters_read(reg);
	model.early += !is_paused();
	return *record;
}

static void brbe_write(uint32_t reg, uint64_t value)
{
	switch (reg) {
	case BRBCR_EL1:
		model.brbcr_el1 = value;
		break;
	case BRBCR_EL2:
		assert_int_equal(model.el, 2);
		model.brbcr_el2 = value;
		break;
	case BRBFCR_EL1:
		model.brbfcr = value;
		is_paused();
		break;
	case BRB_IALL:
		model.running |= !is_paused();
		memset(model.inf, 0, sizeof(model.inf));
		break;
	default:
		is_paused(); /* before the overflow is cleared */
		counters_write(reg, value);
		break;
	}
}

static void power_on(unsigned records, unsigned el)
{
	arm_pmuv3_model_power_on();
	memset(&model, 0, sizeof(model));
	model.id = 1;
	model.idr = BRBIDR0_CC_20_BIT | records;
	model.el = el;
	counters_read = fake_reg_read;
	counters_write = fake_reg_write;
	fake_reg_read = brbe_read;
	fake_reg_write = brbe_write;
	fake_levels = el == 2 ? ARCH_LEVEL_USER | ARCH_LEVEL_KERNEL | ARCH_LEVEL_HYPERVISOR
	                      : ARCH_LEVEL_USER | ARCH_LEVEL_KERNEL;
	arm_pmuv3_models[0].overflowed = 0;
}

static int begin(struct perf_event *event, uint64_t type)
{
	int code;

	rig_describe(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERIOD);
	event->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	event->attr.branch_sample_type = type;
	code = event_init(event);
	return code ? code : event_enable(event);
}

static void branch(uint64_t inf, uint64_t src, uint64_t tgt)
{
	if (is_paused())
		return;
	memmove(model.inf + 1, model.inf, sizeof(model.inf) - 8);
	memmove(model.src + 1, model.src, sizeof(model.src) - 8);
	memmove(model.tgt + 1, model.tgt, sizeof(model.tgt) - 8);
	model.inf[0] = inf;
	model.src[0] = src;
	model.tgt[0] = tgt;
}

static void branches(unsigned first, unsigned count)
{
	for (unsigned i = first; i < first + count; i++)
		branch(WHOLE | EL1 | BRBINF_CCU | KIND(BRBINF_COND), 0x400000 + i, 0x500000 + i);
}

/* The branch stack of the sample that is due next. */
static const uint64_t *next_stack(const struct perf_event *event)
{
	const struct ring *ring = event->ring;
	uint64_t begin_at = ring_load(&ring->published);

	arm_pmuv3_model_run(PERIOD, 0);
	assert_true(ring_load(&ring->published) > begin_at);
	return (const uint64_t *)(const void *)(ring->data + begin_at % ring->size) + 3;
}

static void the_newest_branches_since_the_last_sample_are_in_it_newest_first(void **state)
{
	static const unsigned sizes[] = { 8, 16, 32, 64 };

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned size = sizes[i / 2];
		struct perf_event *event = &rig_events[0];
		const uint64_t *stack;

		power_on(size, 1 + i % 2);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX),
		                 0);
		branches(0, 100);
		stack = next_stack(event);
		assert_int_equal(stack[0], size);
		assert_int_equal(stack[1], 0);
		for (unsigned n = 0; n < size; n++) {
			assert_int_equal(stack[2 + 3 * n], 0x400000 + 99 - n);
			assert_int_equal(stack[3 + 3 * n], 0x500000 + 99 - n);
			assert_int_equal(stack[4 + 3 * n],
			                 PERF_BRANCH_PREDICTED | TYPE(PERF_BR_COND) | PRIV(2));
		}
		branches(100, 5);
		assert_int_equal(next_stack(event)[0], 5);
		event_disable(event);
		assert_int_equal(model.early, 0);
		assert_false(model.running);
	}
}

static void a_record_becomes_perfs_flags(void **state)
{
	static const struct {
		uint64_t inf, type, flags;
	} cases[] = {
		{ WHOLE | KIND(BRBINF_RET), 0,
		  PERF_BRANCH_PREDICTED | TYPE(PERF_BR_RET) | PRIV(1) },
		{ WHOLE | BRBINF_MPRED | 200ULL << 32, 0,
		  PERF_BRANCH_MISPRED | TYPE(PERF_BR_UNCOND) | 200 << 4 | PRIV(1) },
		{ WHOLE | EL2 | 0x380ULL << 32, 0, /* 0x180 * 2^2 */
		  PERF_BRANCH_PREDICTED | TYPE(PERF_BR_UNCOND) | 0x600 << 4 | PRIV(3) },
		{ WHOLE | 0x8ffULL << 32, 0,
		  PERF_BRANCH_PREDICTED | TYPE(PERF_BR_UNCOND) | 0xff80 << 4 | PRIV(1) },
		{ WHOLE | 0x900ULL << 32, 0,
		  PERF_BRANCH_PREDICTED | TYPE(PERF_BR_UNCOND) | 0xffff << 4 | PRIV(1) },
		{ WHOLE | 7ULL << 32, PERF_SAMPLE_BRANCH_NO_CYCLES,
		  PERF_BRANCH_PREDICTED | TYPE(PERF_BR_UNCOND) | PRIV(1) },
		{ WHOLE | 7ULL << 32, PERF_SAMPLE_BRANCH_NO_FLAGS,
		  TYPE(PERF_BR_UNCOND) | 7 << 4 | PRIV(1) },
		{ BRBINF_TARGET | EL1 | BRBINF_CCU | KIND(BRBINF_CALL), 0,
		  TYPE(PERF_BR_SYSCALL) | PRIV(2) },
		{ BRBINF_SOURCE | BRBINF_CCU | KIND(BRBINF_ERET), 0,
		  PERF_BRANCH_PREDICTED | TYPE(PERF_BR_ERET) },
		{ WHOLE | EL1 | BRBINF_CCU | KIND(BRBINF_DATA_FAULT), 0,
		  PERF_BRANCH_PREDICTED | TYPE(PERF_BR_EXTEND_ABI) | 1 << PERF_BRANCH_NEW_TYPE |
		      PRIV(2) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event *event = &rig_events[0];
		const uint64_t *stack;

		power_on(16, 2);
		assert_int_equal(begin(event, PERF_SAMPLE_BRANCH_ANY | cases[i].type), 0);
		branch(cases[i].inf, 0x10, 0x20);
		stack = next_stack(event);
		assert_int_equal(stack[0], 1);
		assert_int_equal(stack[1], 0x10);
		assert_int_equal(stack[2], 0x20);
		assert_int_equal(stack[3], cases[i].flags);
		event_disable(event);
	}
}

static void each_filter_asks_the_cpu_for_its_kinds(void **state)
{
	static const struct {
		uint64_t type;
		uint32_t filter;
	} cases[] = {
		{ PERF_SAMPLE_BRANCH_ANY_CALL, BRBFCR_DIRCALL | BRBFCR_INDCALL },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN, BRBFCR_RTN },
		{ PERF_SAMPLE_BRANCH_IND_CALL, BRBFCR_INDCALL },
		{ PERF_SAMPLE_BRANCH_IND_JUMP, BRBFCR_INDIRECT },
		{ PERF_SAMPLE_BRANCH_CALL, BRBFCR_DIRCALL },
		{ PERF_SAMPLE_BRANCH_COND, BRBFCR_CONDDIR },
		{ PERF_SAMPLE_BRANCH_ANY, BRBFCR_CONDDIR | BRBFCR_DIRCALL | BRBFCR_INDCALL |
		                              BRBFCR_RTN | BRBFCR_INDIRECT | BRBFCR_DIRECT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		power_on(16, 2);
		assert_int_equal(begin(&rig_events[0], cases[i].type), 0);
		assert_int_equal(model.brbfcr, cases[i].filter);
		event_disable(&rig_events[0]);
	}
}

/* Only the levels that are asked for; EL2, where we are then, only alone. */
static void each_level_has_its_bits(void **state)
{
	static const struct {
		unsigned el;
		uint64_t type, el1, el2;
	} cases[] = {
		{ 2, 0, BRBCR_E0BRE | BRBCR_ExBRE, 0 },
		{ 2, PERF_SAMPLE_BRANCH_USER, BRBCR_E0BRE, 0 },
		{ 2, PERF_SAMPLE_BRANCH_KERNEL, BRBCR_ExBRE, 0 },
		{ 2, PERF_SAMPLE_BRANCH_HV, 0, BRBCR_ExBRE },
		{ 1, 0, BRBCR_E0BRE | BRBCR_ExBRE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		power_on(16, cases[i].el);
		assert_int_equal(begin(&rig_events[0], PERF_SAMPLE_BRANCH_ANY | cases[i].type), 0);
		assert_int_equal(model.brbcr_el1 & (BRBCR_E0BRE | BRBCR_ExBRE), cases[i].el1);
		assert_int_equal(model.brbcr_el2 & (BRBCR_E0BRE | BRBCR_ExBRE), cases[i].el2);
		if (cases[i].el == 2) /* counters from MDCR_EL2.HPMN on, cycles, mispredictions */
			assert_int_equal(model.brbcr_el2 & (BRBCR_FZP | BRBCR_CC | BRBCR_MPRED),
			                 BRBCR_FZP | BRBCR_CC | BRBCR_MPRED);
		event_disable(&rig_events[0]);
	}
}

static void events_with_different_filters_share_the_records(void **state)
{
	const uint64_t *stack;

	(void)state;
	power_on(16, 2);
	assert_int_equal(begin(&rig_events[0], PERF_SAMPLE_BRANCH_ANY_CALL), 0);
	rig_describe(&rig_events[1], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1ULL << 30);
	rig_events[1].attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	rig_events[1].attr.branch_sample_type = PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_USER;
	assert_int_equal(event_init(&rig_events[1]), 0);
	assert_int_equal(event_enable(&rig_events[1]), 0);
	assert_int_equal(model.brbfcr, BRBFCR_DIRCALL | BRBFCR_INDCALL | BRBFCR_CONDDIR);
	branches(0, 3);
	branch(WHOLE | EL1 | KIND(BRBINF_DIRECT_LINK), 0x10, 0x20);
	branches(3, 3);
	stack = next_stack(&rig_events[0]);
	assert_int_equal(stack[0], 1);
	assert_int_equal(stack[1], 0x10);
	event_disable(&rig_events[1]);
	event_disable(&rig_events[0]);
}

/* Entered at EL1: a tick's handler between older and newer branches; and the end of the handler
 * that let the CPU record again. */
static void our_handlers_branches_are_in_no_stack(void **state)
{
	const uint64_t *stack;

	(void)state;
	for (unsigned el = 1; el <= 2; el++) {
		power_on(32, el);
		assert_int_equal(begin(&rig_events[0], PERF_SAMPLE_BRANCH_ANY), 0);
		branches(900, 2);
		branch(WHOLE | EL1 | KIND(BRBINF_ERET), 1, 2);
		branches(0, 3);
		branch(WHOLE | EL1 | KIND(BRBINF_IRQ), 3, 4);
		branches(910, 4);
		branch(WHOLE | EL1 | KIND(BRBINF_ERET), 5, 6);
		branches(10, 2);
		stack = next_stack(&rig_events[0]);
		/* Below EL2 these are the branches of the traced code. */
		assert_int_equal(stack[0], el == 1 ? 5 : 14);
		assert_int_equal(stack[1], 0x400000 + 11);
		assert_int_equal(stack[3 * 2 + 1], el == 1 ? 0x400000 + 2 : 5);
		event_disable(&rig_events[0]);
	}
}

static void the_registers_of_firmware_come_back_and_its_records_do_not(void **state)
{
	(void)state;
	power_on(16, 2);
	branches(0, 10);
	model.brbcr_el1 = BRBCR_E0BRE;
	model.brbcr_el2 = BRBCR_ExBRE | BRBCR_ERTN;
	model.brbfcr = BRBFCR_RTN;
	assert_int_equal(begin(&rig_events[0], PERF_SAMPLE_BRANCH_ANY), 0);
	branches(10, 1);
	assert_int_equal(next_stack(&rig_events[0])[0], 1);
	event_disable(&rig_events[0]);
	assert_int_equal(model.brbcr_el1, BRBCR_E0BRE);
	assert_int_equal(model.brbcr_el2, BRBCR_ExBRE | BRBCR_ERTN);
	assert_int_equal(model.brbfcr, BRBFCR_RTN);
}

static void what_the_cpu_cannot_do_is_refused_with_the_reason(void **state)
{
	(void)state;
	power_on(16, 2);
	assert_int_equal(begin(&rig_events[0], PERF_SAMPLE_BRANCH_CALL_STACK), -EOPNOTSUPP);
	assert_non_null(strstr(rig_events[0].why, "--call-graph fp"));
	for (unsigned i = 0; i < 3; i++) {
		power_on(16, 2);
		model.id = i > 0;
		model.idr ^= i == 1   ? 0x100
		             : i == 2 ? 0x1000
		                      : 0; /* another format, other counts */
		assert_int_equal(begin(&rig_events[0], PERF_SAMPLE_BRANCH_ANY), -ENODEV);
		assert_non_null(strstr(rig_events[0].why, "FEAT_BRBE"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_branches_since_the_last_sample_are_in_it_newest_first),
		cmocka_unit_test(a_record_becomes_perfs_flags),
		cmocka_unit_test(each_filter_asks_the_cpu_for_its_kinds),
		cmocka_unit_test(each_level_has_its_bits),
		cmocka_unit_test(events_with_different_filters_share_the_records),
		cmocka_unit_test(our_handlers_branches_are_in_no_stack),
		cmocka_unit_test(the_registers_of_firmware_come_back_and_its_records_do_not),
		cmocka_unit_test(what_the_cpu_cannot_do_is_refused_with_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
