/* SPDX-License-Identifier: MIT */
/*
 * Who may touch a counter: the NMI handler, while the event is in owners[]; before and after,
 * the thread that starts or stops it. Taking it out of owners[] is one store, so the handler
 * comes wholly before or wholly after it, and nothing needs to be masked.
 *
 * A counter is written only while all are frozen, and count grows by differences of what it
 * shows: PERIODs + residue = count, whatever the interrupt's delay.
 */
#include "pmu/intel_pmu.h"

#include <errno.h>

#include "arch/x86_64/perfmon.h"
#include "pmu/intel_bts.h"
#include "pmu/sampling.h"

#define EM_X86_64       62   /* elsewhere there is no CPUID to ask */
#define SHORTEST_PERIOD 256U /* below some 100 the way out of the handler overflows by itself */
#define COUNTERS        64U  /* bits of the global registers */

/* perf's sysfs names for the fields of PERFEVTSEL. */
static const struct pmu_format formats[] = {
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

/* What this monitor is; the same on all CPUs, as far as we ask. */
static struct {
	unsigned version, general, fixed;
	uint64_t general_mask, fixed_mask; /* of a counter's value */
	uint32_t write;                    /* IA32_PMC0, or IA32_A_PMC0 where it takes every bit */
	uint32_t missing;                  /* architectural events, a bit each */
} unit;

/* Of each CPU: whose the counters are while they count, those switched on, and interrupts without a
 * cause. */
static struct perf_event *owners[TR_MAX_CPUS][COUNTERS];
static uint64_t active[TR_MAX_CPUS], spurious[TR_MAX_CPUS];
static uint64_t claimed[TR_MAX_CPUS];                   /* by add */
static bool prepared[TR_MAX_CPUS], frozen[TR_MAX_CPUS]; /* frozen: between disable and enable */

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

/* Not with the rest: probe() is asked before MSRs may be read. */
static uint32_t write_register(void)
{
	uint64_t ecx = arch_reg_read(CPUID_WORD(CPUID_FEATURES, CPUID_ECX));

	if (ecx & CPUID_FEATURES_PDCM &&
	    arch_reg_read(IA32_PERF_CAPABILITIES) & PERF_CAPABILITIES_FW_WRITE)
		return IA32_A_PMC0;
	return IA32_PMC0;
}

static int probe(const char **why)
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

/* ---- Events ---- */

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

static int init(struct perf_event *event)
{
	struct hw_intel_pmu *hw = &event->hw.intel_pmu;
	const char *why;

	if (event->attr.type != PERF_TYPE_HARDWARE && event->attr.type != PERF_TYPE_RAW)
		return -ENOENT;
	if (probe(&why))
		return -ENOENT;
	*hw = (struct hw_intel_pmu){ .select = select_value(&event->attr) };
	if (!hw->select)
		return -ENOENT;
	return sampling_init(event, SHORTEST_PERIOD);
}

/* ---- One counter ---- */

static bool is_fixed(unsigned counter)
{
	return counter >= GLOBAL_FIXED;
}

static uint64_t counter_mask(unsigned counter)
{
	return is_fixed(counter) ? unit.fixed_mask : unit.general_mask;
}

static uint64_t counter_read(unsigned counter)
{
	return arch_reg_read(is_fixed(counter) ? IA32_FIXED_CTR0 + counter - GLOBAL_FIXED
	                                       : IA32_PMC0 + counter);
}

static void counter_write(unsigned counter, uint64_t value)
{
	if (is_fixed(counter))
		arch_reg_write(IA32_FIXED_CTR0 + counter - GLOBAL_FIXED, value);
	else
		arch_reg_write(unit.write + counter, value);
}

/* The longest distance to overflow that can be written: legacy writes to general counters are 32
 * bits, sign-extended (20.2.8); half of the range, so that no lap goes by unseen. */
static uint64_t farthest(unsigned counter)
{
	if (!is_fixed(counter) && unit.write == IA32_PMC0)
		return INT32_MAX;
	return counter_mask(counter) >> 1;
}

/* event->count as the counter says now. */
static uint64_t count_now(const struct perf_event *event)
{
	const struct hw_intel_pmu *hw = &event->hw.intel_pmu;

	return hw->base + ((counter_read(hw->counter) - hw->value) & counter_mask(hw->counter));
}

/* Have the frozen counter overflow at the next sample's count, or as far as it can go. */
static void program(struct perf_event *event)
{
	struct hw_intel_pmu *hw = &event->hw.intel_pmu;
	uint64_t distance = sampling_left(event);

	if (distance > farthest(hw->counter))
		distance = farthest(hw->counter);
	hw->base = event->count;
	hw->value = -distance & counter_mask(hw->counter);
	counter_write(hw->counter, hw->value);
}

/* Version 1 has no global control: there a counter's own EN is the switch. */
static void switch_general(uint64_t on)
{
	for (unsigned i = 0; i < unit.general; i++) {
		const struct perf_event *event = owners[arch_cpu()][i];
		uint64_t select = event ? event->hw.intel_pmu.select | PERFEVTSEL_INT : 0;

		if (event)
			arch_reg_write(IA32_PERFEVTSEL0 + i,
			               on >> i & 1 ? select | PERFEVTSEL_EN : select);
	}
}

/* Let these counters run, and no others; 0 freezes all. */
static void let_run(uint64_t which)
{
	if (unit.version >= 2)
		arch_reg_write(IA32_PERF_GLOBAL_CTRL, which);
	else
		switch_general(which);
}

static void disable(void)
{
	unsigned cpu = arch_cpu();

	if (frozen[cpu])
		return;
	frozen[cpu] = true; /* first: a handler from here on leaves them frozen */
	if (active[cpu])
		let_run(0);
}

static void enable(void)
{
	unsigned cpu = arch_cpu();

	if (!frozen[cpu])
		return;
	frozen[cpu] = false;
	if (active[cpu])
		let_run(active[cpu]);
	prepared[cpu] = prepared[cpu] && claimed[cpu]; /* else it is anybody's until the next */
}

/* A handler may change other bits at any time. */
static void set_active(unsigned cpu, unsigned counter, bool on)
{
	uint64_t bit = 1ULL << counter, old;

	do
		old = active[cpu];
	while (!arch_cmpxchg_local(&active[cpu], old, on ? old | bit : old & ~bit));
}

/* ---- The interrupt ---- */

/* Version 1 does not say who overflowed: who has come past zero since it was programmed. */
static uint64_t overflowed(unsigned cpu)
{
	uint64_t which = 0;

	if (unit.version >= 2)
		return arch_reg_read(IA32_PERF_GLOBAL_STATUS);
	for (unsigned i = 0; i < unit.general; i++) {
		const struct perf_event *event = owners[cpu][i];

		if (event && counter_read(i) < event->hw.intel_pmu.value)
			which |= 1ULL << i;
	}
	return which;
}

static void overflow(const struct arch_regs *regs)
{
	uint64_t now = arch_cycles();
	unsigned cpu = arch_cpu();
	bool served = intel_bts_interrupted(cpu);
	bool was_frozen = frozen[cpu];
	uint64_t which;

	if (!active[cpu]) {
		spurious[cpu] += !served;
		return;
	}
	let_run(0);
	which = overflowed(cpu);
	if (!which)
		spurious[cpu] += !served;
	else if (unit.version >= 2)
		arch_reg_write(IA32_PERF_GLOBAL_OVF_CTRL, which);
	for (; which; which &= which - 1) {
		struct perf_event *event = owners[cpu][__builtin_ctzll(which)];

		if (!event)
			continue;
		event->count = count_now(event);
		sampling_counted(event, regs, now);
		program(event);
	}
	arch_pmi_ack();
	if (!was_frozen)
		let_run(active[cpu]);
}

int intel_pmu_take_interrupt(void)
{
	return arch_pmi_init(overflow);
}

uint64_t intel_pmu_spurious(unsigned cpu)
{
	return spurious[cpu];
}

/* ---- What the event core asks for ---- */

/* What firmware left behind would interrupt for nobody, or count on in our counters. */
static int prepare_cpu(unsigned cpu)
{
	if (prepared[cpu])
		return 0;
	prepared[cpu] = true;
	unit.write = write_register();
	if (unit.version >= 2) {
		arch_reg_write(IA32_PERF_GLOBAL_CTRL, 0);
		arch_reg_write(IA32_FIXED_CTR_CTRL, 0);
	}
	for (unsigned i = 0; i < unit.general; i++)
		arch_reg_write(IA32_PERFEVTSEL0 + i, 0);
	if (unit.version >= 2)
		arch_reg_write(IA32_PERF_GLOBAL_OVF_CTRL, arch_reg_read(IA32_PERF_GLOBAL_STATUS));
	return arch_pmi_init(overflow);
}

static bool is_claimed(unsigned cpu, unsigned counter)
{
	return claimed[cpu] >> counter & 1;
}

/* The fixed counter of an architectural event counts it as it is, with no other condition. */
static unsigned fixed_counter(const struct perf_event *event)
{
	uint64_t select = event->hw.intel_pmu.select & PERFEVTSEL_EVENT;

	for (unsigned i = 0; i < NR_ARCHITECTURAL; i++) {
		unsigned fixed = architectural[i].fixed;

		if (fixed && fixed <= unit.fixed && architectural[i].select == select &&
		    !is_claimed(event->cpu, GLOBAL_FIXED + fixed - 1))
			return GLOBAL_FIXED + fixed - 1;
	}
	return COUNTERS;
}

static unsigned free_counter(const struct perf_event *event)
{
	unsigned counter = fixed_counter(event);

	for (unsigned i = 0; i < unit.general && counter == COUNTERS; i++) {
		if (!is_claimed(event->cpu, i))
			counter = i;
	}
	return counter;
}

static int add(struct perf_event *event)
{
	unsigned counter = free_counter(event);
	int error;

	if (counter == COUNTERS)
		return -EAGAIN;
	error = prepare_cpu(event->cpu);
	if (error)
		return error;
	claimed[event->cpu] |= 1ULL << counter;
	event->hw.intel_pmu.counter = counter;
	return 0;
}

static void del(struct perf_event *event)
{
	claimed[event->cpu] &= ~(1ULL << event->hw.intel_pmu.counter);
}

/* Set the counter's controls; version 1's EN is left to thaw(). select 0: off. */
static void configure(unsigned counter, uint64_t select)
{
	unsigned shift = 4 * (counter - GLOBAL_FIXED);
	uint64_t control = 0;

	if (!is_fixed(counter)) {
		uint64_t enable = unit.version >= 2 ? PERFEVTSEL_EN : 0;

		arch_reg_write(IA32_PERFEVTSEL0 + counter,
		               select ? select | PERFEVTSEL_INT | enable : 0);
		return;
	}
	if (select)
		control = FIXED_CTR_CTRL_PMI | (select & PERFEVTSEL_OS ? FIXED_CTR_CTRL_OS : 0) |
		          (select & PERFEVTSEL_USR ? FIXED_CTR_CTRL_USR : 0);
	arch_reg_write(IA32_FIXED_CTR_CTRL,
	               (arch_reg_read(IA32_FIXED_CTR_CTRL) & ~(0xfULL << shift)) | control
	                                                                               << shift);
}

static void start(struct perf_event *event)
{
	struct hw_intel_pmu *hw = &event->hw.intel_pmu;

	configure(hw->counter, hw->select);
	program(event);
	__atomic_store_n(&owners[event->cpu][hw->counter], event, __ATOMIC_RELEASE);
	set_active(event->cpu, hw->counter, true);
}

static void stop(struct perf_event *event)
{
	struct hw_intel_pmu *hw = &event->hw.intel_pmu;

	__atomic_store_n(&owners[event->cpu][hw->counter], NULL, __ATOMIC_RELEASE);
	set_active(event->cpu, hw->counter, false);
	configure(hw->counter, 0);
	event->count = count_now(event);
	if (unit.version >= 2)
		arch_reg_write(IA32_PERF_GLOBAL_OVF_CTRL, 1ULL << hw->counter);
}

/* The NMI may come anywhere in here. It changes count, unless nothing was counted since, or it
 * changes base; then what was read is of two times, and is read again. */
static void read(struct perf_event *event)
{
	const struct hw_intel_pmu *hw = &event->hw.intel_pmu;
	uint64_t before, base, now;

	do {
		before = __atomic_load_n(&event->count, __ATOMIC_RELAXED);
		base = __atomic_load_n(&hw->base, __ATOMIC_RELAXED);
		now = count_now(event);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (base != __atomic_load_n(&hw->base, __ATOMIC_RELAXED) ||
	         !arch_cmpxchg_local(&event->count, before, now));
}

const struct pmu pmu_intel = {
	.name = "cpu",
	.description = "the CPU's counters: generic events, rNNN, event=N,umask=N",
	.type = PERF_TYPE_RAW,
	.flags = PMU_RAW,
	.formats = formats,
	.probe = probe,
	.event_init = init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
	.disable = disable,
	.enable = enable,
};
