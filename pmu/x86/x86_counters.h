/* SPDX-License-Identifier: MIT */
/*
 * The performance counters of an x86 CPU of any vendor: general counters, each with an event select
 * register; fixed counters and registers that control all counters at once, if the vendor has them;
 * and overflow interrupts as NMIs. A vendor's driver supplies the features, and the counters that
 * can count an event.
 */
#ifndef PMU_X86_X86_COUNTERS_H
#define PMU_X86_X86_COUNTERS_H

#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/pmu.h"

/* One CPU's monitor. Counters are numbered by their bits in Intel's global registers: general
 * counters from 0, fixed counters from 32. */
struct x86_monitor {
	unsigned general;
	uint32_t fixed;                    /* fixed counters, one bit each */
	uint64_t general_mask, fixed_mask; /* the bits of a counter's value */
	uint64_t farthest;                 /* longest distance to overflow */
	/* MSRs of general counter 0: event select, and the counter for writing; step is the
	 * distance to the next counter's. RDPMC reads the counter. */
	uint32_t select, write, step;
	uint32_t global_ctrl, global_status, global_clear; /* MSRs; 0: the CPU lacks it */
	uint64_t cycles;                                   /* the event select value of `cycles` */
	uint64_t cycle_counters; /* counters that count cycles, exactly or nearly, one bit each */
	uint64_t debugctl; /* the bits of IA32_DEBUGCTL that trace or freeze, if the CPU has them */
	bool pebs;         /* the CPU has IA32_PEBS_ENABLE */
};

/* The accesses to memory that an event counts, as far as its precise samples have them. */
enum x86_accesses {
	X86_NO_ACCESSES,
	X86_LOADS,
	X86_STORES,
	X86_TIMED_LOADS, /* loads of at least so many cycles; samples have the latency */
};

/* An x86 counter driver's data for an event. */
struct hw_x86_counter {
	uint64_t select;  /* PERFEVTSELx or PERF_CTLx, without EN and INT */
	unsigned counter; /* bit in the global registers; fixed counters start at 32 */
	uint64_t value;   /* the counter's value when it was last written; event->count was base */
	uint64_t base;
	uint32_t rdpmc;            /* RDPMC's operand for it */
	uint32_t write_at;         /* the MSR that writes the counter */
	uint64_t mask;             /* the counter's bits */
	uint64_t farthest;         /* the longest distance to overflow that can be written */
	uint64_t candidates;       /* counters that can count the event, one bit each */
	struct {                   /* pmu/x86/intel_pebs.h */
		bool recorded;     /* the CPU records its samples; else the others are unused */
		uint64_t distance; /* of the next record from the one before, or from base */
		uint64_t reload;   /* of the records after it */
		enum x86_accesses accesses;
	} precise;
};
EVENT_HW(struct hw_x86_counter, x86_counter_of)

static inline bool x86_counter_is_fixed(unsigned counter)
{
	return counter >= GLOBAL_FIXED;
}

static inline uint32_t x86_select_register(const struct x86_monitor *m, unsigned counter)
{
	return m->select + counter * m->step;
}

/* The bits of IA32_PERFEVTSELx or PERF_CTLx that select the rings of attr. */
static inline uint64_t x86_counter_rings(const struct perf_event_attr *attr)
{
	uint64_t user = attr->flags & PERF_ATTR_EXCLUDE_USER ? 0 : PERFEVTSEL_USR;

	return user | (attr->flags & PERF_ATTR_EXCLUDE_KERNEL ? 0 : PERFEVTSEL_OS);
}

/* Compute the data that the handler needs about a counter. */
static inline void x86_counter_address(struct hw_x86_counter *hw, const struct x86_monitor *m,
                                       unsigned counter)
{
	hw->counter = counter;
	if (x86_counter_is_fixed(counter)) {
		hw->rdpmc = RDPMC_FIXED | (counter - GLOBAL_FIXED);
		hw->write_at = IA32_FIXED_CTR0 + counter - GLOBAL_FIXED;
		hw->mask = m->fixed_mask;
		hw->farthest = m->fixed_mask >> 1; /* so that no wrap is missed */
	} else {
		hw->rdpmc = counter;
		hw->write_at = m->write + counter * m->step;
		hw->mask = m->general_mask;
		hw->farthest = m->farthest;
	}
}

/* Take the calling CPU's counters into use: counters that firmware left running are stopped,
 * cleared and noted (pmu/counter_census.h); counters that firmware or a hypervisor writes are left
 * alone. Does this once, until the counters are given back. Returns 0; -EBUSY: all counters are
 * used by others; -ENODATA: a hypervisor's counters count nothing; errors of arch_pmi_share() and
 * x86_tick_begin(). Interrupts masked. */
int x86_counters_prepare(unsigned cpu, const struct x86_monitor *monitor);

/* Whether x86_counters_prepare() was done on this CPU. */
bool x86_counters_are_ours(unsigned cpu);

/* Note that a driver of ours uses (ours) or no longer uses the branch trace of IA32_DEBUGCTL on
 * this CPU, so that it is not taken for firmware's. At the end, unclaimed counters are given back.
 * Interrupts masked. */
void x86_counters_set_trace(unsigned cpu, bool ours);

/* Claim one of the candidate counters for event, fixed ones first. If none is free, other events,
 * even counting ones, move to other counters that can serve them. Returns 0; -EAGAIN: even so none
 * is free. Interrupts masked. */
int x86_counters_claim(struct perf_event *event, uint64_t candidates);

/* The other operations of struct pmu; a driver that has nothing to add uses del as it is. */
void x86_counters_del(struct perf_event *event);
void x86_counters_start(struct perf_event *event);
void x86_counters_stop(struct perf_event *event);
void x86_counters_read(struct perf_event *event);
uint64_t x86_counters_peek(const struct perf_event *event);
void x86_counters_disable(void);
void x86_counters_enable(void);

#define X86_COUNTERS_OPS                                                                   \
	.start = x86_counters_start, .stop = x86_counters_stop, .read = x86_counters_read, \
	.peek = x86_counters_peek, .slow = sampling_slow, .disable = x86_counters_disable, \
	.enable = x86_counters_enable

#endif
