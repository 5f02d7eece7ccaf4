/* SPDX-License-Identifier: MIT */
/* The operations that SPE could sample, counted by free counters of a modelled PMU. */
#include <errno.h>
#include <string.h>

#include "pmu/arm/arm_pmuv3.h"
#include "pmu/precise.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/arm/arm_spe_rig.h"

#define INTERVAL 4096U

static const struct tr_operation_ledger *counted(void)
{
	return &sampled_operations[0].ledger;
}

/* A PMU with so many event counters that has SPE's four events. */
static void give_pmu(unsigned counters)
{
	model.reg[ID_AA64DFR0_EL1] |= 4U << ID_AA64DFR0_PMUVER;
	model.reg[ID_AA64DFR1_EL1] = 0;
	model.reg[PMCR_EL0] = 0;
	model.counters = counters;
	model.reg[PMCEID0_EL0] = 0xfULL << 32 | 1U << EVENT_INST_RETIRED;
	model.reg[PMCEID1_EL0] = 0;
	sampled_operations[0] = (struct sampled_operations){ 0 };
}

/* The counters count up to these values, of which the upper one has the first; then a tick. */
static void count_to(uint64_t population, uint64_t fed, uint64_t collided, uint64_t kept,
                     unsigned counters)
{
	model.reg[PMEVCNTR_EL0(counters - 1)] = population;
	model.reg[PMEVCNTR_EL0(counters - 2)] = fed;
	model.reg[PMEVCNTR_EL0(counters - 3)] = collided;
	model.reg[PMEVCNTR_EL0(counters - 4)] = kept;
	pmu_arm_spe.read(&event);
}

static void the_upper_counters_count_at_every_level(void **state)
{
	(void)state;
	give_pmu(6);
	begin(8, 0, false);
	for (unsigned i = 0; i < 4; i++)
		assert_true(model.reg[PMEVTYPER_EL0(2 + i)] & PMEVTYPER_NSH);
	assert_int_equal(model.reg[PMEVTYPER_EL0(5)] & 0xffff, EVENT_SAMPLE_POP);
	assert_int_equal(model.reg[PMEVTYPER_EL0(4)] & 0xffff, EVENT_SAMPLE_FEED);
	assert_int_equal(model.reg[PMEVTYPER_EL0(3)] & 0xffff, EVENT_SAMPLE_COLLISION);
	assert_int_equal(model.reg[PMEVTYPER_EL0(2)] & 0xffff, EVENT_SAMPLE_FILTRATE);
	assert_true(model.reg[PMCR_EL0] & PMCR_E);
	event_disable(&event);
	assert_false(model.reg[PMCR_EL0] & PMCR_E);
}

/* Counters of 32 bits go round between ticks. The interval counter shows the rest. */
static void the_account_closes(void **state)
{
	(void)state;
	give_pmu(6);
	begin(8, 0, false);
	count_to(UINT32_MAX - 9, 100, 3, 50, 6);
	count_to(990, 200, 5, 70, 6);
	model.reg[PMSICR_EL1] = 1000;
	event_disable(&event);
	assert_int_equal(counted()->population, UINT32_MAX + 991ULL);
	assert_int_equal(counted()->fed, 200);
	assert_int_equal(counted()->collided, 5);
	assert_int_equal(counted()->kept, 70);
	assert_int_equal(sampled_operations[0].rest, INTERVAL - 1000);
	assert_int_equal(event_enable(&event), 0);
	event_disable(&event); /* it sampled nothing, so the interval was never loaded */
	assert_int_equal(counted()->fed, 200);
	assert_int_equal(sampled_operations[0].rest, INTERVAL - 1000);
}

static void jitter_makes_the_rest_the_most(void **state)
{
	(void)state;
	describe(1U << 16, INTERVAL);
	give_pmu(4);
	begin(8, 0, false);
	count_to(10000, 2, 0, 2, 4);
	model.reg[PMSICR_EL1] = 0xffULL << 56 | 1000;
	event_disable(&event);
	assert_int_equal(sampled_operations[0].rest, INTERVAL + 255 - 1000);
}

static void begin_instructions(struct perf_event *other)
{
	*other = event;
	other->attr.type = PERF_TYPE_HARDWARE;
	other->attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	other->attr.sample_period = 0;
	other->aux = NULL;
	memset(other->hw, 0, sizeof(other->hw));
	assert_int_equal(event_init(other), 0);
	assert_int_equal(event_enable(other), 0);
}

/* It takes the counter that matters least, and only if no other is free. */
static void an_event_of_the_user_s_comes_first(void **state)
{
	struct perf_event other;

	(void)state;
	give_pmu(4);
	begin(8, 0, false);
	count_to(10000, 2, 0, 2, 4);
	begin_instructions(&other);
	assert_int_equal(model.reg[PMEVTYPER_EL0(0)] & 0xffff, EVENT_INST_RETIRED);
	pmu_arm_spe.read(&event);
	assert_true(counted()->kept == TR_UNKNOWN);
	assert_int_equal(counted()->population, 10000);
	event_disable(&event);
	assert_int_equal(counted()->population, 10000);
	assert_true(model.reg[PMCR_EL0] & PMCR_E);
	event_disable(&other);
}

/* At EL1 the entry to a handler stops the counters, but not SPE. */
static void at_el1_an_event_of_the_user_s_ends_the_counts(void **state)
{
	struct perf_event other;

	(void)state;
	model.reg[CURRENT_EL] = 1 << 2;
	give_pmu(6);
	begin(8, 0, false);
	count_to(10000, 2, 0, 2, 6);
	assert_int_equal(counted()->population, 10000);
	begin_instructions(&other);
	event_disable(&event);
	assert_true(counted()->population == TR_UNKNOWN && counted()->fed == TR_UNKNOWN);
	sampled_operations[0] = (struct sampled_operations){ 0 };
	assert_int_equal(event_enable(&event), 0); /* nor do they begin beside one */
	assert_true(counted()->population == TR_UNKNOWN);
	event_disable(&event);
	event_disable(&other);
}

static void without_the_events_the_counts_are_unknown(void **state)
{
	(void)state;
	give_pmu(6);
	model.reg[PMCEID0_EL0] = 3ULL << 32;
	begin(8, 0, false);
	assert_true(counted()->population == 0 && counted()->fed == 0);
	assert_true(counted()->collided == TR_UNKNOWN && counted()->kept == TR_UNKNOWN);
	event_disable(&event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, spe_set_up, spe_tear_down)
		TEST(the_upper_counters_count_at_every_level),
		TEST(the_account_closes),
		TEST(jitter_makes_the_rest_the_most),
		TEST(an_event_of_the_user_s_comes_first),
		TEST(at_el1_an_event_of_the_user_s_ends_the_counts),
		TEST(without_the_events_the_counts_are_unknown),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
