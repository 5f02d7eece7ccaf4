/* SPDX-License-Identifier: MIT */
/* The features and events of AMD's monitor; pmu/x86/x86_counters.c has the counters themselves. */
#include "pmu/x86/amd_pmu.h"

#include <errno.h>

#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/sampling.h"
#include "pmu/x86/lbr/amd_lbr.h"
#include "pmu/x86/x86_counters.h"

#define FIRST_ZEN 0x17U

/* perf's sysfs names. The event number's upper bits are in a field of their own. */
static const struct pmu_format formats[] = {
	{ "event", 0, 0, 7 }, { "event", 0, 32, 35 }, { "umask", 0, 8, 15 }, { "edge", 0, 18, 18 },
	{ "inv", 0, 23, 23 }, { "cmask", 0, 24, 31 }, { NULL, 0, 0, 0 },
};

/* Indexed by PERF_COUNT_HW_*: the event and unit mask for all families, or for families before 17H
 * and from 17H on (BKDGs of families 10H to 16H; PPRs of 17H and 19H, "Core Performance Monitor
 * Counters"). 0: none. */
static const struct {
	uint16_t before_zen, zen;
} generic[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = { 0x0076, 0x0076 },
	[PERF_COUNT_HW_INSTRUCTIONS] = { 0x00c0, 0x00c0 },
	[PERF_COUNT_HW_CACHE_REFERENCES] = { 0x077d, 0xff60 },
	[PERF_COUNT_HW_CACHE_MISSES] = { 0x077e, 0x0964 },
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = { 0x00c2, 0x00c2 },
	[PERF_COUNT_HW_BRANCH_MISSES] = { 0x00c3, 0x00c3 },
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = { 0x00d0, 0 },
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = { 0x00d1, 0 },
};
#define NR_GENERIC (sizeof(generic) / sizeof(generic[0]))

static uint32_t amd_pmu_cpuid_word(uint32_t reg)
{
	return (uint32_t)arch_reg_read(reg);
}

static bool amd_pmu_has_extension(void)
{
	return amd_pmu_cpuid_word(CPUID_WORD(CPUID_EXTENDED_FEATURES, CPUID_ECX)) &
	       CPUID_EXTENDED_PERF_CTR_CORE;
}

static bool amd_pmu_has_version_2(void)
{
	return amd_pmu_cpuid_word(CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EAX)) &
	       CPUID_EXTENDED_PERFMON_V2;
}

static int amd_pmu_probe(const char **why)
{
	uint32_t ecx;

	*why = "this CPU is not from AMD";
	if (amd_pmu_cpuid_word(CPUID_WORD(0U, CPUID_EBX)) != CPUID_VENDOR_AUTH)
		return -ENODEV;
	/* CPUID does not report the four legacy counters; every real AMD CPU has them. */
	ecx = amd_pmu_cpuid_word(CPUID_WORD(CPUID_FEATURES, CPUID_ECX));
	*why =
	    "the hypervisor gives no counters (CPUID 80000001H has no PerfCtrExtCore): switch "
	    "its virtual PMU on (KVM: QEMU's -cpu host,pmu=on, and enable_pmu of the host's "
	    "module kvm)";
	if (ecx & CPUID_FEATURES_HYPERVISOR && !amd_pmu_has_extension())
		return -EBUSY;
	*why = NULL;
	return 0;
}

/* ---- Events ---- */

static unsigned amd_pmu_family(void)
{
	uint32_t eax = amd_pmu_cpuid_word(CPUID_WORD(CPUID_FEATURES, CPUID_EAX));
	unsigned base = eax >> 8 & 0xf;

	return base == 0xf ? base + (eax >> 20 & 0xff) : base;
}

static uint64_t amd_pmu_generic_event(uint64_t config)
{
	if (config >= NR_GENERIC)
		return 0;
	return amd_pmu_family() >= FIRST_ZEN ? generic[config].zen : generic[config].before_zen;
}

/* PERF_CTL's value for attr; 0: not served. */
static uint64_t amd_pmu_select_value(const struct perf_event_attr *attr)
{
	uint64_t value = attr->config;

	if (attr->type == PERF_TYPE_HARDWARE)
		value = amd_pmu_generic_event(attr->config);
	return !value || value & ~PERF_CTL_EVENT ? 0 : value | x86_counter_rings(attr);
}

static int amd_pmu_init(struct perf_event *event)
{
	const char *why;
	int code;

	if (event->attr.type != PERF_TYPE_HARDWARE && event->attr.type != PERF_TYPE_RAW)
		return -ENOENT;
	if (amd_pmu_probe(&why))
		return -ENOENT;
	*x86_counter_of(event) =
	    (struct hw_x86_counter){ .select = amd_pmu_select_value(&event->attr) };
	if (!x86_counter_of(event)->select)
		return -ENOENT;
	code = amd_lbr_init(event);
	return code ? code : sampling_init(event);
}

/* ---- Counters ---- */

static unsigned amd_pmu_counters(void)
{
	if (amd_pmu_has_version_2())
		return amd_pmu_cpuid_word(CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EBX)) >>
		           CPUID_EXTENDED_PERFMON_COUNTERS &
		       0xf;
	return amd_pmu_has_extension() ? PERF_COUNTERS : PERF_LEGACY_COUNTERS;
}

static struct x86_monitor amd_pmu_look(void)
{
	struct x86_monitor monitor = {
		.general = amd_pmu_counters(),
		.general_mask = (1ULL << PERF_CTR_WIDTH) - 1,
		.farthest = (1ULL << (PERF_CTR_WIDTH - 1)) - 1,
		.select = PERF_LEGACY_CTL0,
		.write = PERF_LEGACY_CTR0,
		.step = 1,
		.cycles = generic[PERF_COUNT_HW_CPU_CYCLES].zen,
		.cycle_counters = (1ULL << amd_pmu_counters()) - 1,
	};

	if (amd_pmu_has_extension()) {
		monitor.select = PERF_CTL0;
		monitor.write = PERF_CTR0;
		monitor.step = PERF_CTR0 - PERF_CTL0 + 1;
	}
	if (amd_pmu_has_version_2()) {
		monitor.global_ctrl = PERF_CNTR_GLOBAL_CTL;
		monitor.global_status = PERF_CNTR_GLOBAL_STATUS;
		monitor.global_clear = PERF_CNTR_GLOBAL_STATUS_CLR;
	}
	return monitor;
}

static int amd_pmu_add(struct perf_event *event)
{
	struct x86_monitor monitor;
	int code = 0;

	if (!x86_counters_are_ours(event->cpu)) {
		monitor = amd_pmu_look();
		code = x86_counters_prepare(event->cpu, &monitor);
	}
	if (!code)
		code = x86_counters_claim(event, UINT64_MAX);
	if (code)
		return code;
	code = x86_lbr_add(event, &amd_lbr_ops);
	if (code)
		x86_counters_del(event);
	return code;
}

static void amd_pmu_del(struct perf_event *event)
{
	x86_lbr_del(event);
	x86_counters_del(event);
}

const struct pmu pmu_amd = {
	.source.name = "cpu",
	.source.description = "the CPU's counters: generic events, rNNN, event=N,umask=N",
	.source.type = PERF_TYPE_RAW,
	.source.flags = PMU_RAW,
	.source.formats = formats,
	.probe = amd_pmu_probe,
	.event_init = amd_pmu_init,
	.add = amd_pmu_add,
	.del = amd_pmu_del,
	.branch_stack = amd_lbr_branch_stack,
	X86_COUNTERS_OPS,
};
