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
#include "pmu/intel_pmu_config.h"
#include "pmu/sampling.h"

#define COUNTERS 64U /* bits of the global registers */

/* Of each CPU: whose the counters are while they count, those switched on, and interrupts without a
 * cause. */
static struct perf_event *owners[TR_MAX_CPUS][COUNTERS];
static uint64_t active[TR_MAX_CPUS], spurious[TR_MAX_CPUS];
static uint32_t write_to;             /* IA32_PMC0, or IA32_A_PMC0 where it takes every bit */
static uint64_t claimed[TR_MAX_CPUS]; /* by add */
static bool prepared[TR_MAX_CPUS], frozen[TR_MAX_CPUS]; /* frozen: between disable and enable */

/* ---- One counter ---- */

static bool is_fixed(unsigned counter)
{
	return counter >= GLOBAL_FIXED;
}

static uint64_t counter_mask(unsigned counter)
{
	return is_fixed(counter) ? intel_unit()->fixed_mask : intel_unit()->general_mask;
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
		arch_reg_write(write_to + counter, value);
}

/* The longest distance to overflow that can be written: legacy writes to general counters are 32
 * bits, sign-extended (20.2.8); half of the range, so that no lap goes by unseen. */
static uint64_t farthest(unsigned counter)
{
	if (!is_fixed(counter) && write_to == IA32_PMC0)
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
	for (unsigned i = 0; i < intel_unit()->general; i++) {
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
	if (intel_unit()->version >= 2)
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

	if (intel_unit()->version >= 2)
		return arch_reg_read(IA32_PERF_GLOBAL_STATUS);
	for (unsigned i = 0; i < intel_unit()->general; i++) {
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
	else if (intel_unit()->version >= 2)
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
	write_to = intel_pmu_write_register();
	if (intel_unit()->version >= 2) {
		arch_reg_write(IA32_PERF_GLOBAL_CTRL, 0);
		arch_reg_write(IA32_FIXED_CTR_CTRL, 0);
	}
	for (unsigned i = 0; i < intel_unit()->general; i++)
		arch_reg_write(IA32_PERFEVTSEL0 + i, 0);
	if (intel_unit()->version >= 2)
		arch_reg_write(IA32_PERF_GLOBAL_OVF_CTRL, arch_reg_read(IA32_PERF_GLOBAL_STATUS));
	return arch_pmi_init(overflow);
}

static bool is_claimed(unsigned cpu, unsigned counter)
{
	return claimed[cpu] >> counter & 1;
}

static unsigned fixed_counter(const struct perf_event *event)
{
	unsigned fixed = intel_pmu_fixed(event->hw.intel_pmu.select);

	if (fixed && !is_claimed(event->cpu, GLOBAL_FIXED + fixed - 1))
		return GLOBAL_FIXED + fixed - 1;
	return COUNTERS;
}

static unsigned free_counter(const struct perf_event *event)
{
	unsigned counter = fixed_counter(event);

	for (unsigned i = 0; i < intel_unit()->general && counter == COUNTERS; i++) {
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
		uint64_t enable = intel_unit()->version >= 2 ? PERFEVTSEL_EN : 0;

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
	if (intel_unit()->version >= 2)
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
	.formats = intel_pmu_formats,
	.probe = intel_pmu_probe,
	.event_init = intel_pmu_event_init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
	.disable = disable,
	.enable = enable,
};
