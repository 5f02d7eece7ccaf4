/* SPDX-License-Identifier: MIT */
/*
 * While SPE samples, the core PMU can count the operations that it chooses from (SAMPLE_POP), those
 * that it samples (SAMPLE_FEED) and those that it drops (SAMPLE_COLLISION); Arm ARM DDI 0487,
 * D13.12. The interval counter's value at the stop makes the account exact: between two choices as
 * many operations pass as the interval has.
 *
 * Events that the user asked for come first: if they take a counter away, or leave none, that count
 * is unknown. Where bareperf's handlers run at a level that SPE samples, the counters must not stop
 * for them, as they do for events: there the counts exist only if no event uses the core PMU.
 */
#include "pmu/arm/arm_spe_counts.h"

#include "arch/aarch64/pmu/spe.h"
#include "pmu/arm/arm_pmuv3.h"
#include "pmu/arm/arm_spe_config.h"
#include "pmu/precise.h"

#define MOST_JITTER 255U /* operations that PMSIRR_EL1.RND adds to an interval at most */

/* By need: the first get the counters. */
static const struct {
	uint32_t number;
	size_t to; /* offset in struct tr_operation_ledger */
} arm_spe_counted[ARM_SPE_COUNTS] = {
	{ EVENT_SAMPLE_POP, offsetof(struct tr_operation_ledger, population) },
	{ EVENT_SAMPLE_FEED, offsetof(struct tr_operation_ledger, fed) },
	{ EVENT_SAMPLE_COLLISION, offsetof(struct tr_operation_ledger, collided) },
	{ EVENT_SAMPLE_FILTRATE, offsetof(struct tr_operation_ledger, kept) },
};

static uint64_t *arm_spe_count_of(const struct perf_event *event, unsigned i)
{
	return (uint64_t *)((char *)&sampled_operations[event->cpu].ledger + arm_spe_counted[i].to);
}

static bool arm_spe_samples_handlers(const struct perf_event *event)
{
	return !arm_spe_unit.el2 || arm_spe_of(event)->registers.pmscr_el2 & PMSCR_ExSPE;
}

void arm_spe_counts_start(struct perf_event *event)
{
	struct arm_spe_counts *counts = &arm_spe_of(event)->counts;

	pmu_arm_pmuv3.disable();
	for (unsigned i = 0; i < ARM_SPE_COUNTS; i++) {
		counts->each[i].value = 0;
		counts->each[i].counter = arm_pmuv3_lend(event, arm_spe_counted[i].number,
		                                         arm_spe_samples_handlers(event));
	}
	pmu_arm_pmuv3.enable();
	counts->population = sampled_operations[event->cpu].ledger.population;
	arm_spe_counts_read(event);
}

void arm_spe_counts_read(struct perf_event *event)
{
	struct arm_spe_counts *counts = &arm_spe_of(event)->counts;

	for (unsigned i = 0; i < ARM_SPE_COUNTS; i++) {
		uint64_t *count = arm_spe_count_of(event, i), value, mask;

		if (!arm_pmuv3_is_lent(event, counts->each[i].counter)) {
			*count = TR_UNKNOWN;
			continue;
		}
		value = arm_pmuv3_lent_value(event, counts->each[i].counter, &mask);
		if (*count != TR_UNKNOWN)
			*count += (value - counts->each[i].value) & mask;
		counts->each[i].value = value;
	}
}

/* The operations since the last choice. With jitter the length of the interval is unknown: at most.
 * SPE that never sampled anything has not loaded the interval. */
static uint64_t arm_spe_rest(const struct perf_event *event)
{
	const struct hw_arm_spe *hw = arm_spe_of(event);
	uint64_t interval = hw->registers.pmsirr & PMSIRR_INTERVAL;

	if (sampled_operations[event->cpu].ledger.population == hw->counts.population)
		return 0;
	if (hw->registers.pmsirr & PMSIRR_RND)
		interval += MOST_JITTER;
	return interval - (arch_reg_read(PMSICR_EL1) & UINT32_MAX);
}

void arm_spe_counts_stop(struct perf_event *event)
{
	struct arm_spe_counts *counts = &arm_spe_of(event)->counts;

	arm_spe_counts_read(event);
	sampled_operations[event->cpu].rest += arm_spe_rest(event);
	pmu_arm_pmuv3.disable();
	for (unsigned i = 0; i < ARM_SPE_COUNTS; i++) {
		arm_pmuv3_give_back(event, counts->each[i].counter);
		counts->each[i].counter = ARM_PMUV3_NONE;
	}
	pmu_arm_pmuv3.enable();
}
