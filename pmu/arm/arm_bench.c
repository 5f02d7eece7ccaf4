/* SPDX-License-Identifier: MIT */
/* PMUv3's counters for microbenchmarks: Arm ARM DDI 0487, D13. */
#include "pmu/arm/arm_bench.h"

#include "arch/aarch64/pmu/pmuv3.h"
#include "arch/arch.h"

#define ALL_COUNTERS 0xffffffffULL

static unsigned arm_bench_version(void)
{
	return (unsigned)(arch_reg_read(ID_AA64DFR0_EL1) >> ID_AA64DFR0_PMUVER & 0xf);
}

static void arm_bench_look(struct bench_unit *unit)
{
	unsigned version = arm_bench_version();

	*unit = (struct bench_unit){ .vendor = BENCH_UNIT_ARM };
	if (version < PMUVER_V3 || version == ID_AA64DFR0_PMUVER_IMP)
		return;
	unit->general = (unsigned)(arch_reg_read(PMCR_EL0) >> PMCR_N & PMCR_N_MASK);
	unit->fixed = 1;
	unit->general_mask = version >= PMUVER_V3P5 ? UINT64_MAX : UINT32_MAX;
	unit->fixed_mask = UINT64_MAX;
}

static void arm_bench_stop(const struct bench_unit *unit)
{
	if (!unit->fixed)
		return;
	arch_reg_write(PMCNTENCLR_EL0, ALL_COUNTERS);
	arch_reg_write(PMINTENCLR_EL1, ALL_COUNTERS);
	arch_reg_write(PMOVSCLR_EL0, ALL_COUNTERS);
	arch_reg_sync();
}

static void arm_bench_start(const struct bench_unit *unit, const struct bench_task *tasks,
                            unsigned count, bool user)
{
	uint64_t levels = user ? PMEVTYPER_P : PMEVTYPER_NSH;
	uint64_t control = PMCR_E | PMCR_P | PMCR_C | PMCR_LC, enabled = 0;

	arm_bench_stop(unit);
	if (!unit->fixed)
		return;
	for (unsigned i = 0; i < count; i++) {
		uint64_t event = tasks[i].config & PMEVTYPER_EVENT_MASK;

		if (tasks[i].fixed)
			arch_reg_write(PMCCFILTR_EL0, levels);
		else
			arch_reg_write(PMEVTYPER_EL0(tasks[i].index), event | levels);
		enabled |= 1ULL << (tasks[i].fixed ? CYCLE_COUNTER : tasks[i].index);
	}
	if (arm_bench_version() >= PMUVER_V3P5)
		control |= PMCR_LP;
	arch_reg_write(PMCR_EL0, control);
	arch_reg_write(PMCNTENSET_EL0, enabled);
	arch_reg_sync();
}

static uint32_t arm_bench_selector(const struct bench_task *task)
{
	return task->fixed ? CYCLE_COUNTER : task->index;
}

const struct bench_counters arm_bench_counters = {
	.look = arm_bench_look,
	.start = arm_bench_start,
	.stop = arm_bench_stop,
	.selector = arm_bench_selector,
};
