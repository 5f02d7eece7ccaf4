/* SPDX-License-Identifier: MIT */
#include "pmu/intel_pmu_config.h"

#include <errno.h>

#include "arch/x86_64/perfmon.h"
#include "pmu/sampling.h"

#define EM_X86_64       62   /* elsewhere there is no CPUID to ask */
#define SHORTEST_PERIOD 256U /* below some 100 the way out of the handler overflows by itself */

/* perf's sysfs names for the fields of PERFEVTSEL. */
const struct pmu_format intel_pmu_formats[] = {
	{ "event", 0, 0, 7 }, { "umask", 0, 8, 15 },  { "edge", 0, 18, 18 }, { "any", 0, 21, 21 },
	{ "inv", 0, 23, 23 }, { "cmask", 0, 24, 31 }, { NULL, 0, 0, 0 },
};

/* The architectural events, SDM volume 3B, table 20-1: bit of CPUID.0AH:EBX that is set where the
 * event is missing, fixed counter that counts it (or none), by PERF_COUNT_HW_*. */
static const struct {
	uint16_t select;
	uint8_t bit;
	uint8_t fixed; /* counter + 1; 0: none */
} architectural[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = { 0x003c, 0, 2 },
	[PERF_COUNT_HW_INSTRUCTIONS] = { 0x00c0, 1, 1 },
	[PERF_COUNT_HW_CACHE_REFERENCES] = { 0x4f2e, 3, 0 },
	[PERF_COUNT_HW_CACHE_MISSES] = { 0x412e, 4, 0 },
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = { 0x00c4, 5, 0 },
	[PERF_COUNT_HW_BRANCH_MISSES] = { 0x00c5, 6, 0 },
	[PERF_COUNT_HW_REF_CPU_CYCLES] = { 0x013c, 2, 3 },
};
#define NR_ARCHITECTURAL (sizeof(architectural) / sizeof(architectural[0]))

static struct intel_unit unit;

const struct intel_unit *intel_unit(void)
{
	return &unit;
}

static uint32_t field(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((1U << bits) - 1);
}

static uint64_t mask_of(unsigned width)
{
	return width && width < 64 ? (1ULL << width) - 1 : UINT32_MAX;
}

static void look(void)
{
	uint32_t eax = (uint32_t)arch_reg_read(CPUID_WORD(CPUID_PERFMON, CPUID_EAX));
	uint32_t ebx = (uint32_t)arch_reg_read(CPUID_WORD(CPUID_PERFMON, CPUID_EBX));
	uint32_t edx = (uint32_t)arch_reg_read(CPUID_WORD(CPUID_PERFMON, CPUID_EDX));
	unsigned events = field(eax, CPUID_PERFMON_EVENTS, 8);

	unit.version = field(eax, CPUID_PERFMON_VERSION, 8);
	unit.general = field(eax, CPUID_PERFMON_COUNTERS, 8);
	unit.general = unit.general < GLOBAL_FIXED ? unit.general : GLOBAL_FIXED;
	unit.general_mask = mask_of(field(eax, CPUID_PERFMON_WIDTH, 8));
	unit.fixed = unit.version >= 2 ? field(edx, CPUID_PERFMON_FIXED, 5) : 0;
	unit.fixed_mask = mask_of(field(edx, CPUID_PERFMON_FIXED_WIDTH, 8));
	unit.missing = events < 32 ? ebx | ~((1U << events) - 1) : ebx;
}

uint32_t intel_pmu_write_register(void)
{
	uint64_t ecx = arch_reg_read(CPUID_WORD(CPUID_FEATURES, CPUID_ECX));

	if (ecx & CPUID_FEATURES_PDCM &&
	    arch_reg_read(IA32_PERF_CAPABILITIES) & PERF_CAPABILITIES_FW_WRITE)
		return IA32_A_PMC0;
	return IA32_PMC0;
}

int intel_pmu_probe(const char **why)
{
	*why = "this CPU is no x86";
	if (arch_elf_machine() != EM_X86_64)
		return -ENODEV;
	look();
	*why = "this CPU has no architectural performance monitoring, or a hypervisor hides it";
	if (!unit.version || !unit.general)
		return -ENODEV;
	*why = NULL;
	return 0;
}

/* PERFEVTSEL's value for attr, or 0 if this monitor does not serve it. */
static uint64_t select_value(const struct perf_event_attr *attr)
{
	uint64_t value = 0;

	if (attr->type == PERF_TYPE_RAW)
		value = attr->config & ~PERFEVTSEL_EVENT ? 0 : attr->config;
	else if (attr->type == PERF_TYPE_HARDWARE && attr->config < NR_ARCHITECTURAL &&
	         architectural[attr->config].select &&
	         !(unit.missing >> architectural[attr->config].bit & 1))
		value = architectural[attr->config].select;
	if (!value)
		return 0;
	if (!(attr->flags & PERF_ATTR_EXCLUDE_USER))
		value |= PERFEVTSEL_USR;
	if (!(attr->flags & PERF_ATTR_EXCLUDE_KERNEL))
		value |= PERFEVTSEL_OS;
	return value;
}

int intel_pmu_event_init(struct perf_event *event)
{
	struct hw_intel_pmu *hw = &event->hw.intel_pmu;
	const char *why;

	if (event->attr.type != PERF_TYPE_HARDWARE && event->attr.type != PERF_TYPE_RAW)
		return -ENOENT;
	if (intel_pmu_probe(&why))
		return -ENOENT;
	*hw = (struct hw_intel_pmu){ .select = select_value(&event->attr) };
	if (!hw->select)
		return -ENOENT;
	return sampling_init(event, SHORTEST_PERIOD);
}

unsigned intel_pmu_fixed(uint64_t select)
{
	for (unsigned i = 0; i < NR_ARCHITECTURAL; i++) {
		unsigned fixed = architectural[i].fixed;

		if (fixed && fixed <= unit.fixed &&
		    architectural[i].select == (select & PERFEVTSEL_EVENT))
			return fixed;
	}
	return 0;
}
