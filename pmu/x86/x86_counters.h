/* SPDX-License-Identifier: MIT */
/*
 * The performance counters of an x86 CPU, whoever made it: general counters, each with an event
 * select register, on some makes fixed counters, on some registers that switch and tell of all of
 * them at once; and their overflow as NMI. A make's driver reports its features, and the counters
 * for an event.
 */
#ifndef PMU_X86_X86_COUNTERS_H
#define PMU_X86_X86_COUNTERS_H

#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/pmu.h"

/* One CPU's monitor. Counters have the numbers of their bits in Intel's global registers: general
 * ones from 0, fixed ones from 32. */
struct x86_monitor {
	unsigned general;
	uint32_t fixed;                    /* fixed counters, a bit each */
	uint64_t general_mask, fixed_mask; /* of a counter's value */
	uint64_t farthest;                 /* the most that a general counter can be set before 0 */
	/* MSRs of general counter 0, and how far it is to the next one's; it is read by RDPMC */
	uint32_t select, write, step;
	uint32_t global_ctrl, global_status, global_clear; /* MSRs; 0: not there */
	uint64_t cycles;                                   /* the select value of cycles */
	uint64_t cycle_counters; /* counters that count cycles or nearly so, a bit each */
	uint64_t debugctl; /* bits of IA32_DEBUGCTL that trace or freeze, as far as there are any */
	bool pebs;         /* IA32_PEBS_ENABLE is there */
};

/* An x86 counter driver's data for an event. */
struct hw_x86_counter {
	uint64_t
	    select; /* of IA32_PERFEVTSELx or PERF_CTLx, without the bits that a counter adds */
	unsigned counter; /* bit in the global registers: 32 and up are fixed */
	uint64_t value;   /* of the counter when it was last written, at event->count == base */
	uint64_t base;
	uint32_t rdpmc;      /* RDPMC's operand for it */
	uint32_t write_at;   /* its register */
	uint64_t mask;       /* of its value */
	uint64_t farthest;   /* the longest distance to overflow that can be written */
	uint64_t candidates; /* counters that count the event, a bit each */
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

/* The bits of IA32_PERFEVTSELx or PERF_CTLx that have attr's rings counted. */
static inline uint64_t x86_counter_rings(const struct perf_event_attr *attr)
{
	uint64_t user = attr->flags & PERF_ATTR_EXCLUDE_USER ? 0 : PERFEVTSEL_USR;

	return user | (attr->flags & PERF_ATTR_EXCLUDE_KERNEL ? 0 : PERFEVTSEL_OS);
}

/* Computes the handler's data about a counter once. */
static inline void x86_counter_address(struct hw_x86_counter *hw, const struct x86_monitor *m,
                                       unsigned counter)
{
	hw->counter = counter;
	if (x86_counter_is_fixed(counter)) {
		hw->rdpmc = RDPMC_FIXED | (counter - GLOBAL_FIXED);
		hw->write_at = IA32_FIXED_CTR0 + counter - GLOBAL_FIXED;
		hw->mask = m->fixed_mask;
		hw->farthest = m->fixed_mask >> 1; /* so that no lap goes by unseen */
	} else {
		hw->rdpmc = counter;
		hw->write_at = m->write + counter * m->step;
		hw->mask = m->general_mask;
		hw->farthest = m->farthest;
	}
}

/* Have the calling CPU's counters: what firmware left is stopped, cleared and counted
 * (pmu/counter_census.h), those that somebody else writes are found and left alone. Once until
 * given back. 0; -EBUSY: all belong to somebody else; arch_pmi_share()'s and x86_tick_begin()'s
 * errors. Interrupts masked. */
int x86_counters_prepare(unsigned cpu, const struct x86_monitor *monitor);

/* Whether that was done, and add() need not look again. */
bool x86_counters_are_ours(unsigned cpu);

/* A branch trace on this CPU, by IA32_DEBUGCTL, is ours from here on, or no more: it is no leftover
 * of firmware's. Then counters that are no longer claimed are given back. Interrupts masked. */
void x86_counters_set_trace(unsigned cpu, bool ours);

/* Claim one of these counters for event, fixed ones first; events that others serve as well make
 * room, those that count included. 0; -EAGAIN: not even so is one free. Interrupts masked. */
int x86_counters_claim(struct perf_event *event, uint64_t candidates);

/* The rest of struct pmu. */
void x86_counters_del(struct perf_event *event);
void x86_counters_start(struct perf_event *event);
void x86_counters_stop(struct perf_event *event);
void x86_counters_read(struct perf_event *event);
uint64_t x86_counters_peek(const struct perf_event *event);
void x86_counters_disable(void);
void x86_counters_enable(void);

#define X86_COUNTERS_OPS                                                                 \
	.del = x86_counters_del, .start = x86_counters_start, .stop = x86_counters_stop, \
	.read = x86_counters_read, .peek = x86_counters_peek, .slow = sampling_slow,     \
	.disable = x86_counters_disable, .enable = x86_counters_enable

#endif
