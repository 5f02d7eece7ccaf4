/* SPDX-License-Identifier: MIT */
/* Precise samples from records of formats 3 and 4, on modelled registers and memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "pmu/precise.h"
#include "pmu/sample.h"
#include "pmu/x86/debug_store.h"
#include "pmu/x86/intel_pebs.h"
#include "pmu/x86/intel_pebs_record.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/intel_model.h"

#define model (intel_models[0])

static const unsigned formats[] = { 3, 4 };
#define EACH_FORMAT(i) (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)

static uint64_t memory[INTEL_PEBS_MEMORY / 8];

static void power_on(unsigned format)
{
	intel_model_power_on(4, true);
	model.debug_store = true;
	model.pebs.format = format;
	model.pebs.ip = 0x4000;
	precise_ledgers[0] = (struct tr_precise_ledger){ 0 };
}

static void describe(struct perf_event *event, uint64_t config, uint64_t period)
{
	rig_describe(event, PERF_TYPE_HARDWARE, config, period);
	event->attr.flags |= 1ULL << PERF_ATTR_PRECISE_IP;
	event->memory = memory;
}

static int begin(struct perf_event *event, uint64_t config, uint64_t period)
{
	int code;

	describe(event, config, period);
	code = event_init(event);
	return code ? code : event_enable(event);
}

static void tick(struct perf_event *event)
{
	event->pmu->poll(event);
}

/* The next record of the ring from position *at on; *at is advanced. */
static const uint64_t *next_record(const struct perf_event *event, uint64_t *at)
{
	const uint64_t *record = (const uint64_t *)(event->ring->data + (*at & event->ring->mask));

	*at += record[0] >> 48;
	return record;
}

static void every_period_has_one_exact_sample(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	for
		EACH_FORMAT(f)
		{
			uint64_t at = 0;

			power_on(formats[f]);
			assert_int_equal(begin(event, PERF_COUNT_HW_CPU_CYCLES, 1000), 0);
			for (unsigned i = 0; i < 10; i++) {
				model.pebs.ip = 0x4000 + i;
				rig_run(1000, 1, intel_model_count_on);
			}
			assert_int_equal(event->account.generated, 0); /* the area is not full */
			tick(event);
			assert_int_equal(event->account.generated, 10);
			for (unsigned i = 0; i < 10; i++) {
				const uint64_t *record = next_record(event, &at);

				assert_int_equal(record[0] & UINT32_MAX, PERF_RECORD_SAMPLE);
				assert_int_equal(record[0] >> 32 & 0xffff,
				                 PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
				assert_int_equal(record[1], 0x4000 + i);
				assert_int_equal(record[2], 1000);
			}
			rig_run(400, 1, intel_model_count_on);
			event_disable(event);
			assert_int_equal(event->count, 10400);
			assert_int_equal(event->sampled, 10000);
			assert_int_equal(event->precise, 10);
			assert_int_equal(precise_ledgers[0].records, 10);
			assert_int_equal(model.faults, 0);
			assert_int_equal(model.pebs.enable, 0);
			assert_int_equal(model.pebs.ds_area, 0);
		}
}

static void a_full_half_only_switches(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	for
		EACH_FORMAT(f)
		{
			unsigned n = 0;

			power_on(formats[f]);
			assert_int_equal(begin(event, PERF_COUNT_HW_INSTRUCTIONS, 100), 0);
			while (!(model.status & 1ULL << 62) && n++ < 1000) {
				if (intel_model_count_on(100))
					break;
			}
			assert_in_range(n, 50, 200);
			fake_pmi(&rig_regs);
			assert_int_equal(event->account.generated, 0);
			assert_int_equal(model.status, 0);
			event_read(event);
			assert_int_equal(event->count, (uint64_t)model.pebs.records * 100);
			/* both halves full, without a tick: the handler makes the samples */
			rig_run(100UL * n, 100, intel_model_count_on);
			assert_true(event->account.generated > n);
			event_disable(event);
			assert_int_equal(event->account.generated, model.pebs.records);
			assert_int_equal(model.pebs.dropped, 0);
			assert_int_equal(precise_ledgers[0].full, 0);
		}
}

static void records_without_room_are_noticed(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	power_on(3);
	assert_int_equal(begin(event, PERF_COUNT_HW_INSTRUCTIONS, 100), 0);
	for (unsigned i = 0; i < 1000; i++)
		intel_model_count_on(
		    100); /* the interrupt is lost, so the tick makes the samples */
	tick(event);
	assert_true(model.pebs.dropped > 0);
	assert_int_equal(precise_ledgers[0].full, 1);
	assert_int_equal(event->account.generated, model.pebs.records);
	event_disable(event);
}

static void one_record_serves_several_events(void **state)
{
	(void)state;
	for
		EACH_FORMAT(f)
		{
			power_on(formats[f]);
			assert_int_equal(begin(&rig_events[0], PERF_COUNT_HW_INSTRUCTIONS, 500), 0);
			assert_int_equal(
			    begin(&rig_events[1], PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000), 0);
			rig_run(10000, 1, intel_model_count_on);
			for (unsigned i = 0; i < 2; i++)
				event_disable(&rig_events[i]);
			assert_int_equal(rig_events[0].account.generated, 20);
			assert_int_equal(rig_events[1].account.generated, 10);
			assert_int_equal(precise_ledgers[0].records, 20);
			assert_int_equal(precise_ledgers[0].common, 10);
			assert_int_equal(precise_ledgers[0].foreign, 0);
		}
}

static void a_callchain_has_an_interrupt_for_each_record(void **state)
{
	static uint64_t stack[8];
	struct perf_event *event = &rig_events[0];

	(void)state;
	stack[0] = (uint64_t)&stack[2];
	stack[1] = 0x5678;
	fake_stack_low = (uint64_t)stack;
	fake_stack_high = (uint64_t)(stack + 8);
	for
		EACH_FORMAT(f)
		{
			uint64_t at = 0;
			const uint64_t *record;

			power_on(formats[f]);
			model.pebs.fp = model.pebs.sp = (uint64_t)stack;
			describe(event, PERF_COUNT_HW_CPU_CYCLES, 1000);
			event->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
			event->attr.sample_max_stack = 8;
			assert_int_equal(event_init(event), 0);
			assert_int_equal(event_enable(event), 0);
			rig_run(3000, 1, intel_model_count_on);
			assert_int_equal(event->account.generated, 3);
			record = next_record(event, &at);
			assert_int_equal(record[3], 3);
			assert_int_equal(record[4], PERF_CONTEXT_USER);
			assert_int_equal(record[5], 0x4000);
			assert_int_equal(record[6], 0x5678);
			event_disable(event);
		}
	fake_stack_high = 0;
}

static void events_beside_it_keep_their_interrupts(void **state)
{
	struct perf_event *event = &rig_events[1];

	(void)state;
	power_on(3);
	assert_int_equal(begin(&rig_events[0], PERF_COUNT_HW_INSTRUCTIONS, 100), 0);
	rig_begin(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000);
	rig_run(10000, 1, intel_model_count_on);
	assert_int_equal(event->account.generated, 10);
	event_disable(event);
	event_disable(&rig_events[0]);
	assert_int_equal(rig_events[0].account.generated, 100);
	assert_int_equal(event->count, 10000);
	assert_int_equal(rig_events[0].count, 10000);
}

static void a_frequency_adapts_at_the_tick(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	power_on(3);
	describe(event, PERF_COUNT_HW_CPU_CYCLES, 10000);
	event->attr.flags |= PERF_ATTR_FREQ;
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
	for (unsigned i = 0; i < 40; i++) { /* first one event each ns, then two */
		rig_run(1000000, 1000, intel_model_count_on);
		tick(event);
	}
	assert_in_range(event->sampling.period, 99000, 101000);
	assert_in_range(event->account.generated, 390, 410);
	event_disable(event);
	assert_int_equal(event->count, event->account.period + event->count - event->sampled);
}

static int begin_raw(struct perf_event *event, uint64_t config, uint64_t config1, bool precise)
{
	int code;

	describe(event, config, 1000);
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config1 = config1;
	if (!precise)
		event->attr.flags = 0;
	event->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT_STRUCT |
	                          PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR;
	code = event_init(event);
	return code ? code : event_enable(event);
}

static void accesses_to_memory_have_address_latency_and_source(void **state)
{
	static const struct {
		uint64_t config, config1, source, latency, weight, data_src;
		bool implied; /* without :p */
	} cases[] = {
		/* events that record loads above a latency: a hit of level 2 with a TLB miss, on a
		 * locked access */
		{ 0x01cd, 30, 0x03, 14, 14, 0x02 | 0x22 << 5 | 2 << 19 | 0x1aULL << 26 | 2ULL << 33,
		  true },
		{ 0x01cd, 0, 0x31, 4, 4,
		  0x02 | 0x0a << 5 | 2 << 19 | 2 << 24 | 0x14ULL << 26 | 1ULL << 33, true },
		/* events that record stores: a hit of level 1, and a miss */
		{ 0x82d0, 0, 0x01, 0, 0, 0x04 | 0x0a << 5 | 1 << 19 | 0x1aULL << 26 | 1ULL << 33,
		  true },
		{ 0x82d0, 0, 0x00, 0, 0, 0x04 | 0x0c << 5 | 1 << 19 | 0x1aULL << 26 | 1ULL << 33,
		  false },
		/* all loads, whose record names no level; and another event */
		{ 0x81d0, 0, 0x03, 9, 0, 0x05080022, false },
		{ 0x20c4, 0, 0x03, 9, 0, 0x05080021, false },
	};

	(void)state;
	for
		EACH_FORMAT(f)
		{
			for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
				struct perf_event *event = &rig_events[0];
				const uint64_t *record;
				uint64_t at = 0;

				power_on(formats[f]);
				model.pebs.address = 0x7000;
				model.pebs.source = cases[i].source;
				model.pebs.latency = cases[i].latency;
				assert_int_equal(begin_raw(event, cases[i].config, cases[i].config1,
				                           !cases[i].implied),
				                 0);
				assert_int_equal(event->attr.flags >> PERF_ATTR_PRECISE_IP & 3, 1);
				assert_int_equal(model.pebs.enable,
				                 cases[i].config == 0x01cd ? 0x100000001 : 1);
				assert_int_equal(model.pebs.ld_lat, cases[i].config != 0x01cd ? 0
				                                    : cases[i].config1        ? 30
				                                                              : 3);
				rig_run(1000, 1, intel_model_count_on);
				event_disable(event);
				record = next_record(event, &at);
				assert_int_equal(record[2], 0x7000);
				assert_int_equal(record[3], cases[i].weight);
				assert_true(record[4] == cases[i].data_src);
				assert_int_equal(record[5], 0x7000);
				assert_int_equal(model.pebs.ld_lat, 0);
				assert_int_equal(model.pebs.enable, 0);
				assert_int_equal(model.faults, 0);
			}
		}
}

/* Golden Cove has the cache's latency and the instruction's. */
static void two_latencies_are_both_parts_of_the_weight(void **state)
{
	uint64_t record[32] = { [6] = 0x002000000030 };
	struct intel_pebs_sample sample;
	struct intel_pebs_form form;

	(void)state;
	power_on(4);
	form = intel_pebs_form();
	intel_pebs_record_read(&form, record, &sample);
	assert_true(sample.weight == (0x20 | 0x30ULL << 32));
}

static void a_cpu_has_one_threshold_of_latency(void **state)
{
	(void)state;
	power_on(3);
	assert_int_equal(begin_raw(&rig_events[0], 0x01cd, 30, true), 0);
	assert_int_equal(begin_raw(&rig_events[1], 0x01cd, 31, true), -EBUSY);
	assert_non_null(strstr(rig_events[1].why, "ldlat"));
	assert_int_equal(begin_raw(&rig_events[1], 0x01cd, 30, true), 0);
	event_disable(&rig_events[1]);
	event_disable(&rig_events[0]);
	assert_int_equal(begin_raw(&rig_events[0], 0x20c4, 30, true), -EINVAL);
	assert_non_null(strstr(rig_events[0].why, "ldlat"));
}

static void it_is_refused_with_the_reason(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	for (unsigned format = 0; format < 3; format++) {
		power_on(format);
		assert_int_equal(begin(event, PERF_COUNT_HW_CPU_CYCLES, 1000), -ENODEV);
		assert_non_null(strstr(event->why, "PEBS"));
	}
	power_on(7);
	assert_int_equal(begin(event, PERF_COUNT_HW_CPU_CYCLES, 1000), -ENODEV);
	power_on(3);
	assert_int_equal(begin(event, PERF_COUNT_HW_CACHE_REFERENCES, 1000), -EOPNOTSUPP);
	model.misc_enable = MISC_ENABLE_PEBS_UNAVAILABLE;
	assert_int_equal(begin(event, PERF_COUNT_HW_CPU_CYCLES, 1000), -ENODEV);
	power_on(3);
	assert_true(debug_store_take(0, DEBUG_STORE_BTS));
	assert_int_equal(begin(event, PERF_COUNT_HW_CPU_CYCLES, 1000), -EBUSY);
	assert_non_null(strstr(event->why, "branch trace"));
	debug_store_leave(0);
	assert_int_equal(begin(event, PERF_COUNT_HW_CPU_CYCLES, 1000), 0);
	assert_false(debug_store_take(0, DEBUG_STORE_BTS));
	event_disable(event);
	assert_true(debug_store_take(0, DEBUG_STORE_BTS));
	debug_store_leave(0);
}

static void cycles_are_a_precise_event_before_the_baseline(void **state)
{
	static const struct {
		unsigned format, level;
		uint64_t select;
		unsigned counter;
	} cases[] = {
		{ 3, 1, 0x108000c0, 0 },
		{ 3, 3, 0x108001c0, 1 },
		{ 4, 3, 0x40000003c, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event *event = &rig_events[0];

		power_on(cases[i].format);
		describe(event, PERF_COUNT_HW_CPU_CYCLES, 1000);
		event->attr.flags |= (uint64_t)cases[i].level << PERF_ATTR_PRECISE_IP;
		assert_int_equal(event_init(event), 0);
		assert_int_equal(event_enable(event), 0);
		assert_int_equal(model.select[cases[i].counter] &
		                     ~(PERFEVTSEL_OS | PERFEVTSEL_USR | PERFEVTSEL_EN),
		                 cases[i].select);
		event_disable(event);
		assert_int_equal(model.faults, 0);
	}
}

static void registers_of_firmware_are_given_back(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	power_on(4);
	model.pebs.ds_area = 0x1234;
	model.pebs.data_cfg = 8;
	assert_int_equal(begin(event, PERF_COUNT_HW_CPU_CYCLES, 1000), 0);
	assert_int_not_equal(model.pebs.ds_area, 0x1234);
	event_disable(event);
	assert_int_equal(model.pebs.ds_area, 0x1234);
	assert_int_equal(model.pebs.data_cfg, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_period_has_one_exact_sample),
		cmocka_unit_test(a_full_half_only_switches),
		cmocka_unit_test(records_without_room_are_noticed),
		cmocka_unit_test(one_record_serves_several_events),
		cmocka_unit_test(a_callchain_has_an_interrupt_for_each_record),
		cmocka_unit_test(events_beside_it_keep_their_interrupts),
		cmocka_unit_test(a_frequency_adapts_at_the_tick),
		cmocka_unit_test(accesses_to_memory_have_address_latency_and_source),
		cmocka_unit_test(two_latencies_are_both_parts_of_the_weight),
		cmocka_unit_test(a_cpu_has_one_threshold_of_latency),
		cmocka_unit_test(it_is_refused_with_the_reason),
		cmocka_unit_test(cycles_are_a_precise_event_before_the_baseline),
		cmocka_unit_test(registers_of_firmware_are_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, intel_model_off);
}
