/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/x86/intel_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86_64/pmu/lbr.h"
#include "tests/unit/pmu/counter_rig.h"

#define WIDTH 48U
#define MASK  ((1ULL << WIDTH) - 1)
/* Without ANY before version 3, SDM volume 3B, 20.2.1.1 */
#define SELECT_ALLOWED                                     \
	((model.version < 3 ? 0xffdfffffU : 0xffffffffU) | \
	 (model.pebs.format >= 4 ? 1ULL << 34 : 0))

/* BTS and freezing by PMI exist only if CPUID reports them. */
#define DEBUGCTL_ALLOWED                                                                \
	(3ULL | (model.debug_store ? DEBUGCTL_TR | DEBUGCTL_BTS | DEBUGCTL_BTINT : 0) | \
	 (has_capabilities() ? DEBUGCTL_FREEZE_LBRS_ON_PMI | DEBUGCTL_FREEZE_PERFMON_ON_PMI : 0))
/* IA32_PERF_GLOBAL_STATUS, of each version: SDM volume 3B, chapter 20 */
#define STATUS_BITS                                                             \
	(INTEL_MODEL_ALL | 3ULL << 62 | (model.version >= 3 ? 1ULL << 61 : 0) | \
	 (model.version >= 4 ? 7ULL << 58 | 1ULL << 55 : 0))

#define STATUS_LBR_FRZ 58 /* from version 4 on */

struct intel_model intel_models[INTEL_MODELS];
#define model (intel_models[fake_cpu_number])

/* Real CPUs have the register also without full-width writes. */
static bool has_capabilities(void)
{
	return model.full_width || model.version >= 3 || model.lbr.format || model.pebs.format;
}

static uint64_t fault(void)
{
	model.faults++;
	return 0;
}

/* A hypervisor's CPU without counters is excepted: the driver tries it. */
static uint64_t rdpmc(uint32_t selector)
{
	unsigned counter = selector & ~RDPMC_FIXED;

	if (model.no_rdpmc)
		return 0;
	if (selector & RDPMC_FIXED && counter < INTEL_MODEL_FIXED && model.version >= 2)
		return model.counter[GLOBAL_FIXED + counter];
	return selector < model.general ? model.counter[selector] : fault();
}

static uint64_t read_cpuid(uint32_t reg)
{
	switch (reg) {
	case CPUID_WORD(0U, CPUID_EBX):
		return CPUID_VENDOR_GENU;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EAX):
		return model.version | model.general << 8 | WIDTH << 16 |
		       (uint64_t)model.events << 24;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EBX):
		return 1 << 4; /* no LLC misses */
	case CPUID_WORD(CPUID_PERFMON, CPUID_EDX):
		return model.version >= 2 ? INTEL_MODEL_FIXED | WIDTH << 5 : 0;
	case CPUID_WORD(CPUID_PERFMON, CPUID_ECX):
		return model.more_fixed;
	case CPUID_WORD(CPUID_FEATURES, CPUID_ECX):
		return (has_capabilities() ? CPUID_FEATURES_PDCM : 0) |
		       (model.pebs.format ? CPUID_FEATURES_DTES64 : 0) |
		       (model.hypervisor ? CPUID_FEATURES_HYPERVISOR : 0);
	case CPUID_WORD(CPUID_FEATURES, CPUID_EDX):
		return model.debug_store ? CPUID_FEATURES_DS : 0;
	case CPUID_WORD(CPUID_STRUCTURED, CPUID_EDX):
		return (model.type ? CPUID_STRUCTURED_HYBRID : 0) |
		       (model.lbr.architectural ? CPUID_STRUCTURED_ARCH_LBR : 0);
	case CPUID_WORD(CPUID_LBR, CPUID_EAX)... CPUID_WORD(CPUID_LBR, CPUID_EDX):
		return lbr_model_cpuid(&model.lbr, reg);
	case CPUID_WORD(CPUID_CORE, CPUID_EAX):
		return model.type << CPUID_CORE_TYPE;
	default:
		return 0;
	}
}

static bool has_pebs(void)
{
	return model.debug_store && has_capabilities() &&
	       !(model.misc_enable & MISC_ENABLE_PEBS_UNAVAILABLE);
}

/* Registers whose existence does not depend on a counter's number. */
static uint64_t read_msr(uint32_t reg)
{
	switch (reg) {
	case IA32_MISC_ENABLE:
		return model.misc_enable;
	case IA32_DEBUGCTL:
		return model.debugctl;
	case IA32_PEBS_ENABLE:
		return has_pebs() ? model.pebs_enable : fault();
	case IA32_PERF_CAPABILITIES:
		if (!has_capabilities())
			return fault();
		return (model.full_width ? PERF_CAPABILITIES_FW_WRITE : 0) | model.lbr.format |
		       pebs_model_capabilities(&model.pebs);
	case IA32_FIXED_CTR_CTRL:
		return model.version >= 2 ? model.fixed_control : fault();
	case IA32_PERF_GLOBAL_STATUS:
		return model.version >= 2 ? model.status : fault();
	case IA32_PERF_GLOBAL_CTRL:
		return model.version >= 2 ? model.global_control : fault();
	default:
		return fault();
	}
}

static bool counts(unsigned i)
{
	if (model.dead >> i & 1 || (model.version >= 2 && !(model.global_control >> i & 1)))
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

/* SDM volume 3B, 17.4.7 */
static void freeze(void)
{
	if (!(model.debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI))
		return;
	if (model.version >= 4)
		model.status |= 1ULL << STATUS_LBR_FRZ;
	else
		model.debugctl &= ~DEBUGCTL_LBR;
}

/* Every running counter counts so many events; true: one that may interrupt has overflowed. */
bool intel_model_count_on(uint64_t events)
{
	bool interrupt = false, is_recorded;
	uint64_t recorded = 0;

	for (unsigned i = 0; i < GLOBAL_FIXED + INTEL_MODEL_FIXED; i++) {
		uint64_t before = model.counter[i];

		if (!counts(i))
			continue;
		model.counted[i] += events;
		if (model.pebs.enable >> i & 1) {
			model.counter[i] =
			    pebs_model_count(&model.pebs, i, before, events, &is_recorded);
			recorded |= is_recorded ? 1ULL << i : 0;
			continue;
		}
		model.counter[i] = (before + events) & MASK;
		if (model.counter[i] >= before)
			continue;
		model.status |= model.version >= 2 ? 1ULL << i : 0;
		interrupt |= interrupts(i);
	}
	if (recorded && pebs_model_record(&model.pebs, recorded)) {
		model.status |= 1ULL << 62;
		interrupt = true;
	}
	if (interrupt)
		freeze();
	return interrupt;
}

void intel_model_branch(uint32_t kind, uint64_t from, uint64_t to, uint64_t info)
{
	bool on = model.lbr.architectural || model.debugctl & DEBUGCTL_LBR;

	lbr_model_branch(&model.lbr, on && !(model.status & 1ULL << STATUS_LBR_FRZ), kind, from, to,
	                 info);
}

/* The time of an access. An overflow in it leaves its interrupt pending. */
static void take_time(void)
{
	if (model.access_events && intel_model_count_on(model.access_events))
		model.pending = true;
}

static uint64_t model_read(uint32_t reg)
{
	uint64_t value;

	take_time();
	if (lbr_model_read(&model.lbr, reg, &value) || pebs_model_read(&model.pebs, reg, &value))
		return value;
	if ((reg & ~0x3ffU) == CPUID_WORDS)
		return read_cpuid(reg);
	if ((reg & ~0x1ffU) == RDPMC_VALUES)
		return rdpmc(RDPMC_SELECTOR(reg));
	if (reg >= IA32_PERFEVTSEL0 && reg < IA32_PERFEVTSEL0 + model.general)
		return model.select[reg - IA32_PERFEVTSEL0];
	return read_msr(reg);
}

/* The counter that a write changes, or none. */
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

static bool is_counter(uint32_t reg)
{
	return written(reg) < 63 && !(reg >= IA32_PERFEVTSEL0 && reg < IA32_PERFEVTSEL0 + 32);
}

static void model_write(uint32_t reg, uint64_t value)
{
	take_time();
	if (model.stuck >> written(reg) & 1 || lbr_model_write(&model.lbr, reg, value) ||
	    pebs_model_write(&model.pebs, reg, value))
		return;
	if (is_counter(reg) && counts(written(reg)))
		model.running_writes++;
	if (reg >= IA32_PERFEVTSEL0 && reg < IA32_PERFEVTSEL0 + model.general)
		set(&model.select[reg - IA32_PERFEVTSEL0], value, SELECT_ALLOWED);
	else if (reg >= IA32_PMC0 && reg < IA32_PMC0 + model.general)
		model.counter[reg - IA32_PMC0] = (uint64_t)(int64_t)(int32_t)value & MASK;
	else if (reg >= IA32_A_PMC0 && reg < IA32_A_PMC0 + model.general && model.full_width)
		set(&model.counter[reg - IA32_A_PMC0], value, MASK);
	else if (reg == IA32_DEBUGCTL)
		set(&model.debugctl, value, DEBUGCTL_ALLOWED);
	else if (reg == IA32_PEBS_ENABLE && has_pebs())
		set(&model.pebs_enable, value, 0xf);
	else if (model.version < 2)
		model.faults++;
	else if (reg >= IA32_FIXED_CTR0 && reg < IA32_FIXED_CTR0 + INTEL_MODEL_FIXED)
		set(&model.counter[GLOBAL_FIXED + reg - IA32_FIXED_CTR0], value, MASK);
	else if (reg == IA32_FIXED_CTR_CTRL)
		set(&model.fixed_control, value, 0xbbb);
	else if (reg == IA32_PERF_GLOBAL_CTRL)
		set(&model.global_control, value, INTEL_MODEL_ALL);
	else if (reg == IA32_PERF_GLOBAL_OVF_CTRL && !(value & ~STATUS_BITS))
		model.status &= ~value;
	else
		model.faults++;
}

int intel_model_off(void **state)
{
	(void)state;
	for (unsigned i = 0; i < INTEL_MODELS; i++)
		assert_int_equal(intel_models[i].faults, 0);
	return 0;
}

void intel_model_power_on(unsigned version, bool full_width)
{
	intel_model_off(NULL);
	memset(intel_models, 0, sizeof(intel_models));
	for (unsigned i = 0; i < INTEL_MODELS; i++) {
		intel_models[i].version = version;
		intel_models[i].full_width = full_width;
		intel_models[i].general = 4;
		intel_models[i].events = 7;
	}
	rig_power_on(EM_X86_64, model_read, model_write);
}
