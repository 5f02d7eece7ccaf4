/* SPDX-License-Identifier: MIT */
/*
 * Counting never stops to be exact: count grows by differences of what the counter shows, however
 * often it is looked at, and a counter is written only while all are frozen. So PERIODs + residue
 * = count, whatever the interrupt's delay.
 */
#include "pmu/arm_pmuv3.h"

#include <errno.h>

#include "arch/aarch64/pmuv3.h"
#include "pmu/sampling.h"

/* ELF's number; elsewhere there are no such registers to ask. */
#define EM_AARCH64 183

/* Below this the way out of the handler, where it is counted (entered at EL1), would overflow by
 * itself, and the interrupted code would never run. */
#define SHORTEST_PERIOD 256U
#define COUNTERS        32U
#define NOT_SERVED      UINT32_MAX
#define PMU_TYPE        8U /* of attr, beside PERF_TYPE_RAW: dynamic, as in Linux */

static const struct pmu_format formats[] = {
	{ "event", 0, 0, 15 },
	{ NULL, 0, 0, 0 },
};

/* What this PMU is; the same on all CPUs, as far as we ask. */
static struct {
	unsigned counters; /* event counters */
	bool long_events;  /* of 64 bits */
	uint64_t present;  /* common events 0 to 63 */
} unit;

/* Of each CPU: who has which counter. */
static struct perf_event *owners[TR_MAX_CPUS][COUNTERS];
static bool prepared[TR_MAX_CPUS], frozen[TR_MAX_CPUS]; /* frozen: between disable and enable */

static int probe(const char **why)
{
	uint64_t version;

	*why = "this CPU is no Arm";
	if (arch_elf_machine() != EM_AARCH64)
		return -ENODEV;
	version = arch_reg_read(ID_AA64DFR0_EL1) >> ID_AA64DFR0_PMUVER & 0xf;
	*why = "this CPU has no PMUv3, or a hypervisor keeps it";
	if (!version || version == ID_AA64DFR0_PMUVER_IMP)
		return -ENODEV;
	*why = NULL;
	unit.counters = arch_reg_read(PMCR_EL0) >> PMCR_N & PMCR_N_MASK;
	unit.long_events = version >= PMUVER_V3P5;
	unit.present = (arch_reg_read(PMCEID0_EL0) & UINT32_MAX) | arch_reg_read(PMCEID1_EL0) << 32;
	return 0;
}

/* perf's generic events, by PERF_COUNT_HW_*. */
static uint32_t generic_event(uint64_t config)
{
	static const uint8_t events[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = EVENT_CPU_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = EVENT_INST_RETIRED,
		[PERF_COUNT_HW_CACHE_REFERENCES] = EVENT_L1D_CACHE,
		[PERF_COUNT_HW_CACHE_MISSES] = EVENT_L1D_CACHE_REFILL,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = EVENT_PC_WRITE_RETIRED,
		[PERF_COUNT_HW_BRANCH_MISSES] = EVENT_BR_MIS_PRED,
		[PERF_COUNT_HW_BUS_CYCLES] = EVENT_BUS_CYCLES,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = EVENT_STALL_FRONTEND,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = EVENT_STALL_BACKEND,
	};

	if (config >= sizeof(events) || !events[config])
		return NOT_SERVED;
	return events[config];
}

static uint32_t event_number(const struct perf_event_attr *attr)
{
	uint32_t number = NOT_SERVED;

	if (attr->type != PERF_TYPE_HARDWARE && attr->config <= PMEVTYPER_EVENT_MASK)
		return (uint32_t)attr->config;
	if (attr->type == PERF_TYPE_HARDWARE)
		number = generic_event(attr->config);
	if (number < EVENTS_IN_PMCEID && !(unit.present >> number & 1))
		return NOT_SERVED;
	return number;
}

static uint32_t filter(uint64_t flags)
{
	const uint64_t any = PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL |
	                     PERF_ATTR_EXCLUDE_HV;
	uint32_t bits = 0;

	if (flags & PERF_ATTR_EXCLUDE_USER)
		bits |= PMEVTYPER_U;
	if (flags & PERF_ATTR_EXCLUDE_KERNEL)
		bits |= PMEVTYPER_P;
	if (flags & any && !(flags & PERF_ATTR_EXCLUDE_HV))
		bits |= PMEVTYPER_NSH;
	return bits;
}

static int init(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;
	const struct perf_event_attr *attr = &event->attr;
	const char *why;
	uint32_t number;

	if (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_RAW &&
	    attr->type != PMU_TYPE)
		return -ENOENT;
	if (probe(&why))
		return -ENOENT;
	number = event_number(attr);
	if (number == NOT_SERVED)
		return -ENOENT;
	*hw = (struct hw_arm_pmuv3){ .type = number | filter(attr->flags) };
	return sampling_init(event, SHORTEST_PERIOD);
}

/* ---- One counter ---- */

static uint64_t counter_mask(unsigned counter)
{
	return counter == CYCLE_COUNTER || unit.long_events ? UINT64_MAX : UINT32_MAX;
}

static uint64_t counter_read(unsigned counter)
{
	return arch_reg_read(counter == CYCLE_COUNTER ? PMCCNTR_EL0 : PMEVCNTR_EL0(counter));
}

/* Bring count up to date. */
static void update(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;
	uint64_t value = counter_read(hw->counter);

	event->count += (value - hw->value) & counter_mask(hw->counter);
	hw->value = value;
}

/* Have the counter, which does not count now, overflow at the next sample's count; a narrow one
 * at half its range, if that comes first, so that no lap goes by unseen. */
static void program(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;
	uint64_t mask = counter_mask(hw->counter), distance = sampling_left(event);

	if (distance > mask >> 1)
		distance = mask >> 1;
	hw->value = -distance & mask;
	arch_reg_write(hw->counter == CYCLE_COUNTER ? PMCCNTR_EL0 : PMEVCNTR_EL0(hw->counter),
	               hw->value);
}

static void freeze(void)
{
	arch_reg_write(PMCR_EL0, arch_reg_read(PMCR_EL0) & ~(uint64_t)PMCR_E);
	arch_reg_sync();
}

static void thaw(void)
{
	uint64_t wide = PMCR_LC | (unit.long_events ? PMCR_LP : 0);

	arch_reg_write(PMCR_EL0, arch_reg_read(PMCR_EL0) | wide | PMCR_E);
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
	frozen[arch_cpu()] = true;
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
	struct perf_event **mine = owners[arch_cpu()];
	uint32_t which;

	freeze();
	which = (uint32_t)(arch_reg_read(PMOVSCLR_EL0) & arch_reg_read(PMINTENSET_EL1));
	arch_reg_write(PMOVSCLR_EL0, which);
	for (unsigned i = 0; i < COUNTERS; i++) {
		struct perf_event *event = which >> i & 1 ? mine[i] : NULL;

		if (!event)
			continue;
		update(event);
		sampling_counted(event, regs, now);
		program(event);
	}
	if (!frozen[arch_cpu()])
		thaw();
}

/* ---- What the event core asks for ---- */

static unsigned free_counter(struct perf_event *const *mine, uint32_t number)
{
	unsigned i = 0;

	if (number == EVENT_CPU_CYCLES && !mine[CYCLE_COUNTER])
		return CYCLE_COUNTER;
	while (i < unit.counters && mine[i])
		i++;
	return i < unit.counters ? i : COUNTERS;
}

/* After reset everything but PMCR.E is unknown (D13.1.3): the first event of a CPU clears all. */
static int prepare_cpu(unsigned cpu)
{
	if (prepared[cpu])
		return 0;
	prepared[cpu] = true;
	arch_reg_write(PMCR_EL0, PMCR_P | PMCR_C);
	arch_reg_sync();
	arch_reg_write(PMCNTENCLR_EL0, UINT32_MAX);
	arch_reg_write(PMINTENCLR_EL1, UINT32_MAX);
	arch_reg_write(PMOVSCLR_EL0, UINT32_MAX);
	return arch_pmi_init(overflow);
}

static int add(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;
	struct perf_event **mine = owners[event->cpu];
	unsigned counter = free_counter(mine, hw->type & PMEVTYPER_EVENT_MASK);
	int error;

	if (counter == COUNTERS)
		return -EAGAIN;
	error = prepare_cpu(event->cpu);
	if (error)
		return error;
	mine[counter] = event;
	hw->counter = counter;
	if (counter == CYCLE_COUNTER)
		arch_reg_write(PMCCFILTR_EL0, hw->type & ~PMEVTYPER_EVENT_MASK);
	else
		arch_reg_write(PMEVTYPER_EL0(counter), hw->type);
	return 0;
}

static void del(struct perf_event *event)
{
	owners[event->cpu][event->hw.arm_pmuv3.counter] = NULL;
}

static void start(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;

	program(event);
	arch_reg_write(PMINTENSET_EL1, 1U << hw->counter);
	arch_reg_write(PMCNTENSET_EL0, 1U << hw->counter);
	arch_reg_sync();
}

static void stop(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;

	arch_reg_write(PMCNTENCLR_EL0, 1U << hw->counter);
	arch_reg_write(PMINTENCLR_EL1, 1U << hw->counter);
	arch_reg_sync();
	update(event);
	arch_reg_write(PMOVSCLR_EL0, 1U << hw->counter);
}

/* The overflow interrupt may be an NMI: what it changes is changed with it switched off. */
static void read(struct perf_event *event)
{
	struct hw_arm_pmuv3 *hw = &event->hw.arm_pmuv3;

	arch_reg_write(PMINTENCLR_EL1, 1U << hw->counter);
	arch_reg_sync();
	update(event);
	arch_reg_write(PMINTENSET_EL1, 1U << hw->counter);
}

const struct pmu pmu_arm_pmuv3 = {
	.name = "armv8_pmuv3",
	.description = "the CPU's counters: generic events, rNNN, event=NNN",
	.type = PMU_TYPE,
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
