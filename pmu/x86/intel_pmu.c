/* SPDX-License-Identifier: MIT */
/* The features and events of Intel's monitor; pmu/x86/x86_counters.c has the counters themselves.
 * If CPUs are of several types, each reports its own. */
#include "pmu/x86/intel_pmu.h"

#include <errno.h>

#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/sampling.h"
#include "pmu/x86/intel_features.h"
#include "pmu/x86/intel_pebs.h"
#include "pmu/x86/lbr/intel_lbr.h"
#include "pmu/x86/x86_counters.h"

/* perf's sysfs names for the fields of PERFEVTSEL. */
static const struct pmu_format formats[] = {
	{ "event", 0, 0, 7 }, { "umask", 0, 8, 15 },  { "edge", 0, 18, 18 }, { "any", 0, 21, 21 },
	{ "inv", 0, 23, 23 }, { "cmask", 0, 24, 31 }, { "ldlat", 1, 0, 15 }, { NULL, 0, 0, 0 },
};

static const struct pmu_event_name events[] = {
	{ "mem-loads", 0x01cd, "loads of at least ldlat=N cycles, with -d their addresses" },
	{ "mem-stores", 0x82d0, "stores, with -d their addresses" },
	{ NULL, 0, NULL },
};

/* Linux's encoding of events that only a fixed counter counts: event 0, and the counter's number +
 * 1 as unit mask. */
#define ONLY_FIXED(counter) (((counter) + 1U) << 8)

/* The fixed counters that count cycles of the CPU and of the TSC, one bit each. */
#define FIXED_CYCLES (1U << 1 | 1U << 2)

/* The architectural events, SDM volume 3B, table 20-1, indexed by PERF_COUNT_HW_*: the bit of
 * CPUID.0AH:EBX that is set if the event is missing, and the fixed counter that also counts it, if
 * any. */
static const struct {
	uint16_t select;
	uint8_t bit;
	uint8_t fixed; /* number + 1; 0: none */
} architectural[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = { 0x003c, 0, 2 },
	[PERF_COUNT_HW_INSTRUCTIONS] = { 0x00c0, 1, 1 },
	[PERF_COUNT_HW_CACHE_REFERENCES] = { 0x4f2e, 3, 0 },
	[PERF_COUNT_HW_CACHE_MISSES] = { 0x412e, 4, 0 },
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = { 0x00c4, 5, 0 },
	[PERF_COUNT_HW_BRANCH_MISSES] = { 0x00c5, 6, 0 },
	/* fixed counter 2 cannot count this event, because it counts at another rate */
	[PERF_COUNT_HW_BUS_CYCLES] = { 0x013c, 2, 0 },
	[PERF_COUNT_HW_REF_CPU_CYCLES] = { ONLY_FIXED(2), 32, 3 },
};
#define NR_ARCHITECTURAL (sizeof(architectural) / sizeof(architectural[0]))

static struct intel_features units[TR_MAX_CPUS]; /* filled at each preparation of the CPU */

static bool intel_pmu_is_intel(void)
{
	return intel_features_word(CPUID_WORD(0U, CPUID_EBX)) == CPUID_VENDOR_GENU;
}

static int intel_pmu_probe(const char **why)
{
	struct intel_features unit;

	*why = "this CPU is not from Intel";
	if (!intel_pmu_is_intel())
		return -ENODEV;
	unit = intel_features_look();
	*why = NULL;
	if (unit.version && unit.general)
		return 0;
	*why = "this CPU has no architectural performance monitoring";
	if (!(intel_features_word(CPUID_WORD(CPUID_FEATURES, CPUID_ECX)) &
	      CPUID_FEATURES_HYPERVISOR))
		return -ENODEV;
	*why =
	    "the hypervisor gives no performance monitor (CPUID 0AH says version 0): "
	    "switch its virtual PMU on (KVM: QEMU's -cpu host,pmu=on, and enable_pmu of the "
	    "host's module kvm; not on CPUs of two types)";
	return -EBUSY;
}

static int intel_pmu_probe_hybrid(const char **why)
{
	int code = intel_pmu_probe(why);

	if (code == -ENODEV || intel_features_core_type())
		return code;
	*why = "all CPUs of this machine are of one type: it is cpu// here";
	return -ENODEV;
}

/* ---- Events ---- */

static bool intel_pmu_is_only_fixed(uint64_t select)
{
	return !(select & PERFEVTSEL_EVENT_SELECT) && select & PERFEVTSEL_UMASK;
}

/* The counters of a unit that can count this event; 0: none. */
static uint64_t intel_pmu_candidates(const struct intel_features *unit, uint64_t select)
{
	uint64_t event = select & PERFEVTSEL_EVENT, general = (1ULL << unit->general) - 1;

	if (intel_pmu_is_only_fixed(select)) {
		uint64_t number = (event >> 8) - 1;

		return number < INTEL_FIXED_MOST ? (unit->fixed & 1ULL << number) << GLOBAL_FIXED
		                                 : 0;
	}
	if (event & PERFEVTSEL_ANY && !unit->any)
		return 0;
	for (unsigned i = 0; i < NR_ARCHITECTURAL; i++) {
		uint64_t fixed = architectural[i].fixed ? 1ULL << (architectural[i].fixed - 1) : 0;

		if (architectural[i].select == event)
			return general | (unit->fixed & fixed) << GLOBAL_FIXED;
	}
	return general;
}

static bool intel_pmu_is_missing(const struct intel_features *unit,
                                 const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE &&
	       (uint64_t)unit->missing >> architectural[attr->config].bit & 1;
}

/* PERFEVTSEL's value for attr, or 0 if no Intel CPU serves it. */
static uint64_t intel_pmu_select_value(const struct perf_event_attr *attr)
{
	uint64_t value = 0;

	if (attr->type == PERF_TYPE_HARDWARE && attr->config < NR_ARCHITECTURAL)
		value = architectural[attr->config].select;
	else if (attr->type != PERF_TYPE_HARDWARE && !(attr->config & ~PERFEVTSEL_EVENT))
		value = attr->config;
	return value ? value | x86_counter_rings(attr) : 0;
}

/* On a machine with several CPU types the calling CPU may be of another type than the event's. */
static int intel_pmu_init_type(struct perf_event *event, uint32_t type)
{
	struct intel_features unit = intel_features_look();
	int code;

	*x86_counter_of(event) =
	    (struct hw_x86_counter){ .select = intel_pmu_select_value(&event->attr) };
	if (!x86_counter_of(event)->select)
		return -ENOENT;
	if ((!type || type == unit.type) &&
	    (intel_pmu_is_missing(&unit, &event->attr) ||
	     !intel_pmu_candidates(&unit, x86_counter_of(event)->select)))
		return -ENOENT;
	code = intel_lbr_init(event);
	if (!code)
		code = intel_pebs_init(event, &x86_counter_of(event)->select);
	return code ? code : sampling_init(event);
}

static int intel_pmu_init(struct perf_event *event)
{
	const char *why;

	if (event->attr.type != PERF_TYPE_HARDWARE && event->attr.type != PERF_TYPE_RAW)
		return -ENOENT;
	return intel_pmu_probe(&why) ? -ENOENT : intel_pmu_init_type(event, 0);
}

static int intel_pmu_init_core(struct perf_event *event)
{
	const char *why;

	if (event->attr.type != PERF_TYPE_INTEL_CORE)
		return -ENOENT;
	return intel_pmu_probe_hybrid(&why) ? -ENODEV
	                                    : intel_pmu_init_type(event, CPUID_CORE_TYPE_CORE);
}

static int intel_pmu_init_atom(struct perf_event *event)
{
	const char *why;

	if (event->attr.type != PERF_TYPE_INTEL_ATOM)
		return -ENOENT;
	return intel_pmu_probe_hybrid(&why) ? -ENODEV
	                                    : intel_pmu_init_type(event, CPUID_CORE_TYPE_ATOM);
}

/* ---- Counters ---- */

/* A legacy write sets a general counter to 32 bits, sign-extended (20.2.8). */
static bool intel_pmu_writes_are_full(void)
{
	return intel_features_word(CPUID_WORD(CPUID_FEATURES, CPUID_ECX)) & CPUID_FEATURES_PDCM &&
	       arch_reg_read(IA32_PERF_CAPABILITIES) & PERF_CAPABILITIES_FW_WRITE;
}

/* The bits of IA32_DEBUGCTL that this CPU has: SDM volume 4, table 2-2. */
static uint64_t intel_pmu_debugctl_bits(const struct intel_features *unit)
{
	uint32_t ecx = intel_features_word(CPUID_WORD(CPUID_FEATURES, CPUID_ECX));
	uint32_t edx = intel_features_word(CPUID_WORD(CPUID_FEATURES, CPUID_EDX));
	uint64_t bits = 0;

	if (edx & CPUID_FEATURES_DS)
		bits |= DEBUGCTL_TR | DEBUGCTL_BTS | DEBUGCTL_BTINT;
	if (edx & CPUID_FEATURES_DS && ecx & CPUID_FEATURES_DS_CPL)
		bits |= DEBUGCTL_BTS_OFF_OS | DEBUGCTL_BTS_OFF_USR;
	if (unit->version >= 2 && ecx & CPUID_FEATURES_PDCM)
		bits |= DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBRS_ON_PMI | DEBUGCTL_FREEZE_PERFMON_ON_PMI;
	return bits;
}

static bool intel_pmu_has_pebs(const struct intel_features *unit)
{
	return unit->version >= 2 &&
	       intel_features_word(CPUID_WORD(CPUID_FEATURES, CPUID_EDX)) & CPUID_FEATURES_DS &&
	       intel_features_word(CPUID_WORD(CPUID_FEATURES, CPUID_ECX)) & CPUID_FEATURES_PDCM &&
	       !(arch_reg_read(IA32_MISC_ENABLE) & MISC_ENABLE_PEBS_UNAVAILABLE);
}

/* Called each time before the CPU's counters are taken into use. */
static int intel_pmu_prepare(unsigned cpu)
{
	struct intel_features *unit = &units[cpu];
	struct x86_monitor monitor;
	bool full;

	if (x86_counters_are_ours(cpu))
		return 0;
	*unit = intel_features_look();
	full = intel_pmu_writes_are_full();
	monitor = (struct x86_monitor){
		.general = unit->general,
		.fixed = unit->fixed,
		.general_mask = unit->general_mask,
		.fixed_mask = unit->fixed_mask,
		.farthest = full ? unit->general_mask >> 1 : INT32_MAX,
		.select = IA32_PERFEVTSEL0,
		.write = full ? IA32_A_PMC0 : IA32_PMC0,
		.step = 1,
		.cycles = architectural[PERF_COUNT_HW_CPU_CYCLES].select,
		.cycle_counters = ((1ULL << unit->general) - 1) |
		                  (uint64_t)(unit->fixed & FIXED_CYCLES) << GLOBAL_FIXED,
		.debugctl = intel_pmu_debugctl_bits(unit),
		.pebs = intel_pmu_has_pebs(unit),
	};
	if (unit->version >= 2) {
		monitor.global_ctrl = IA32_PERF_GLOBAL_CTRL;
		monitor.global_status = IA32_PERF_GLOBAL_STATUS;
		monitor.global_clear = IA32_PERF_GLOBAL_OVF_CTRL;
	}
	return x86_counters_prepare(cpu, &monitor);
}

static void intel_pmu_give_back(struct perf_event *event)
{
	x86_lbr_del(event);
	x86_counters_del(event);
}

/* type: the CPU type that can count it; 0: all. */
static int intel_pmu_add_to(struct perf_event *event, uint32_t type)
{
	const struct intel_features *unit = &units[event->cpu];
	int code = intel_pmu_prepare(event->cpu);
	uint64_t counters;

	if (code)
		return code;
	counters = intel_pmu_candidates(unit, x86_counter_of(event)->select);
	if (!counters || intel_pmu_is_missing(unit, &event->attr) || (type && type != unit->type))
		return -ENXIO;
	counters = intel_pebs_candidates(event, counters);
	code = x86_counters_claim(event, counters);
	if (code)
		return code;
	code = x86_lbr_add(event, &intel_lbr_ops);
	if (code) {
		x86_counters_del(event);
		return code;
	}
	code = intel_pebs_add(event);
	if (code)
		intel_pmu_give_back(event);
	return code;
}

static void intel_pmu_del(struct perf_event *event)
{
	intel_pebs_del(event);
	intel_pmu_give_back(event);
}

/* The tick. Its handler may run with the counters running (hosted mode). */
static void intel_pmu_poll(struct perf_event *event)
{
	x86_counters_disable();
	intel_pebs_drain(event->cpu);
	x86_counters_enable();
}

static int intel_pmu_add(struct perf_event *event)
{
	return intel_pmu_add_to(event, 0);
}

static int intel_pmu_add_core(struct perf_event *event)
{
	return intel_pmu_add_to(event, CPUID_CORE_TYPE_CORE);
}

static int intel_pmu_add_atom(struct perf_event *event)
{
	return intel_pmu_add_to(event, CPUID_CORE_TYPE_ATOM);
}

#define INTEL_PMU_OPS                                                                   \
	X86_COUNTERS_OPS, .source.formats = formats, .source.events = events,           \
	                  .del = intel_pmu_del, .branch_stack = intel_lbr_branch_stack, \
	                  .memory = intel_pebs_memory, .poll = intel_pmu_poll

const struct pmu pmu_intel = {
	.source.name = "cpu",
	.source.description = "the CPU's counters: generic events, rNNN, event=N,umask=N",
	.source.type = PERF_TYPE_RAW,
	.source.flags = PMU_RAW | PMU_PRECISE,
	.probe = intel_pmu_probe,
	.event_init = intel_pmu_init,
	.add = intel_pmu_add,
	INTEL_PMU_OPS,
};

const struct pmu pmu_intel_core = {
	.source.name = "cpu_core",
	.source.description = "the counters of performance cores",
	.source.type = PERF_TYPE_INTEL_CORE,
	.source.flags = PMU_PRECISE,
	.probe = intel_pmu_probe_hybrid,
	.event_init = intel_pmu_init_core,
	.add = intel_pmu_add_core,
	INTEL_PMU_OPS,
};

const struct pmu pmu_intel_atom = {
	.source.name = "cpu_atom",
	.source.description = "the counters of efficiency cores",
	.source.type = PERF_TYPE_INTEL_ATOM,
	.source.flags = PMU_PRECISE,
	.probe = intel_pmu_probe_hybrid,
	.event_init = intel_pmu_init_atom,
	.add = intel_pmu_add_atom,
	INTEL_PMU_OPS,
};
