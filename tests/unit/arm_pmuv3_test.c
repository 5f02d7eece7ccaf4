/* SPDX-License-Identifier: MIT */
/* The PMUv3 driver on a modelled PMU: two event counters and a cycle counter. */
#include "arch/aarch64/pmuv3.h"
#include "arch/host/fake_cpu.h"
#include "pmu/arm_pmuv3.h"
#include "pmu/clock.h"
#include "pmu/sample.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EM_AARCH64 183
#define MHZ        1000000ULL
#define COUNTERS   2U

/* ---- The model ---- */

static struct {
	uint64_t pmcr, version;
	uint32_t enabled, interrupts, overflowed; /* a bit a counter */
	uint64_t counter[32], type[32];
} model;

static const struct arch_regs regs = { .pc = 0x1234 };

/* Which of counter and type registers reg is. */
static uint64_t *counter_register(uint32_t reg)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		if (reg == PMEVCNTR_EL0(i))
			return &model.counter[i];
		if (reg == PMEVTYPER_EL0(i))
			return &model.type[i];
	}
	if (reg == PMCCNTR_EL0)
		return &model.counter[CYCLE_COUNTER];
	return reg == PMCCFILTR_EL0 ? &model.type[CYCLE_COUNTER] : NULL;
}

static uint64_t model_read(uint32_t reg)
{
	uint64_t *counter = counter_register(reg);

	switch (reg) {
	case ID_AA64DFR0_EL1:
		return model.version << ID_AA64DFR0_PMUVER;
	case PMCR_EL0:
		return model.pmcr | COUNTERS << PMCR_N;
	case PMOVSCLR_EL0:
		return model.overflowed;
	case PMINTENSET_EL1:
		return model.interrupts;
	case PMCEID0_EL0:
		return 1U << EVENT_CPU_CYCLES | 1U << EVENT_INST_RETIRED;
	default:
		return counter ? *counter : 0;
	}
}

static void model_write(uint32_t reg, uint64_t value)
{
	uint64_t *counter = counter_register(reg);

	if (counter)
		*counter = value;
	switch (reg) {
	case PMCR_EL0:
		model.pmcr = value & (PMCR_E | PMCR_LC | PMCR_LP);
		break;
	case PMCNTENSET_EL0:
		model.enabled |= (uint32_t)value;
		break;
	case PMCNTENCLR_EL0:
		model.enabled &= ~(uint32_t)value;
		break;
	case PMINTENSET_EL1:
		model.interrupts |= (uint32_t)value;
		break;
	case PMINTENCLR_EL1:
		model.interrupts &= ~(uint32_t)value;
		break;
	case PMOVSCLR_EL0:
		model.overflowed &= ~(uint32_t)value;
		break;
	default:
		break;
	}
}

static uint64_t mask_of(unsigned counter)
{
	bool wide = counter == CYCLE_COUNTER ? model.pmcr & PMCR_LC : model.pmcr & PMCR_LP;

	return wide ? UINT64_MAX : UINT32_MAX;
}

/* Cycles until the first of the counters overflows, at most this many. */
static uint64_t step(uint64_t cycles)
{
	for (unsigned i = 0; i < 32; i++) {
		uint64_t left = -model.counter[i] & mask_of(i);

		if (model.enabled >> i & 1 && left && left < cycles)
			cycles = left;
	}
	return cycles;
}

/* Every event happens once a cycle, which is 1 ns. An interrupt is taken late cycles late. */
static void count(uint64_t cycles)
{
	host_fake_cycles += cycles;
	for (unsigned i = 0; i < 32; i++) {
		uint64_t before = model.counter[i], mask = mask_of(i);

		if (!(model.enabled >> i & 1) || !(model.pmcr & PMCR_E))
			continue;
		model.counter[i] = (before + cycles) & mask;
		if (cycles && cycles - 1 >= (mask - before))
			model.overflowed |= 1U << i;
	}
}

static void run(uint64_t cycles, uint64_t late)
{
	uint64_t end = host_fake_cycles + cycles;

	while (host_fake_cycles < end) {
		count(step(end - host_fake_cycles));
		if (!(model.overflowed & model.interrupts))
			continue;
		count(late);
		fake_pmi(&regs);
		assert_int_equal(model.overflowed & model.interrupts, 0);
	}
}

/* ---- Events ---- */

static struct perf_event_mmap_page control;
static uint64_t data[65536 / 8];
static uint64_t scratch[RING_LEVELS * 2048 / 8];
static struct ring ring;
static struct perf_event events[COUNTERS + 2];

static void describe(struct perf_event *event, uint32_t type, uint64_t config, uint64_t period)
{
	*event = (struct perf_event){
		.attr = { .type = type,
		          .size = sizeof(event->attr),
		          .config = config,
		          .sample_period = period,
		          .sample_type = SAMPLE_TYPES_SERVED & ~PERF_SAMPLE_CALLCHAIN,
		          .sample_max_stack = 1 },
		.account.id = 7,
		.ring = &ring,
	};
}

static void begin(struct perf_event *event, uint32_t type, uint64_t config, uint64_t period)
{
	describe(event, type, config, period);
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
}

static int set_up(void **state)
{
	(void)state;
	memset(&model, 0xff, sizeof(model)); /* after reset all is unknown */
	model.version = 1;
	model.pmcr = 0;
	fake_machine = EM_AARCH64;
	fake_reg_read = model_read;
	fake_reg_write = model_write;
	host_fake_cycles = 1000 * MHZ;
	clock_set(&machine_clock, 1000 * MHZ, host_fake_cycles);
	return ring_init(&ring, &(struct ring_config){ .control = &control,
	                                               .data = data,
	                                               .size = sizeof(data),
	                                               .max_record = 2048,
	                                               .scratch = scratch });
}

static uint64_t residue(const struct perf_event *event)
{
	return event->count - event->sampled;
}

static void a_sample_comes_each_period_and_the_counts_add_up(void **state)
{
	(void)state;
	begin(&events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
	run(10500, 0);
	event_disable(&events[0]);
	assert_int_equal(events[0].account.generated, 10);
	assert_int_equal(events[0].count, 10500);
	assert_int_equal(events[0].account.period, 10000);
	assert_int_equal(residue(&events[0]), 500);
}

static void a_late_interrupt_makes_one_sample_with_the_true_period(void **state)
{
	(void)state;
	begin(&events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	run(1000, 3300);
	assert_int_equal(events[0].account.generated, 1);
	assert_int_equal(events[0].account.period, 4300);
	run(700, 0); /* back on the grid: due at 5000 */
	event_disable(&events[0]);
	assert_int_equal(events[0].account.generated, 2);
	assert_int_equal(events[0].account.period, 5000);
	assert_int_equal(events[0].account.period + residue(&events[0]), events[0].count);
}

static void however_late_and_whatever_the_period_nothing_is_lost(void **state)
{
	(void)state;
	srand(1);
	for (unsigned round = 0; round < 2000; round++) {
		uint64_t period = 256 + (uint64_t)rand() % 5000;
		uint64_t start, cycles;

		set_up(NULL);
		start = host_fake_cycles;
		begin(&events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, period);
		begin(&events[1], PERF_TYPE_RAW, EVENT_INST_RETIRED, period + 77);
		for (unsigned i = 0; i < 20; i++) {
			run((uint64_t)rand() % 4000, (uint64_t)rand() % 3000);
			if (rand() % 2)
				events[1].pmu->read(&events[1]);
		}
		cycles = host_fake_cycles - start;
		for (unsigned i = 0; i < 2; i++) {
			event_disable(&events[i]);
			assert_int_equal(events[i].count, cycles);
			assert_int_equal(events[i].account.period + residue(&events[i]), cycles);
			assert_true(residue(&events[i]) < period + 77);
		}
	}
}

static void cycles_take_the_cycle_counter_first_and_then_any(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS + 1; i++)
		begin(&events[i], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
	assert_int_equal(events[0].hw.arm_pmuv3.counter, CYCLE_COUNTER);
	assert_int_equal(events[1].hw.arm_pmuv3.counter, 0);
	assert_int_equal(events[2].hw.arm_pmuv3.counter, 1);
	describe(&events[3], PERF_TYPE_RAW, EVENT_CPU_CYCLES, 1000);
	assert_int_equal(event_init(&events[3]), 0);
	assert_int_equal(event_enable(&events[3]), -EAGAIN);
	run(10500, 0);
	for (unsigned i = 0; i < COUNTERS + 1; i++) {
		event_disable(&events[i]);
		assert_int_equal(events[i].account.generated, 10);
		assert_int_equal(events[i].count, 10500);
	}
}

static void a_period_beyond_32_bits_needs_no_wide_counter(void **state)
{
	(void)state;
	for (model.version = 1; model.version <= PMUVER_V3P5; model.version += PMUVER_V3P5 - 1) {
		begin(&events[0], PERF_TYPE_RAW, EVENT_INST_RETIRED, 10ULL << 32);
		run(25ULL << 32, 100);
		event_disable(&events[0]);
		assert_int_equal(events[0].account.generated, 2);
		assert_int_equal(events[0].account.period + residue(&events[0]), events[0].count);
		assert_true(events[0].count >= 25ULL << 32);
	}
}

static void a_frequency_is_approached(void **state)
{
	(void)state;
	describe(&events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 10000);
	events[0].attr.flags = PERF_ATTR_FREQ;
	clock_set(&machine_clock, 100 * MHZ, host_fake_cycles); /* ten times fewer than assumed */
	assert_int_equal(event_init(&events[0]), 0);
	assert_int_equal(event_enable(&events[0]), 0);
	run(10 * MHZ, 0); /* 100 ms to settle */
	events[0].account.generated = 0;
	run(100 * MHZ, 0);
	event_disable(&events[0]);
	assert_in_range(events[0].account.generated, 9900, 10100);
}

static void modifiers_choose_the_exception_levels(void **state)
{
	static const struct {
		uint64_t flags;
		uint32_t bits;
	} cases[] = {
		{ 0, 0 },
		{ PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV, PMEVTYPER_P },
		{ PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_HV, PMEVTYPER_U },
		{ PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL,
		  PMEVTYPER_U | PMEVTYPER_P | PMEVTYPER_NSH },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		describe(&events[0], PERF_TYPE_RAW, 0x1234, 1000);
		events[0].attr.flags = cases[i].flags;
		assert_int_equal(event_init(&events[0]), 0);
		assert_int_equal(event_enable(&events[0]), 0);
		assert_int_equal(model.type[0], 0x1234 | cases[i].bits);
		event_disable(&events[0]);
	}
}

static void what_the_pmu_cannot_count_is_not_served(void **state)
{
	(void)state;
	describe(&events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 1000);
	assert_int_equal(event_init(&events[0]), -ENOENT); /* not in PMCEID */
	describe(&events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 1000);
	assert_int_equal(event_init(&events[0]), -ENOENT);
	describe(&events[0], PERF_TYPE_RAW, 0x10000, 1000);
	assert_int_equal(event_init(&events[0]), -ENOENT);
	describe(&events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 255);
	assert_int_equal(event_init(&events[0]), -EINVAL);
	events[0].attr.sample_period = 1ULL << 62;
	assert_int_equal(event_init(&events[0]), -EINVAL);
}

static void a_machine_without_pmuv3_says_why(void **state)
{
	static const uint64_t versions[] = { 0, ID_AA64DFR0_PMUVER_IMP };
	const char *why;

	(void)state;
	assert_int_equal(pmu_arm_pmuv3.probe(&why), 0);
	for (unsigned i = 0; i < 2; i++) {
		model.version = versions[i];
		assert_int_equal(pmu_arm_pmuv3.probe(&why), -ENODEV);
		assert_non_null(strstr(why, "no PMUv3"));
		describe(&events[0], PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000);
		assert_int_equal(event_init(&events[0]), -ENOENT);
	}
	fake_machine = 62;
	assert_int_equal(pmu_arm_pmuv3.probe(&why), -ENODEV);
	assert_non_null(strstr(why, "no Arm"));
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS + 2; i++)
		event_disable(&events[i]);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sample_comes_each_period_and_the_counts_add_up),
		TEST(a_late_interrupt_makes_one_sample_with_the_true_period),
		TEST(however_late_and_whatever_the_period_nothing_is_lost),
		TEST(cycles_take_the_cycle_counter_first_and_then_any),
		TEST(a_period_beyond_32_bits_needs_no_wide_counter),
		TEST(a_frequency_is_approached),
		TEST(modifiers_choose_the_exception_levels),
		TEST(what_the_pmu_cannot_count_is_not_served),
		TEST(a_machine_without_pmuv3_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
