/* SPDX-License-Identifier: MIT */
/* Registers of AMD's instruction-based sampling as fields of samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/x86_64/pmu/ibs.h"
#include "pmu/x86/ibs/amd_ibs.h"
#include "pmu/x86/ibs/amd_ibs_sample.h"
#include "pmu/x86/perf_mem.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/ibs/ibs_model.h"

#define LOAD  ((uint64_t)IBS_OP_DATA3_LOAD | IBS_OP_DATA3_LINEAR_VALID)
#define STORE ((uint64_t)IBS_OP_DATA3_STORE | IBS_OP_DATA3_LINEAR_VALID)
#define DC    ((uint64_t)IBS_OP_DATA3_DC_MISS)
#define L2    ((uint64_t)IBS_OP_DATA3_L2_MISS)

#define HIT(level, number) (MEM_LVL(LVL_HIT | (level)) | MEM_NUM(number))
#define NOWHERE            (MEM_LVL(LVL_NA) | MEM_NUM(NUM_NA))
#define FAR                (MEM_REMOTE | MEM_HOPS(1))
#define HITM               MEM_SNOOP(SNOOP_HITM)
#define REST               (MEM_LOCK_NA | MEM_TLB(TLB_L1 | TLB_HIT))

/* Linux 6.15 has the same table. */
static void data_sources_are_perfs(void **state)
{
	static const struct {
		uint64_t data2, data3, zen2, zen5; /* the latter without snoop N/A */
	} cases[] = {
		{ 0, LOAD, HIT(LVL_L1, NUM_L1), HIT(LVL_L1, NUM_L1) },
		{ 0, STORE, HIT(LVL_L1, NUM_L1), HIT(LVL_L1, NUM_L1) },
		{ 0, LOAD | DC, HIT(LVL_L2, NUM_L2), HIT(LVL_L2, NUM_L2) },
		{ 0x22, LOAD | DC | L2, HIT(LVL_L3 | LVL_REMOTE_CACHE, NUM_ANY),
		  HIT(LVL_REMOTE_CACHE, NUM_ANY) | MEM_REMOTE },
		{ 0x02, LOAD | DC | L2, HIT(LVL_L3 | LVL_REMOTE_CACHE, NUM_ANY) | HITM,
		  HIT(LVL_REMOTE_CACHE, NUM_ANY) | MEM_REMOTE | HITM },
		{ 0x21, LOAD | DC | L2, NOWHERE, HIT(LVL_L3, NUM_L3) },
		{ 0x01, LOAD | DC | L2, NOWHERE, HIT(LVL_L3, NUM_L3) | HITM },
		{ 0x03, LOAD | DC | L2, HIT(LVL_RAM, NUM_RAM), HIT(LVL_RAM, NUM_RAM) },
		{ 0x13, LOAD | DC | L2, HIT(LVL_REMOTE_RAM, NUM_RAM) | FAR,
		  HIT(LVL_REMOTE_RAM, NUM_RAM) | FAR },
		{ 0x04, LOAD | DC | L2, HIT(LVL_FAR_CACHE, NUM_ANY) | FAR, NOWHERE },
		{ 0x25, LOAD | DC | L2, NOWHERE, HIT(LVL_FAR_CACHE, NUM_ANY) | FAR },
		{ 0x07, LOAD | DC | L2, HIT(LVL_IO, NUM_IO), HIT(LVL_IO, NUM_IO) },
		{ 0x40, LOAD | DC | L2, NOWHERE, MEM_NUM(NUM_CXL) },
		{ 0x50, LOAD | DC | L2, NOWHERE, MEM_NUM(NUM_CXL) | FAR },
		{ 0x03, STORE | DC | L2, NOWHERE, NOWHERE },
		{ 0, STORE | DC | L2 | IBS_OP_DATA3_NO_MAB, HIT(LVL_LFB, NUM_LFB),
		  HIT(LVL_LFB, NUM_LFB) },
		{ 0, LOAD | IBS_OP_DATA3_UNCACHED, HIT(LVL_UNCACHED, NUM_UNCACHED),
		  HIT(LVL_UNCACHED, NUM_UNCACHED) },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t data2 = cases[i / 2].data2, data3 = cases[i / 2].data3;
		uint64_t wanted = i % 2 ? cases[i / 2].zen5 : cases[i / 2].zen2;

		wanted |= (wanted & HITM ? 0 : MEM_SNOOP(SNOOP_NA)) | REST |
		          (data3 & IBS_OP_DATA3_LOAD ? MEM_OP_LOAD : MEM_OP_STORE);
		assert_int_equal(amd_ibs_data_src(data2, data3, i % 2 ? ZEN_5 : ZEN_2), wanted);
	}
}

static void locks_and_translations_are_perfs(void **state)
{
	static const struct {
		uint64_t data3, wanted;
	} cases[] = {
		{ LOAD | IBS_OP_DATA3_LOCKED, MEM_LOCKED | MEM_TLB(TLB_L1 | TLB_HIT) },
		{ LOAD | IBS_OP_DATA3_L1_TLB_MISS, MEM_LOCK_NA | MEM_TLB(TLB_L2 | TLB_HIT) },
		{ LOAD | IBS_OP_DATA3_L1_TLB_MISS | IBS_OP_DATA3_L2_TLB_MISS,
		  MEM_LOCK_NA | MEM_TLB(TLB_L2 | TLB_MISS) },
		{ IBS_OP_DATA3_LOAD, MEM_LOCK_NA | MEM_TLB(TLB_NA) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(amd_ibs_data_src(0, cases[i].data3, ZEN_2),
		                 MEM_OP_LOAD | HIT(LVL_L1, NUM_L1) | MEM_SNOOP(SNOOP_NA) |
		                     cases[i].wanted);
	/* perf's PERF_MEM_NA, of an op that accesses no memory */
	assert_int_equal(amd_ibs_data_src(0x3, 0, ZEN_2), 0x5080021);
}

/* The sample of an event with these fields, and its words behind the header. */
static const uint64_t *sample(uint32_t type, uint64_t fields, unsigned *words)
{
	struct perf_event *event = &rig_events[0];
	const struct ring *ring;
	uint64_t begin;

	for (unsigned i = 1; i < IBS_MODEL_REGISTERS; i++) {
		if (i != IBS_OP_CTL - IBS_FETCH_CTL && i != IBS_CTL - IBS_FETCH_CTL)
			ibs_model.registers[i] = 0xabc0000000000000 + i;
	}
	*ibs_model_register(IBS_OP_DATA) = 77ULL << IBS_OP_DATA_TAG_TO_RET;
	*ibs_model_register(IBS_OP_DATA3) = LOAD | DC | 200ULL << IBS_OP_DATA3_LATENCY;
	rig_describe(event, type, 0, 1600);
	event->attr.sample_type = fields;
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
	ring = event->ring;
	begin = ring_load(&ring->published);
	rig_run(1600, 16, ibs_model_count_on);
	*words = (unsigned)(ring_load(&ring->published) - begin) / 8 - 1;
	event_disable(event);
	assert_int_equal(ibs_model.faults, 0);
	return (const uint64_t *)(const void *)(ring->data + begin % ring->size) + 1;
}

static void raw_is_the_features_and_the_registers_as_in_perf(void **state)
{
	const uint64_t *at;
	unsigned words;

	(void)state;
	ibs_model_power_on(ZEN_5);
	at = sample(PERF_TYPE_IBS_OP, PERF_SAMPLE_RAW, &words);
	assert_int_equal(words, 1 + 8);
	assert_int_equal(at[0], (4 + 8 * 8) | (uint64_t)ZEN_5 << 32);
	assert_true(at[1] & IBS_OP_VAL);
	for (unsigned i = 1; i < 7; i++)
		assert_int_equal(at[1 + i], *ibs_model_register(IBS_OP_CTL + i));
	assert_int_equal(at[8], *ibs_model_register(BP_IBSTGT_RIP));

	ibs_model_power_on(ZEN_2 & ~(CPUID_IBS_TARGET | CPUID_IBS_FETCH_EXTD));
	assert_int_equal(sample(PERF_TYPE_IBS_OP, PERF_SAMPLE_RAW, &words)[0] & UINT32_MAX,
	                 4 + 7 * 8);
	assert_int_equal(sample(PERF_TYPE_IBS_FETCH, PERF_SAMPLE_RAW, &words)[0] & UINT32_MAX,
	                 4 + 3 * 8);
	ibs_model_power_on(ZEN_2);
	at = sample(PERF_TYPE_IBS_FETCH, PERF_SAMPLE_RAW, &words);
	assert_int_equal(words, 1 + 4);
	assert_int_equal(at[0], (4 + 4 * 8) | (uint64_t)ZEN_2 << 32);
	assert_int_equal(at[3], *ibs_model_register(IBS_FETCH_PHYSADDR));
	assert_int_equal(at[4], *ibs_model_register(IC_IBS_EXTD_CTL));
}

static void a_loads_fields_are_decoded(void **state)
{
	const uint64_t *at;
	unsigned words;

	(void)state;
	ibs_model_power_on(ZEN_2);
	at = sample(PERF_TYPE_IBS_OP,
	            PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC, &words);
	assert_int_equal(words, 3);
	assert_int_equal(at[0], *ibs_model_register(IBS_DC_LINADDR));
	assert_int_equal(at[1], 200 | 77ULL << 32);
	assert_int_equal(at[2], amd_ibs_data_src(*ibs_model_register(IBS_OP_DATA2),
	                                         *ibs_model_register(IBS_OP_DATA3), ZEN_2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_sources_are_perfs),
		cmocka_unit_test(locks_and_translations_are_perfs),
		cmocka_unit_test(raw_is_the_features_and_the_registers_as_in_perf),
		cmocka_unit_test(a_loads_fields_are_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
