/* SPDX-License-Identifier: MIT */
/* Counts are always exact: event->count grows by differences of the counter's value, however often
 * it is read, and a counter is written only while all are frozen. So the sum of PERIODs + residue =
 * count, for any delay of the interrupt. */
#include "pmu/arm/arm_pmuv3.h"

#include <errno.h>

#include "arch/aarch64/pmu/pmuv3.h"
#include "pmu/arm/arm_brbe.h"
#include "pmu/arm/arm_pmuv3_config.h"
#include "pmu/arm/arm_pmuv3_counters.h"
#include "pmu/counter_census.h"
#include "pmu/sampling.h"
#include "pmu/usual_sample.h"

#define EVEN_COUNTERS 0x55555555U /* lower counters of chained pairs */

struct arm_pmuv3_cpu arm_pmuv3_cpus[TR_MAX_CPUS];

/* ---- One counter ---- */

/* The bits of the event's counter and, for a chained pair, of its lower half. hw->counter is the
 * upper one, which overflows. */
static uint64_t arm_pmuv3_bits(const struct hw_arm_pmuv3 *hw)
{
	return arm_pmuv3_bit(hw->counter) | (hw->chained ? arm_pmuv3_bit(hw->counter - 1) : 0);
}

/* A pair is read again if a carry came between the two reads. */
static uint64_t arm_pmuv3_counter_read(const struct hw_arm_pmuv3 *hw)
{
	uint64_t high, low;

	if (!hw->chained)
		return arm_pmuv3_read_one(hw->counter);
	do {
		high = arm_pmuv3_read_one(hw->counter);
		low = arm_pmuv3_read_one(hw->counter - 1);
	} while (high != arm_pmuv3_read_one(hw->counter));
	return high << 32 | (low & UINT32_MAX);
}

static void arm_pmuv3_counter_write(const struct hw_arm_pmuv3 *hw, uint64_t value)
{
	if (hw->chained) {
		arm_pmuv3_write_one(hw->counter, value >> 32);
		arm_pmuv3_write_one(hw->counter - 1, value & UINT32_MAX);
	} else {
		arm_pmuv3_write_one(hw->counter, value);
	}
}

/* Bring event->count up to the counter's value. */
static inline void arm_pmuv3_counted_to(struct perf_event *event, uint64_t value)
{
	struct hw_arm_pmuv3 *hw = arm_pmuv3_of(event);

	event->count += (value - hw->value) & hw->mask;
	hw->value = value;
}

/* The value from which the counter overflows after distance; a narrow counter after half its range
 * at the latest, so that no wrap is missed. */
static inline uint64_t arm_pmuv3_before(struct perf_event *event, uint64_t distance)
{
	struct hw_arm_pmuv3 *hw = arm_pmuv3_of(event);

	if (distance > hw->mask >> 1)
		distance = hw->mask >> 1;
	hw->value = -distance & hw->mask;
	return hw->value;
}

static void arm_pmuv3_update(struct perf_event *event)
{
	arm_pmuv3_counted_to(event, arm_pmuv3_counter_read(arm_pmuv3_of(event)));
}

/* Set the stopped counter to overflow at the next sample's count. */
static void arm_pmuv3_program(struct perf_event *event)
{
	arm_pmuv3_counter_write(arm_pmuv3_of(event), arm_pmuv3_before(event, sampling_left(event)));
}

static bool arm_pmuv3_is_free(struct perf_event *const *mine)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		if (mine[i])
			return false;
	return true;
}

static enum arch_pmi arm_pmuv3_overflow(const struct arch_regs *regs);

static void arm_pmuv3_disable(void)
{
	struct arm_pmuv3_cpu *cpu = &arm_pmuv3_cpus[arch_cpu()];

	cpu->frozen = true;
	if (!cpu->prepared)
		return; /* not ours yet: arm_pmuv3_prepare_cpu() */
	arch_counter_write(PMCR_EL0, cpu->pmcr);
	arch_reg_sync();
}

static void arm_pmuv3_enable(void)
{
	struct arm_pmuv3_cpu *cpu = &arm_pmuv3_cpus[arch_cpu()];

	cpu->frozen = false;
	if (!arm_pmuv3_is_free(cpu->owners)) {
		arm_brbe_resume(arch_cpu()); /* a stop may have cleared the overflow that froze */
		arch_counter_write(PMCR_EL0, cpu->pmcr | PMCR_E);
		arch_reg_sync();
	} else if (cpu->prepared) {
		cpu->prepared = cpu->hides = false; /* others may use the counters */
		arch_counters_hide(0);
		arch_pmi_leave(arm_pmuv3_overflow);
	}
}

/* ---- The interrupt ---- */

/* Only the handler uses PMSELR_EL0. To name the counter in an instruction takes its number at
 * compile time, or a search. SEL has 5 bits; the instruction counter is not selectable. */
static inline void arm_pmuv3_select_counter(unsigned counter)
{
	arch_counter_write(PMSELR_EL0, counter % 32);
}

/* The counter of this event has overflowed; it is stopped, and selected if that is possible.
 * Handlers mask all interrupts, so no other handler runs. */
static inline void arm_pmuv3_overflowed(struct perf_event *event, const struct arch_regs *regs,
                                        uint64_t now)
{
	struct hw_arm_pmuv3 *hw = arm_pmuv3_of(event);
	uint64_t value;

	if (hw->selectable)
		arm_pmuv3_counted_to(event, arch_counter_read(PMXEVCNTR_EL0));
	else
		arm_pmuv3_update(event);
	value = arm_pmuv3_before(event, sampling_counted_alone(event, regs, now));
	if (hw->selectable)
		arch_counter_write(PMXEVCNTR_EL0, value);
	else
		arm_pmuv3_counter_write(hw, value);
}

/* The one synchronization in arch_cycles() is enough for the selection, the stop of the counters,
 * and the fall of the interrupt's level. The return synchronizes the writes at the end. */
static enum arch_pmi arm_pmuv3_overflow(const struct arch_regs *regs)
{
	unsigned number = arch_cpu();
	struct arm_pmuv3_cpu *cpu = &arm_pmuv3_cpus[number];
	uint64_t which = arch_counter_read(PMOVSCLR_EL0) & arch_counter_read(PMINTENSET_EL1), now;

	RING_OPAQUE(cpu); /* keeps the address in a register */
	if (!which)
		return ARCH_PMI_NOT_MINE;
	arm_pmuv3_select_counter((unsigned)__builtin_ctzll(which));
	arch_counter_write(PMCR_EL0, cpu->pmcr);
	arch_counter_write(PMOVSCLR_EL0, which);
	now = arch_cycles();
	for (;;) {
		struct perf_event *event = cpu->owners[__builtin_ctzll(which)];

		if (event)
			arm_pmuv3_overflowed(event, regs, now);
		which &= which - 1;
		if (__builtin_expect(!which, 1))
			break;
		arm_pmuv3_select_counter((unsigned)__builtin_ctzll(which));
		arch_reg_sync();
	}
	arm_brbe_resume(number);
	if (!cpu->frozen)
		arch_counter_write(PMCR_EL0, cpu->pmcr | PMCR_E);
	return ARCH_PMI_MINE;
}

/* ---- The counters of a CPU ---- */

/* A CPU's first event clears all counters. */
int arm_pmuv3_prepare_cpu(unsigned number)
{
	struct counter_census *census = &counter_census[number];
	struct arm_pmuv3_cpu *cpu = &arm_pmuv3_cpus[number];

	if (cpu->prepared)
		return 0;
	cpu->unit = arm_pmuv3_look();
	cpu->pmcr = PMCR_LC | (cpu->unit.long_events ? PMCR_LP : 0);
	arm_pmuv3_take_census(census, &cpu->unit);
	if (census->foreign == census->present)
		return -EBUSY;
	cpu->prepared = true;
	return arch_pmi_share(arm_pmuv3_overflow);
}

/* ---- Operations for the event core ---- */

/* Choose the counter for event; for a chained pair the upper one. COUNTERS: none is free. */
static unsigned arm_pmuv3_choose_counter(const struct perf_event *event, bool chained)
{
	uint64_t which = arm_pmuv3_free_counters(event->cpu), pairs;
	unsigned fixed = arm_pmuv3_fixed_counter(event, which);

	if (fixed != COUNTERS)
		return fixed;
	which &= ~ARM_PMUV3_FIXED;
	pairs = which & which >> 1 & EVEN_COUNTERS;
	if (chained)
		return pairs ? (unsigned)__builtin_ctzll(pairs) + 1 : COUNTERS;
	return which ? (unsigned)__builtin_ctzll(which) : COUNTERS;
}

/* Events do not count handlers; SPE samples them if they run at its level. */
static void arm_pmuv3_hide(struct arm_pmuv3_cpu *cpu)
{
	while (cpu->lent_alone && cpu->lent)
		arm_pmuv3_reclaim(cpu);
	if (!cpu->hides)
		arch_counters_hide(PMCNTENSET_EL0);
	cpu->hides = true;
}

static int arm_pmuv3_add(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = arm_pmuv3_of(event);
	struct arm_pmuv3_cpu *cpu = &arm_pmuv3_cpus[event->cpu];
	int code = arm_pmuv3_prepare_cpu(event->cpu);
	bool chained;

	if (code)
		return code;
	if (arm_pmuv3_excuse(&cpu->unit, event))
		return -ENXIO;
	chained = arm_pmuv3_is_long(event) && !cpu->unit.long_events;
	do
		hw->counter = arm_pmuv3_choose_counter(event, chained);
	while (hw->counter == COUNTERS && arm_pmuv3_reclaim(cpu));
	if (hw->counter == COUNTERS)
		return -EAGAIN;
	code = arm_brbe_add(event);
	if (code)
		return code;
	arm_pmuv3_hide(cpu);
	hw->chained = chained && !arm_pmuv3_is_fixed(hw->counter);
	hw->selectable = !hw->chained && !arm_pmuv3_is_fixed(hw->counter);
	hw->mask = hw->selectable && !cpu->unit.long_events ? UINT32_MAX : UINT64_MAX;
	cpu->owners[hw->counter] = event;
	if (hw->chained)
		cpu->owners[hw->counter - 1] = event;
	arm_pmuv3_configure(hw);
	return 0;
}

static void arm_pmuv3_del(struct perf_event *event)
{
	const struct hw_arm_pmuv3 *hw = arm_pmuv3_of(event);

	arm_brbe_del(event);
	arm_pmuv3_cpus[event->cpu].owners[hw->counter] = NULL;
	if (hw->chained)
		arm_pmuv3_cpus[event->cpu].owners[hw->counter - 1] = NULL;
}

static void arm_pmuv3_start(struct perf_event *event)
{
	const struct hw_arm_pmuv3 *hw = arm_pmuv3_of(event);

	arm_pmuv3_program(event);
	arch_reg_write(PMINTENSET_EL1, arm_pmuv3_bit(hw->counter));
	arch_reg_write(PMCNTENSET_EL0, arm_pmuv3_bits(hw));
	arch_reg_sync();
}

static void arm_pmuv3_stop(struct perf_event *event)
{
	const struct hw_arm_pmuv3 *hw = arm_pmuv3_of(event);

	arch_reg_write(PMCNTENCLR_EL0, arm_pmuv3_bits(hw));
	arch_reg_write(PMINTENCLR_EL1, arm_pmuv3_bit(hw->counter));
	arch_reg_sync();
	arm_pmuv3_update(event);
	arch_reg_write(PMOVSCLR_EL0, arm_pmuv3_bits(hw));
}

/* The overflow interrupt may be an NMI, so it is switched off while shared data changes. */
static void arm_pmuv3_read(struct perf_event *event)
{
	const struct hw_arm_pmuv3 *hw = arm_pmuv3_of(event);

	arch_reg_write(PMINTENCLR_EL1, arm_pmuv3_bit(hw->counter));
	arch_reg_sync();
	arm_pmuv3_update(event);
	arch_reg_write(PMINTENSET_EL1, arm_pmuv3_bit(hw->counter));
}

static uint64_t arm_pmuv3_peek(const struct perf_event *event)
{
	const struct hw_arm_pmuv3 *hw = arm_pmuv3_of(event);
	uint64_t value, count;

	do {
		value = ring_load(&hw->value);
		ring_barrier();
		count = (arm_pmuv3_counter_read(hw) - value) & hw->mask;
		count += ring_load(&event->count);
		ring_barrier();
	} while (ring_load(&hw->value) != value);
	return count;
}

const struct pmu pmu_arm_pmuv3 = {
	.source.name = "armv8_pmuv3",
	.source.description = "the CPU's counters: generic events, rNNN, event=N; long: 64 bits",
	.source.type = PERF_TYPE_ARM_PMUV3,
	.source.flags = PMU_RAW,
	.source.formats = arm_pmuv3_formats,
	.probe = arm_pmuv3_probe,
	.event_init = arm_pmuv3_event_init,
	.add = arm_pmuv3_add,
	.del = arm_pmuv3_del,
	.start = arm_pmuv3_start,
	.stop = arm_pmuv3_stop,
	.read = arm_pmuv3_read,
	.slow = sampling_slow,
	.peek = arm_pmuv3_peek,
	.branch_stack = arm_brbe_branch_stack,
	.disable = arm_pmuv3_disable,
	.enable = arm_pmuv3_enable,
};
