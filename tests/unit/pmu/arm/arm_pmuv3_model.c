/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/arm/arm_pmuv3_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/pmu/pmuv3.h"
#include "pmu/clock/clock.h"
#include "tests/unit/pmu/counter_rig.h"

struct arm_pmuv3_model arm_pmuv3_models[ARM_PMUV3_MODELS];
#define model (arm_pmuv3_models[fake_cpu_number])

/* The counter or type register with this number. */
static uint64_t *counter_register(uint32_t reg)
{
	for (unsigned i = 0; i < model.counters; i++) {
		if (reg == PMEVCNTR_EL0(i))
			return &model.counter[i];
		if (reg == PMEVTYPER_EL0(i))
			return &model.type[i];
	}
	if (reg == PMXEVCNTR_EL0 && model.selected < model.counters)
		return &model.counter[model.selected];
	if (reg == PMCCNTR_EL0)
		return &model.counter[CYCLE_COUNTER];
	if (reg == PMCCFILTR_EL0)
		return &model.type[CYCLE_COUNTER];
	if (reg == PMICNTR_EL0 && model.instructions)
		return &model.counter[INSTRUCTION_COUNTER];
	return reg == PMICFILTR_EL0 && model.instructions ? &model.type[INSTRUCTION_COUNTER] : NULL;
}

static uint64_t mask_of(unsigned counter)
{
	bool wide = counter == CYCLE_COUNTER ? model.pmcr & PMCR_LC : model.pmcr & PMCR_LP;

	wide |= counter == INSTRUCTION_COUNTER;
	return wide ? UINT64_MAX : UINT32_MAX;
}

/* Whether it counts the overflows of the counter below it, which has 32 bits. */
static bool is_chain(unsigned counter)
{
	return counter % 2 && counter < model.counters &&
	       (model.type[counter] & PMEVTYPER_EVENT_MASK) == EVENT_CHAIN;
}

/* The bits of registers that have one for each counter; the others are RES0. */
static uint64_t bits(uint64_t value)
{
	assert_false(value &
	             ~(model.instructions ? UINT32_MAX | 1ULL << INSTRUCTION_COUNTER : UINT32_MAX));
	return value;
}

static void advance(unsigned i, uint64_t events)
{
	uint64_t before = model.counter[i], mask = mask_of(i);

	if (!(model.enabled >> i & 1) || !(model.pmcr & PMCR_E) || !events)
		return;
	model.counted[i] += events;
	model.counter[i] = (before + events) & mask;
	if (events - 1 < mask - before)
		return;
	model.overflowed |= 1ULL << i;
	if (is_chain(i + 1))
		advance(i + 1, (before + events) >> 32);
}

static void count(uint64_t cycles)
{
	host_fake_cycles += cycles;
	for (unsigned i = 0; i < ARM_PMUV3_COUNTERS; i++) {
		if (!is_chain(i))
			advance(i, cycles);
	}
}

static uint64_t model_read(uint32_t reg)
{
	uint64_t *counter = counter_register(reg);

	count(model.access);
	switch (reg) {
	case ID_AA64DFR0_EL1:
		return model.version << ID_AA64DFR0_PMUVER;
	case ID_AA64DFR1_EL1:
		return (uint64_t)model.instructions << ID_AA64DFR1_PMICNTR;
	case MIDR_EL1:
		return model.midr;
	case PMMIR_EL1:
		assert_true(model.version >= PMUVER_V3P4);
		return model.pmmir;
	case PMCR_EL0:
		return model.pmcr | (uint64_t)model.counters << PMCR_N;
	case PMOVSCLR_EL0:
		return model.overflowed;
	case PMINTENSET_EL1:
		return model.interrupts;
	case PMCNTENSET_EL0:
		return model.enabled;
	case PMCEID0_EL0:
		return (model.events & UINT32_MAX) | model.extended << 32;
	case PMCEID1_EL0:
		return model.events >> 32 | (model.extended & ~(uint64_t)UINT32_MAX);
	default:
		return counter ? *counter : 0;
	}
}

static bool is_stuck(const uint64_t *counter)
{
	return counter >= model.counter && counter < model.counter + ARM_PMUV3_COUNTERS &&
	       model.stuck >> (counter - model.counter) & 1;
}

static void model_write(uint32_t reg, uint64_t value)
{
	uint64_t *counter = counter_register(reg);

	count(model.access);
	if (counter && !is_stuck(counter))
		*counter = value;
	switch (reg) {
	case PMCR_EL0:
		model.pmcr = value & (PMCR_E | PMCR_LC | PMCR_LP);
		break;
	case PMUSERENR_EL0:
		model.user = value;
		break;
	case PMSELR_EL0:
		assert_false(value & ~31ULL); /* RES0 */
		model.selected = value;
		break;
	case PMCNTENSET_EL0:
		model.enabled |= bits(value);
		break;
	case PMCNTENCLR_EL0:
		model.enabled &= ~bits(value);
		break;
	case PMINTENSET_EL1:
		model.interrupts |= bits(value);
		break;
	case PMINTENCLR_EL1:
		model.interrupts &= ~bits(value);
		break;
	case PMOVSCLR_EL0:
		model.overflowed &= ~bits(value);
		break;
	default:
		assert_non_null(counter);
		break;
	}
}

/* Cycles until one of the counters overflows, at most this many. */
static uint64_t step(uint64_t cycles)
{
	for (unsigned i = 0; i < ARM_PMUV3_COUNTERS; i++) {
		uint64_t left = mask_of(i) - model.counter[i] + 1; /* 0: 2^64 */

		if (model.enabled >> i & 1 && left && left < cycles && !is_chain(i))
			cycles = left;
	}
	return cycles;
}

void arm_pmuv3_model_run(uint64_t cycles, uint64_t late)
{
	uint64_t end = host_fake_cycles + cycles;

	while (host_fake_cycles < end) {
		count(step(end - host_fake_cycles));
		if (!(model.overflowed & model.interrupts))
			continue;
		count(late);
		fake_pmi(&rig_regs);
		assert_int_equal(model.overflowed & model.interrupts, 0);
	}
}

void arm_pmuv3_model_power_on(void)
{
	memset(arm_pmuv3_models, 0xff, sizeof(arm_pmuv3_models));
	for (unsigned i = 0; i < ARM_PMUV3_MODELS; i++) {
		arm_pmuv3_models[i].version = 1;
		arm_pmuv3_models[i].midr = 0x410fd034; /* Cortex-A53 */
		arm_pmuv3_models[i].pmcr = 0;
		arm_pmuv3_models[i].counters = 2;
		arm_pmuv3_models[i].stuck = 0;
		arm_pmuv3_models[i].instructions = false;
		arm_pmuv3_models[i].enabled = UINT32_MAX;
		arm_pmuv3_models[i].interrupts = arm_pmuv3_models[i].overflowed = UINT32_MAX;
		arm_pmuv3_models[i].access = 0;
		memset(arm_pmuv3_models[i].counted, 0, sizeof(arm_pmuv3_models[i].counted));
		arm_pmuv3_models[i].events = 1ULL << EVENT_CPU_CYCLES | 1ULL << EVENT_INST_RETIRED;
	}
	rig_power_on(EM_AARCH64, model_read, model_write);
	host_fake_cycles = 1000000000;
	clock_set(&machine_clock, 1000000000, host_fake_cycles);
}
