/* SPDX-License-Identifier: MIT */
/* The driver of AMD's instruction-based sampling on modelled registers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/x86_64/pmu/ibs.h"
#include "pmu/precise.h"
#include "pmu/throttle.h"
#include "pmu/x86/ibs/amd_ibs.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/ibs/ibs_model.h"

#define model   (ibs_model)
#define OPS     (1U << IBS_OP_CNT_CTL)
#define ENTRY   IBS_MODEL_ENTRY
#define ADDRESS 0xffff800000123456ULL

/* The newest sample: its header, IP and PERIOD, which every event here has. */
static const uint64_t *newest(const struct perf_event *event)
{
	const struct ring *ring = event->ring;
	uint64_t end = ring_load(&ring->published);

	assert_true(end >= 24);
	return (const uint64_t *)(const void *)(ring->data + (end - 24) % ring->size);
}

static bool is_exact(const struct perf_event *event)
{
	return newest(event)[0] >> 32 & PERF_RECORD_MISC_EXACT_IP;
}

static void conserved(const struct perf_event *event)
{
	assert_int_equal(event->account.period + (event->count - event->sampled), event->count);
	assert_int_equal(precise_ledgers[0].records, event->precise + precise_ledgers[0].foreign);
	assert_int_equal(event->account.generated, event->precise);
	assert_int_equal(model.faults, 0);
}

static void ops_cycles_and_fetches_are_sampled_each_period(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config, period;
	} cases[] = {
		{ PERF_TYPE_IBS_OP, 0, 1000 },        { PERF_TYPE_IBS_OP, OPS, 1009 },
		{ PERF_TYPE_IBS_OP, OPS, 300000000 }, { PERF_TYPE_IBS_FETCH, 0, 1008 },
		{ PERF_TYPE_IBS_FETCH, 0, 2000000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event *event = &rig_events[0];
		uint64_t total = 20 * cases[i].period, step = cases[i].period / 1000;

		ibs_model_power_on(ZEN_2);
		*ibs_model_register(IBS_OP_RIP) = ADDRESS;
		*ibs_model_register(IBS_FETCH_LINADDR) = ADDRESS;
		rig_begin(event, cases[i].type, cases[i].config, cases[i].period);
		rig_run(total, step, ibs_model_count_on);
		assert_in_range(event->account.generated, 19, 20);
		assert_int_equal(newest(event)[1], ADDRESS);
		assert_true(is_exact(event));
		event_disable(event);
		assert_in_range(event->count, total - 64 * step - 320, total);
		conserved(event);
		assert_int_equal(*ibs_model_register(IBS_OP_CTL), 0);
		assert_int_equal(model.lvt[ENTRY], APIC_EXTENDED_MASKED);
	}
}

static void the_cpus_random_bits_vary_the_distance_around_the_period(void **state)
{
	struct perf_event *event = &rig_events[0];
	unsigned different = 0;
	uint64_t last = 0;

	(void)state;
	ibs_model_power_on(ZEN_4);
	rig_begin(event, PERF_TYPE_IBS_OP, OPS, 1000);
	for (unsigned i = 0; i < 100; i++) {
		model.random = (i * i * 37 ^ i) % 128;
		rig_run(1000, 1, ibs_model_count_on);
		if (!event->account.generated)
			continue;
		different += newest(event)[2] != last;
		last = newest(event)[2];
		assert_in_range(last, 1000 - 127, 1000 + 127);
	}
	assert_true(different > 70);
	assert_in_range(event->account.generated, 98, 100);
	event_disable(event);
	conserved(event);
}

static void a_short_period_never_samples_the_handlers_exit(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	ibs_model_power_on(ZEN_4);
	rig_begin(event, PERF_TYPE_IBS_OP, 0, 16);
	rig_run(25600, 1, ibs_model_count_on);
	event_disable(event);
	assert_int_equal(event->account.generated, 100);
	conserved(event);
}

static void a_unit_keeps_its_place_while_the_others_sample_is_taken(void **state)
{
	struct perf_event *op = &rig_events[0], *fetch = &rig_events[1];

	(void)state;
	ibs_model_power_on(ZEN_5);
	rig_begin(op, PERF_TYPE_IBS_OP, 0, 1000);
	rig_begin(fetch, PERF_TYPE_IBS_FETCH, 0, 1600);
	rig_run(160000, 1, ibs_model_count_on);
	assert_in_range(op->account.generated, 150, 160);
	assert_in_range(fetch->account.generated, 90, 100);
	event_disable(op);
	assert_int_equal(*ibs_model_register(IBS_OP_CTL), 0);
	assert_true(*ibs_model_register(IBS_FETCH_CTL) & IBS_FETCH_EN);
	assert_int_equal(model.lvt[ENTRY], APIC_EXTENDED_NMI);
	event_disable(fetch);
	assert_int_equal(precise_ledgers[0].records, op->precise + fetch->precise);
	assert_in_range(op->count, 160000 - 100, 160000);
	assert_int_equal(model.faults, 0);
}

/* The ways in which a sample is not the event's. */
enum { LEVEL, NESTED, IN_ENTRIES, WAYS };

static void begin_filtered(struct perf_event *event, unsigned way)
{
	ibs_model_power_on(ZEN_2);
	*ibs_model_register(IBS_OP_RIP) = 0x5050;
	rig_describe(event, PERF_TYPE_IBS_OP, OPS, 1000);
	event->attr.flags |= way == LEVEL ? PERF_ATTR_EXCLUDE_USER : 0;
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
	rig_run(10000, 1, ibs_model_count_on);
	assert_int_equal(event->account.generated, 10);
	fake_nested = way == NESTED;
	fake_entries = 0x5000;
	fake_entries_size = way == IN_ENTRIES ? 0x100 : 0;
}

static void samples_of_another_level_and_of_handlers_are_filtered(void **state)
{
	static const struct arch_regs user = { .pc = 0x1234, .user = true };
	struct perf_event *event = &rig_events[0];

	(void)state;
	for (unsigned way = 0; way < WAYS; way++) {
		begin_filtered(event, way);
		for (unsigned i = 0; i < 10; i++) {
			host_fake_cycles += 1000;
			if (ibs_model_count_on(1000))
				fake_pmi(way == LEVEL ? &user : &rig_regs);
		}
		assert_int_equal(event->account.generated, 10);
		assert_int_equal(precise_ledgers[0].foreign, 10);
		/* of a level that is excluded nothing is counted, of handlers everything */
		assert_int_equal(event->count, way == LEVEL ? 10000 : 20000);
		fake_nested = false;
		fake_entries_size = 0;
		rig_run(1000, 1, ibs_model_count_on);
		assert_int_equal(newest(event)[2], way == LEVEL ? 1000 : 11000);
		event_disable(event);
		conserved(event);
	}
}

static void an_op_without_an_address_has_the_interrupts(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	ibs_model_power_on(ZEN_2);
	*ibs_model_register(IBS_OP_DATA) = IBS_OP_DATA_RIP_INVALID;
	rig_begin(event, PERF_TYPE_IBS_OP, 0, 1000);
	rig_run(1000, 1, ibs_model_count_on);
	assert_int_equal(newest(event)[1], rig_regs.pc);
	assert_false(is_exact(event));
	event_disable(event);
	conserved(event);
}

static void a_sample_that_waits_at_the_stop_is_written(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	ibs_model_power_on(ZEN_2);
	*ibs_model_register(IBS_OP_RIP) = ADDRESS;
	rig_begin(event, PERF_TYPE_IBS_OP, 0, 1000);
	assert_true(ibs_model_count_on(1008)); /* and the interrupt is late */
	event_disable(event);
	assert_int_equal(event->account.generated, 1);
	assert_int_equal(newest(event)[1], ADDRESS);
	assert_int_equal(event->count, 1000);
	conserved(event);
}

static void throttling_stops_the_counter(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	ibs_model_power_on(ZEN_2);
	rig_describe(event, PERF_TYPE_IBS_OP, 0, 1000);
	throttle_set(event, 10000); /* 10 in a tick's ms */
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
	rig_run(100000, 1, ibs_model_count_on);
	assert_int_equal(event->state, EVENT_THROTTLED);
	assert_in_range(event->precise, 9, 21);
	assert_int_equal(*ibs_model_register(IBS_OP_CTL), 0);
	event_disable(event);
	assert_int_equal(event->count, 1000 * event->precise);
	assert_int_equal(event->account.period, event->count);
	assert_int_equal(precise_ledgers[0].records, event->precise);
}

static void leftovers_of_firmware_are_off(void **state)
{
	(void)state;
	ibs_model_power_on(ZEN_5);
	*ibs_model_register(IBS_FETCH_CTL) = IBS_FETCH_EN | IBS_FETCH_VAL | 0x100;
	*ibs_model_register(IBS_OP_CTL) = IBS_OP_EN | 0x100;
	model.lvt[ENTRY] = APIC_EXTENDED_MASKED | 0x33;
	rig_begin(&rig_events[0], PERF_TYPE_IBS_OP, 0, 1000);
	assert_int_equal(*ibs_model_register(IBS_FETCH_CTL), 0);
	assert_int_equal(model.lvt[ENTRY], APIC_EXTENDED_NMI);
	rig_run(10000, 1, ibs_model_count_on);
	assert_int_equal(rig_events[0].account.generated, 10);
	event_disable(&rig_events[0]);
	assert_int_equal(model.lvt[ENTRY], APIC_EXTENDED_MASKED | 0x33);
}

static int code_of(uint32_t type, uint64_t config, uint64_t config1, unsigned level)
{
	struct perf_event *event = &rig_events[0];

	rig_describe(event, type, config, 1600);
	event->attr.config1 = config1;
	event->attr.flags |= (uint64_t)level << PERF_ATTR_PRECISE_IP;
	return event_init(event);
}

static void terms_need_their_features(void **state)
{
	(void)state;
	ibs_model_power_on(0);
	assert_int_equal(code_of(PERF_TYPE_IBS_OP, 0, 0, 0), -ENODEV);
	ibs_model_power_on(ZEN_5);
	*ibs_model_register(IBS_CTL) = 0;
	assert_int_equal(code_of(PERF_TYPE_IBS_OP, 0, 0, 0), -EBUSY);
	ibs_model_power_on(ZEN_2);
	assert_int_equal(code_of(PERF_TYPE_IBS_OP, 1U << IBS_OP_L3_MISS, 0, 0), -EOPNOTSUPP);
	assert_int_equal(code_of(PERF_TYPE_IBS_FETCH, 1ULL << IBS_FETCH_L3_MISS, 0, 0),
	                 -EOPNOTSUPP);
	ibs_model_power_on(ZEN_4);
	assert_int_equal(code_of(PERF_TYPE_IBS_OP, 1U << IBS_OP_L3_MISS, 0, 0), 0);
	assert_int_equal(code_of(PERF_TYPE_IBS_OP, 0, 128, 0), -EOPNOTSUPP);
	ibs_model_power_on(ZEN_5);
	assert_int_equal(code_of(PERF_TYPE_IBS_OP, 0, 127, 0), -EINVAL);
	assert_int_equal(code_of(PERF_TYPE_IBS_OP, 0, 2049, 0), -EINVAL);
	assert_int_equal(code_of(PERF_TYPE_IBS_OP, 0, 2048, 0), 0);
	assert_true(amd_ibs_of(&rig_events[0])->config >> IBS_OP_L3_MISS & 1);
	assert_int_equal(amd_ibs_of(&rig_events[0])->config >> IBS_OP_LATENCY, 0x1f);
}

static void precise_cycles_and_ops_are_ibs(void **state)
{
	(void)state;
	ibs_model_power_on(ZEN_4);
	assert_int_equal(code_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 1), 0);
	assert_ptr_equal(rig_events[0].pmu, &pmu_ibs_op);
	assert_int_equal(amd_ibs_of(&rig_events[0])->config, 0);
	assert_int_equal(code_of(PERF_TYPE_RAW, 0x76, 0, 2), 0);
	assert_int_equal(code_of(PERF_TYPE_RAW, 0xc1, 0, 2), 0);
	assert_int_equal(amd_ibs_of(&rig_events[0])->config, OPS);
	assert_int_equal(code_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 3), -EOPNOTSUPP);
	assert_int_equal(code_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 1),
	                 -EOPNOTSUPP);
	assert_int_equal(code_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0), 0);
	assert_ptr_not_equal(rig_events[0].pmu, &pmu_ibs_op);
}

static void a_cpu_samples_one_event_of_a_unit(void **state)
{
	(void)state;
	ibs_model_power_on(ZEN_4);
	rig_begin(&rig_events[0], PERF_TYPE_IBS_OP, 0, 1600);
	rig_describe(&rig_events[1], PERF_TYPE_IBS_OP, OPS, 1600);
	assert_int_equal(event_init(&rig_events[1]), 0);
	assert_int_equal(event_enable(&rig_events[1]), -EAGAIN);
	event_disable(&rig_events[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ops_cycles_and_fetches_are_sampled_each_period),
		cmocka_unit_test(the_cpus_random_bits_vary_the_distance_around_the_period),
		cmocka_unit_test(a_short_period_never_samples_the_handlers_exit),
		cmocka_unit_test(a_unit_keeps_its_place_while_the_others_sample_is_taken),
		cmocka_unit_test(samples_of_another_level_and_of_handlers_are_filtered),
		cmocka_unit_test(an_op_without_an_address_has_the_interrupts),
		cmocka_unit_test(a_sample_that_waits_at_the_stop_is_written),
		cmocka_unit_test(throttling_stops_the_counter),
		cmocka_unit_test(leftovers_of_firmware_are_off),
		cmocka_unit_test(terms_need_their_features),
		cmocka_unit_test(precise_cycles_and_ops_are_ibs),
		cmocka_unit_test(a_cpu_samples_one_event_of_a_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
