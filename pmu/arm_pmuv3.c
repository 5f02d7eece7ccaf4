/* SPDX-License-Identifier: MIT */
/*
 * Counting never stops to be exact: count grows by differences of what the counter shows, however
 * often it is looked at, and a counter is written only while all are frozen. So PERIODs + residue
 * = count, whatever the interrupt's delay.
 */
#include "pmu/arm_pmuv3.h"

#include <errno.h>

#include "arch/aarch64/pmuv3.h"
#include "pmu/arm_pmuv3_config.h"
#include "pmu/counter_census.h"
#include "pmu/sampling.h"

#define COUNTERS      32U
#define EVEN_COUNTERS 0x55555555U /* a chained pair begins with one of these */

static struct arm_pmuv3_unit units[TR_MAX_CPUS]; /* as of a CPU's last preparation */

/* Of each CPU: who has which counter; a pair of chained ones, both. */
static struct perf_event *owners[TR_MAX_CPUS][COUNTERS];
static bool prepared[TR_MAX_CPUS], frozen[TR_MAX_CPUS]; /* frozen: between disable and enable */

/* ---- One counter ---- */

static uint32_t bit(unsigned counter)
{
	return 1U << counter;
}

/* The counter, and the lower half of a chained pair: counter is the upper one, which overflows. */
static uint32_t bits(const struct hw_arm_pmuv3 *hw)
{
	return hw->chained ? bit(hw->counter) | bit(hw->counter - 1) : bit(hw->counter);
}

static uint64_t counter_mask(unsigned cpu, const struct hw_arm_pmuv3 *hw)
{
	return hw->counter == CYCLE_COUNTER || hw->chained || units[cpu].long_events ? UINT64_MAX
	                                                                             : UINT32_MAX;
}

static uint64_t read_one(unsigned counter)
{
	if (counter == CYCLE_COUNTER)
		return arch_counter_read(PMCCNTR_EL0);
	return arch_counter_read(PMEVCNTR_EL0(counter));
}

static void write_one(unsigned counter, uint64_t value)
{
	if (counter == CYCLE_COUNTER)
		arch_counter_write(PMCCNTR_EL0, value);
	else
		arch_counter_write(PMEVCNTR_EL0(counter), value);
}

/* A pair may carry between two reads. */
static uint64_t counter_read(const struct hw_arm_pmuv3 *hw)
{
	uint64_t high, low;

	if (!hw->chained)
		return read_one(hw->counter);
	do {
		high = read_one(hw->counter);
		low = read_one(hw->counter - 1);
	} while (high != read_one(hw->counter));
	return high << 32 | (low & UINT32_MAX);
}

static void counter_write(const struct hw_arm_pmuv3 *hw, uint64_t value)
{
	if (hw->chained) {
		write_one(hw->counter, value >> 32);
		write_one(hw->counter - 1, value & UINT32_MAX);
	} else {
		write_one(hw->counter, value);
	}
}

/* Bring count up to date. */
static void update(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;
	uint64_t value = counter_read(hw);

	event->count += (value - hw->value) & counter_mask(event->cpu, hw);
	hw->value = value;
}

/* Have the counter, which does not count now, overflow at the next sample's count; a narrow one
 * at half its range, if that comes first, so that no lap goes by unseen. */
static void program(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;
	uint64_t mask = counter_mask(event->cpu, hw), distance = sampling_left(event);

	if (distance > mask >> 1)
		distance = mask >> 1;
	hw->value = -distance & mask;
	counter_write(hw, hw->value);
}

static void freeze(void)
{
	arch_counter_write(PMCR_EL0, arch_counter_read(PMCR_EL0) & ~(uint64_t)PMCR_E);
	arch_reg_sync();
}

static void thaw(void)
{
	uint64_t wide = PMCR_LC | (units[arch_cpu()].long_events ? PMCR_LP : 0);

	arch_counter_write(PMCR_EL0, arch_counter_read(PMCR_EL0) | wide | PMCR_E);
	arch_reg_sync();
}

static bool is_free(struct perf_event *const *mine)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		if (mine[i])
			return false;
	}
	return true;
}

static void disable(void)
{
	unsigned cpu = arch_cpu();

	frozen[cpu] = true;
	if (prepared[cpu]) /* else what counts is firmware's, and prepare_cpu() looks at it first */
		freeze();
}

static void enable(void)
{
	unsigned cpu = arch_cpu();

	frozen[cpu] = false;
	if (is_free(owners[cpu]))
		prepared[cpu] = false; /* it is anybody's until the next event */
	else
		thaw();
}

/* ---- The interrupt ---- */

static void overflow(const struct arch_regs *regs)
{
	uint64_t now = arch_cycles();
	unsigned cpu = arch_cpu();
	uint32_t which;

	freeze();
	which = (uint32_t)(arch_counter_read(PMOVSCLR_EL0) & arch_counter_read(PMINTENSET_EL1));
	arch_counter_write(PMOVSCLR_EL0, which);
	counter_census[cpu].spurious += !which;
	for (; which; which &= which - 1) {
		struct perf_event *event = owners[cpu][__builtin_ctz(which)];

		if (!event)
			continue;
		update(event);
		sampling_counted(event, regs, now);
		program(event);
	}
	if (!frozen[cpu])
		thaw();
}

/* ---- What was there before us ---- */

/* A counter of ours keeps what is written to it while it stands still. */
static bool is_foreign(unsigned counter)
{
	static const uint64_t values[] = { 0x5a5a5a5a, 0 };

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		write_one(counter, values[i]);
		arch_reg_sync();
		if (read_one(counter) != values[i])
			return true;
	}
	return false;
}

/* After reset everything but PMCR.E is unknown (D13.1.3): what is enabled counts only with it. */
static void take_census(struct counter_census *census, unsigned counters)
{
	uint64_t left;

	census->present = ((1ULL << counters) - 1) | bit(CYCLE_COUNTER);
	if (arch_reg_read(PMCR_EL0) & PMCR_E)
		census->leftovers |= arch_reg_read(PMCNTENSET_EL0) & census->present;
	arch_reg_write(PMCR_EL0, PMCR_P | PMCR_C);
	arch_reg_sync();
	arch_reg_write(PMCNTENCLR_EL0, UINT32_MAX);
	arch_reg_write(PMINTENCLR_EL1, UINT32_MAX);
	arch_reg_write(PMOVSCLR_EL0, UINT32_MAX);
	arch_reg_write(PMUSERENR_EL0, 0);
	arch_reg_sync();
	census->foreign = 0;
	for (left = census->present; left; left &= left - 1)
		census->foreign |= is_foreign((unsigned)__builtin_ctzll(left)) ? left & -left : 0;
}

/* The first event of a CPU clears all. */
static int prepare_cpu(unsigned cpu)
{
	struct counter_census *census = &counter_census[cpu];

	if (prepared[cpu])
		return 0;
	units[cpu] = arm_pmuv3_look();
	take_census(census, units[cpu].counters);
	if (census->foreign == census->present)
		return -EBUSY;
	prepared[cpu] = true;
	return arch_pmi_init(overflow);
}

/* ---- What the event core asks for ---- */

/* Event counters that nobody has, a bit each. */
static uint32_t free_counters(unsigned cpu)
{
	uint32_t which = (uint32_t)(counter_census[cpu].present & ~counter_census[cpu].foreign);

	for (unsigned i = 0; i < COUNTERS; i++)
		which &= owners[cpu][i] ? ~bit(i) : UINT32_MAX;
	return which;
}

/* The counter for event, the upper one of a pair if it must be chained; COUNTERS: none is free. */
static unsigned choose_counter(const struct perf_event *event, bool chained)
{
	uint32_t number = (uint32_t)event->hw.arm_pmuv3.type & PMEVTYPER_EVENT_MASK;
	uint32_t which = free_counters(event->cpu), pairs;

	if (number == EVENT_CPU_CYCLES && arm_pmuv3_is_plain(event) && which & bit(CYCLE_COUNTER))
		return CYCLE_COUNTER;
	which &= ~bit(CYCLE_COUNTER);
	pairs = which & which >> 1 & EVEN_COUNTERS;
	if (chained)
		return pairs ? (unsigned)__builtin_ctz(pairs) + 1 : COUNTERS;
	return which ? (unsigned)__builtin_ctz(which) : COUNTERS;
}

/* CHAIN counts at whatever level the lower counter overflows. */
static void configure(const struct hw_arm_pmuv3 *hw)
{
	if (hw->counter == CYCLE_COUNTER) {
		arch_reg_write(PMCCFILTR_EL0, hw->type & ~PMEVTYPER_EVENT_MASK);
	} else if (hw->chained) {
		arch_reg_write(PMEVTYPER_EL0(hw->counter), EVENT_CHAIN | PMEVTYPER_NSH);
		arch_reg_write(PMEVTYPER_EL0(hw->counter - 1), hw->type);
	} else {
		arch_reg_write(PMEVTYPER_EL0(hw->counter), hw->type);
	}
}

static int add(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;
	int error = prepare_cpu(event->cpu);
	bool chained;

	if (error)
		return error;
	if (arm_pmuv3_excuse(&units[event->cpu], event))
		return -ENXIO;
	chained = arm_pmuv3_is_long(event) && !units[event->cpu].long_events;
	hw->counter = choose_counter(event, chained);
	if (hw->counter == COUNTERS)
		return -EAGAIN;
	hw->chained = chained && hw->counter != CYCLE_COUNTER;
	owners[event->cpu][hw->counter] = event;
	if (hw->chained)
		owners[event->cpu][hw->counter - 1] = event;
	configure(hw);
	return 0;
}

static void del(struct perf_event *event)
{
	const struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;

	owners[event->cpu][hw->counter] = NULL;
	if (hw->chained)
		owners[event->cpu][hw->counter - 1] = NULL;
}

static void start(struct perf_event *event)
{
	const struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;

	program(event);
	arch_reg_write(PMINTENSET_EL1, bit(hw->counter));
	arch_reg_write(PMCNTENSET_EL0, bits(hw));
	arch_reg_sync();
}

static void stop(struct perf_event *event)
{
	const struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;

	arch_reg_write(PMCNTENCLR_EL0, bits(hw));
	arch_reg_write(PMINTENCLR_EL1, bit(hw->counter));
	arch_reg_sync();
	update(event);
	arch_reg_write(PMOVSCLR_EL0, bits(hw));
}

/* The overflow interrupt may be an NMI: what it changes is changed with it switched off. */
static void read(struct perf_event *event)
{
	const struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;

	arch_reg_write(PMINTENCLR_EL1, bit(hw->counter));
	arch_reg_sync();
	update(event);
	arch_reg_write(PMINTENSET_EL1, bit(hw->counter));
}

const struct pmu pmu_arm_pmuv3 = {
	.name = "armv8_pmuv3",
	.description = "the CPU's counters: generic events, rNNN, event=N; long: 64 bits",
	.type = ARM_PMUV3_TYPE,
	.flags = PMU_RAW,
	.formats = arm_pmuv3_formats,
	.probe = arm_pmuv3_probe,
	.event_init = arm_pmuv3_event_init,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
	.disable = disable,
	.enable = enable,
};
