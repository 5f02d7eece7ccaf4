/* SPDX-License-Identifier: MIT */
#include "tests/unit/intel_model.h"

#include "tests/unit/counter_rig.h"

#include <string.h>

#define EM_X86_64      62
#define WIDTH          48U
#define MASK           ((1ULL << WIDTH) - 1)
/* Without ANY before version 3, SDM volume 3B, 20.2.1.1 */
#define SELECT_ALLOWED (model.version < 3 ? 0xffdfffffU : 0xffffffffU)

struct intel_model intel_models[INTEL_MODELS];
#define model (intel_models[fake_cpu_number])

static uint64_t rdpmc(uint32_t selector)
{
	unsigned counter = selector & 0xff;

	if (model.no_rdpmc)
		return 0;
	if (selector & RDPMC_FIXED)
		return counter < INTEL_MODEL_FIXED ? model.counter[GLOBAL_FIXED + counter] : 0;
	return counter < model.general ? model.counter[counter] : 0;
}

static uint64_t model_read(uint32_t reg)
{
	switch (reg) {
	case CPUID_WORD(0U, CPUID_EBX):
		return CPUID_VENDOR_GENU;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EAX):
		return model.version | model.general << 8 | WIDTH << 16 | 7 << 24;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EBX):
		return 1 << 4; /* no LLC misses */
	case CPUID_WORD(CPUID_PERFMON, CPUID_EDX):
		return model.version >= 2 ? INTEL_MODEL_FIXED | WIDTH << 5 : 0;
	case CPUID_WORD(CPUID_PERFMON, CPUID_ECX):
		return model.more_fixed;
	case CPUID_WORD(CPUID_FEATURES, CPUID_ECX):
		return (model.full_width ? CPUID_FEATURES_PDCM : 0) |
		       (model.hypervisor ? CPUID_FEATURES_HYPERVISOR : 0);
	case CPUID_WORD(CPUID_STRUCTURED, CPUID_EDX):
		return model.type ? CPUID_STRUCTURED_HYBRID : 0;
	case CPUID_WORD(CPUID_CORE, CPUID_EAX):
		return model.type << CPUID_CORE_TYPE;
	case IA32_PERF_CAPABILITIES:
		return PERF_CAPABILITIES_FW_WRITE;
	case IA32_FIXED_CTR_CTRL:
		return model.fixed_control;
	case IA32_PERF_GLOBAL_STATUS:
		return model.status;
	default:
		break;
	}
	if (reg >= IA32_PERFEVTSEL0 && reg < IA32_PERFEVTSEL0 + model.general)
		return model.select[reg - IA32_PERFEVTSEL0];
	return (reg & ~0x1ffU) == RDPMC_VALUES ? rdpmc(RDPMC_SELECTOR(reg)) : 0;
}

/* The counter that a write is for, or none. */
static unsigned written(uint32_t reg)
{
	if (reg >= IA32_PERFEVTSEL0 && reg < IA32_PERFEVTSEL0 + model.general)
		return reg - IA32_PERFEVTSEL0;
	if (reg >= IA32_PMC0 && reg < IA32_PMC0 + model.general)
		return reg - IA32_PMC0;
	if (reg >= IA32_A_PMC0 && reg < IA32_A_PMC0 + model.general)
		return reg - IA32_A_PMC0;
	if (reg >= IA32_FIXED_CTR0 && reg < IA32_FIXED_CTR0 + INTEL_MODEL_FIXED)
		return GLOBAL_FIXED + reg - IA32_FIXED_CTR0;
	return 63;
}

static void set(uint64_t *word, uint64_t value, uint64_t allowed)
{
	if (value & ~allowed)
		model.faults++;
	else
		*word = value;
}

static void model_write(uint32_t reg, uint64_t value)
{
	if (model.stuck >> written(reg) & 1)
		return;
	if (reg >= IA32_PERFEVTSEL0 && reg < IA32_PERFEVTSEL0 + model.general)
		set(&model.select[reg - IA32_PERFEVTSEL0], value, SELECT_ALLOWED);
	else if (reg >= IA32_PMC0 && reg < IA32_PMC0 + model.general)
		model.counter[reg - IA32_PMC0] = (uint64_t)(int64_t)(int32_t)value & MASK;
	else if (reg >= IA32_A_PMC0 && reg < IA32_A_PMC0 + model.general && model.full_width)
		set(&model.counter[reg - IA32_A_PMC0], value, MASK);
	else if (model.version < 2)
		model.faults++;
	else if (reg >= IA32_FIXED_CTR0 && reg < IA32_FIXED_CTR0 + INTEL_MODEL_FIXED)
		set(&model.counter[GLOBAL_FIXED + reg - IA32_FIXED_CTR0], value, MASK);
	else if (reg == IA32_FIXED_CTR_CTRL)
		set(&model.fixed_control, value, 0xbbb);
	else if (reg == IA32_PERF_GLOBAL_CTRL)
		set(&model.global_control, value, INTEL_MODEL_ALL);
	else if (reg == IA32_PERF_GLOBAL_OVF_CTRL)
		model.status &= ~value;
	else
		model.faults++;
}

static bool counts(unsigned i)
{
	if (model.version >= 2 && !(model.global_control >> i & 1))
		return false;
	if (i >= GLOBAL_FIXED)
		return model.fixed_control >> 4 * (i - GLOBAL_FIXED) & 3;
	return i < model.general && model.select[i] & PERFEVTSEL_EN &&
	       model.select[i] & (PERFEVTSEL_OS | PERFEVTSEL_USR);
}

static bool interrupts(unsigned i)
{
	if (i >= GLOBAL_FIXED)
		return model.fixed_control >> 4 * (i - GLOBAL_FIXED) & FIXED_CTR_CTRL_PMI;
	return model.select[i] & PERFEVTSEL_INT;
}

/* Every running counter goes on by events; true: one that may interrupt has overflowed. */
bool intel_model_count_on(uint64_t events)
{
	bool interrupt = false;

	for (unsigned i = 0; i < GLOBAL_FIXED + INTEL_MODEL_FIXED; i++) {
		uint64_t before = model.counter[i];

		if (!counts(i))
			continue;
		model.counter[i] = (before + events) & MASK;
		if (model.counter[i] >= before)
			continue;
		model.status |= model.version >= 2 ? 1ULL << i : 0;
		interrupt |= interrupts(i);
	}
	return interrupt;
}

void intel_model_power_on(unsigned version, bool full_width)
{
	memset(intel_models, 0, sizeof(intel_models));
	for (unsigned i = 0; i < INTEL_MODELS; i++) {
		intel_models[i].version = version;
		intel_models[i].full_width = full_width;
		intel_models[i].general = 4;
	}
	rig_power_on(EM_X86_64, model_read, model_write);
}
