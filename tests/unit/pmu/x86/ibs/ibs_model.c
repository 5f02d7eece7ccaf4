/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/x86/ibs/ibs_model.h"

#include <string.h>

#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/ibs.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/precise.h"
#include "tests/unit/pmu/counter_rig.h"

#define model (ibs_model)

struct ibs_model ibs_model;

uint64_t *ibs_model_register(uint32_t msr)
{
	return &model.registers[msr - IBS_FETCH_CTL];
}

static uint64_t read_cpuid(uint32_t reg)
{
	switch (reg) {
	case CPUID_WORD(0U, CPUID_EBX):
		return model.vendor;
	case CPUID_WORD(CPUID_EXTENDED_FEATURES, CPUID_ECX):
		return model.features ? CPUID_EXTENDED_IBS : 0;
	case CPUID_WORD(CPUID_IBS, CPUID_EAX):
		return model.features;
	default:
		return 0;
	}
}

static uint64_t model_read(uint32_t reg)
{
	if ((reg & ~0x3ffU) == CPUID_WORDS)
		return read_cpuid(reg);
	if ((reg & ~0xfU) == APIC_EXTENDED_LVTS)
		return model.lvt[reg & 0xf];
	if (reg == IBS_OP_CTL)
		return *ibs_model_register(reg) | model.ops << 32;
	if (reg == IBS_FETCH_CTL)
		return *ibs_model_register(reg) | (model.fetches >> 4 & 0xffff) << 16;
	if (reg - IBS_FETCH_CTL < IBS_MODEL_REGISTERS && reg != IBS_OP_DATA4)
		return *ibs_model_register(reg);
	model.faults++;
	return 0;
}

static void write_op_ctl(uint64_t value)
{
	uint64_t reserved = 0x1fULL << 27;

	reserved |= model.features & CPUID_IBS_L3_MISS_ONLY ? 0 : 1U << IBS_OP_L3_MISS;
	reserved |= model.features & CPUID_IBS_LOAD_LATENCY ? 0 : 0x1fULL << IBS_OP_LATENCY;
	model.faults += (value & reserved) != 0;
	model.ops = value >> 32 & 0x7ffffff;
	*ibs_model_register(IBS_OP_CTL) = value & ~(0x7ffffffULL << 32);
}

/* Only the step to 1 of the enable takes the count. */
static void write_fetch_ctl(uint64_t value)
{
	uint64_t *word = ibs_model_register(IBS_FETCH_CTL);

	model.faults += value >> 62 != 0;
	if (value & ~*word & IBS_FETCH_EN)
		model.fetches = (value >> 16 & 0xffff) << 4;
	*word = value & ~(0xffffULL << 16);
}

static void model_write(uint32_t reg, uint64_t value)
{
	if ((reg & ~0xfU) == APIC_EXTENDED_LVTS)
		model.lvt[reg & 0xf] = value;
	else if (reg == IBS_OP_CTL)
		write_op_ctl(value);
	else if (reg == IBS_FETCH_CTL)
		write_fetch_ctl(value);
	else
		model.faults++;
}

static bool count_ops(uint64_t events)
{
	uint64_t *ctl = ibs_model_register(IBS_OP_CTL);
	uint64_t most = (*ctl & 0xffff) << 4 | (*ctl & 0x7f00000);

	if ((*ctl & (IBS_OP_EN | IBS_OP_VAL)) != IBS_OP_EN)
		return false;
	model.ops += events;
	if (model.ops < most)
		return false;
	model.ops = model.random;
	*ctl |= IBS_OP_VAL;
	return true;
}

static bool count_fetches(uint64_t events)
{
	uint64_t *ctl = ibs_model_register(IBS_FETCH_CTL), most = (*ctl & 0xffff) << 4;

	if ((*ctl & (IBS_FETCH_EN | IBS_FETCH_VAL)) != IBS_FETCH_EN)
		return false;
	model.fetches += events;
	if (model.fetches < most)
		return false;
	model.fetches = most;
	*ctl |= IBS_FETCH_VAL;
	return true;
}

bool ibs_model_count_on(uint64_t events)
{
	bool op = count_ops(events), fetch = count_fetches(events);

	return (op || fetch) && model.lvt[IBS_MODEL_ENTRY] == APIC_EXTENDED_NMI;
}

void ibs_model_power_on(uint32_t features)
{
	memset(&model, 0, sizeof(model));
	model.features = features;
	model.vendor = CPUID_VENDOR_AUTH;
	*ibs_model_register(IBS_CTL) = IBS_CTL_VALID | IBS_MODEL_ENTRY;
	model.lvt[IBS_MODEL_ENTRY] = APIC_EXTENDED_MASKED;
	precise_ledgers[0] = (struct tr_precise_ledger){ 0 };
	fake_nested = false;
	fake_entries = fake_entries_size = 0;
	rig_power_on(EM_X86_64, model_read, model_write);
}
