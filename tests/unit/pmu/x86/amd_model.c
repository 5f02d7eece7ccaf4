/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/x86/amd_model.h"

#include <string.h>

#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/lbr.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/counter_census.h"
#include "tests/unit/pmu/counter_rig.h"

#define model (amd_model)
#define CTL_RESERVED                                                                 \
	0xfffffcf000280000ULL /* APM volume 2, 13.2.1; the host and guest bits exist \
	                       */
#define GLOBAL_LBR_FRZ (1ULL << 58)

struct amd_model amd_model;

/* ---- Counters ---- */

static uint64_t read_cpuid(uint32_t reg)
{
	switch (reg) {
	case CPUID_WORD(0U, CPUID_EBX):
		return CPUID_VENDOR_AUTH;
	case CPUID_WORD(CPUID_FEATURES, CPUID_EAX):
		/* all bits of stepping, model and extended model */
		return 0xf00ff | (model.family < 15 ? model.family << 8
		                                    : 15U << 8 | (model.family - 15) << 20);
	case CPUID_WORD(CPUID_FEATURES, CPUID_ECX):
		return model.hypervisor ? CPUID_FEATURES_HYPERVISOR : 0;
	case CPUID_WORD(CPUID_EXTENDED_FEATURES, CPUID_ECX):
		return model.generation >= EXTENDED ? CPUID_EXTENDED_PERF_CTR_CORE : 0;
	case CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EAX):
		return (model.generation >= VERSION_2 ? CPUID_EXTENDED_PERFMON_V2 : 0) |
		       (model.lbrs ? CPUID_EXTENDED_PERFMON_LBR : 0) |
		       (model.freezes ? CPUID_EXTENDED_PERFMON_FREEZE : 0);
	case CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EBX):
		return model.generation >= VERSION_2 ? model.counters | model.lbrs << 4 | 0xfc00
		                                     : 0;
	case CPUID_WORD(CPUID_EXTENDED_SIZES, CPUID_EAX):
		return 0xff0000ff | model.linear << 8;
	case CPUID_WORD(CPUID_EXTENDED_SIZES, CPUID_EBX):
		return model.brs ? ~0U : ~CPUID_EXTENDED_BRS;
	default:
		return 0;
	}
}

/* The register of a counter, or NULL: the extension's pairs alias the legacy ones. */
static uint64_t *counter_register(uint32_t reg, unsigned *counter)
{
	bool control;

	if (reg - PERF_LEGACY_CTL0 < 2 * PERF_LEGACY_COUNTERS) {
		*counter = (reg - PERF_LEGACY_CTL0) % PERF_LEGACY_COUNTERS;
		control = reg < PERF_LEGACY_CTR0;
	} else if (model.generation >= EXTENDED && reg - PERF_CTL0 < 2 * model.counters) {
		*counter = (reg - PERF_CTL0) / 2;
		control = reg % 2 == PERF_CTL0 % 2;
	} else {
		return NULL;
	}
	return control ? &model.control[*counter] : &model.counter[*counter];
}

static bool counts(unsigned i)
{
	return model.control[i] & PERFEVTSEL_EN &&
	       model.control[i] & (PERFEVTSEL_OS | PERFEVTSEL_USR) &&
	       (model.generation < VERSION_2 || model.global_control >> i & 1);
}

bool amd_model_count_on(uint64_t events)
{
	bool interrupt = false;

	for (unsigned i = 0; i < model.counters; i++) {
		uint64_t before = model.counter[i];

		if (!counts(i))
			continue;
		model.counted += events;
		model.counter[i] = (before + events) & AMD_MODEL_MASK;
		if (model.counter[i] >= before)
			continue;
		model.status |= model.generation >= VERSION_2 ? 1ULL << i : 0;
		interrupt |= model.control[i] & PERFEVTSEL_INT;
	}
	if (interrupt && model.debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI)
		model.status |= GLOBAL_LBR_FRZ;
	return interrupt;
}

/* The interrupt of an overflow during an access comes after it. */
static void take_time(void)
{
	if (model.access_events && amd_model_count_on(model.access_events))
		model.pending = true;
}

bool amd_model_count_on_with_pending(uint64_t events)
{
	bool interrupt = amd_model_count_on(events) || model.pending;

	model.pending = false;
	return interrupt;
}

/* ---- Branch records ---- */

static uint64_t *lbr_register(uint32_t reg)
{
	if (reg == IA32_DEBUGCTL)
		return &model.debugctl;
	if (model.lbrs && reg == AMD_LBR_SELECT)
		return &model.select;
	if (model.lbrs && reg == DBG_EXTN_CFG)
		return &model.extn_cfg;
	if (reg - SAMP_BR_FROM < 2 * model.lbrs)
		return reg & 1 ? &model.to[(reg - SAMP_BR_FROM) / 2]
		               : &model.from[(reg - SAMP_BR_FROM) / 2];
	return NULL;
}

static bool lbr_write(uint32_t reg, uint64_t value)
{
	uint64_t *word = lbr_register(reg), allowed = UINT64_MAX;

	if (reg == IA32_DEBUGCTL)
		allowed = model.freezes ? DEBUGCTL_FREEZE_LBRS_ON_PMI : 0;
	if (reg == AMD_LBR_SELECT)
		allowed = 0x1ff;
	if (reg == DBG_EXTN_CFG)
		value ^= AMD_MODEL_RESERVED, allowed = DBG_EXTN_CFG_LBRV2EN;
	if (value & ~allowed)
		return false;
	*word = reg == DBG_EXTN_CFG ? value ^ AMD_MODEL_RESERVED : value;
	return true;
}

void amd_model_branch(uint32_t kind, uint64_t from, uint64_t to, unsigned how)
{
	size_t size = (model.lbrs - 1) * sizeof(model.from[0]);

	if (!(model.extn_cfg & DBG_EXTN_CFG_LBRV2EN) || model.status & GLOBAL_LBR_FRZ ||
	    model.select & (kind | LBR_SELECT_CPL_EQ_0))
		return;
	memmove(model.from + 1, model.from, size);
	memmove(model.to + 1, model.to, size);
	model.from[0] = from;
	model.to[0] = (to & ~(7ULL << 61)) | (uint64_t)how << 61;
}

/* ---- Registers ---- */

static uint64_t model_read(uint32_t reg)
{
	unsigned counter;
	uint64_t *word = counter_register(reg, &counter);

	take_time();
	if ((reg & ~0x3ffU) == CPUID_WORDS)
		return read_cpuid(reg);
	if (reg - RDPMC_VALUE(0U) < model.counters)
		return model.counter[reg - RDPMC_VALUE(0U)];
	if (word)
		return *word;
	word = lbr_register(reg);
	if (word)
		return *word;
	if (model.generation >= VERSION_2 && reg == PERF_CNTR_GLOBAL_STATUS)
		return model.status;
	if (model.generation >= VERSION_2 && reg == PERF_CNTR_GLOBAL_CTL)
		return model.global_control;
	model.faults++;
	return 0;
}

static void model_write(uint32_t reg, uint64_t value)
{
	unsigned counter;
	uint64_t *word = counter_register(reg, &counter);
	uint64_t all = (1ULL << model.counters) - 1;

	take_time();
	if (lbr_register(reg)) {
		model.faults += !lbr_write(reg, value);
		return;
	}
	if (reg == PERF_CNTR_GLOBAL_STATUS_CLR && model.freezes)
		all |= GLOBAL_LBR_FRZ;
	if (word && word >= model.counter && word < model.counter + AMD_MODEL_COUNTERS &&
	    counts(counter))
		model.running_writes++;
	if (word && word >= model.control && word < model.control + AMD_MODEL_COUNTERS)
		model.faults += (value & CTL_RESERVED) != 0;
	else if (word)
		model.faults += (value & ~AMD_MODEL_MASK) != 0;
	else
		model.faults += model.generation < VERSION_2 || (value & ~all);
	if (word && !(model.stuck >> counter & 1))
		*word = value;
	if (reg == PERF_CNTR_GLOBAL_CTL)
		model.global_control = value;
	if (reg == PERF_CNTR_GLOBAL_STATUS_CLR)
		model.status &= ~value;
	model.faults += reg == PERF_CNTR_GLOBAL_STATUS; /* read only */
}

static const struct {
	enum amd_generation generation;
	unsigned family, counters;
} machines[] = {
	{ LEGACY, 0x10, 4 }, { EXTENDED, 0x17, 6 }, { VERSION_2, 0x19, 6 }, { VERSION_2, 0x1a, 8 }
};
_Static_assert(sizeof(machines) / sizeof(machines[0]) == AMD_MODEL_MACHINES, "machines");

void amd_model_power_on(size_t machine)
{
	memset(&model, 0, sizeof(model));
	model.generation = machines[machine].generation;
	model.family = machines[machine].family;
	model.counters = machines[machine].counters;
	model.linear = 48;
	model.extn_cfg = AMD_MODEL_RESERVED;
	counter_census[0] = (struct counter_census){ 0 };
	rig_power_on(EM_X86_64, model_read, model_write);
}
