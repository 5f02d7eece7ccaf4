/* SPDX-License-Identifier: MIT */
/*
 * The register that switches the records (IA32_DEBUGCTL; IA32_LBR_CTL of architectural ones) is 0
 * in handlers: arch_trace_hide(). FREEZE_LBRS_ON_PMI stops the records at the overflow's interrupt
 * already; before version 4 it clears DEBUGCTL.LBR, from then on it sets GLOBAL_STATUS.LBR_FRZ. The
 * counters' handler clears that bit together with the overflows, and the return from the handler
 * writes the switch again. A call stack is not frozen: the SDM (17.4.8.2) says that a PMI near a
 * call or a return would then lose one of the two, so that the stack would grow or shrink.
 */
#include "pmu/x86/lbr/intel_lbr.h"

#include <errno.h>

#include "arch/x86_64/pmu/lbr.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/x86/lbr/intel_lbr_form.h"
#include "ringbuf/bytes.h"

/* ---- Begin ---- */

int intel_lbr_init(struct perf_event *event)
{
	unsigned format = intel_lbr_format();

	if (!x86_lbr_is_asked(event))
		return 0;
	event->why =
	    "this CPU has no branch records that bareperf knows (LBR), or a hypervisor "
	    "hides them";
	if (!format)
		return -ENODEV;
	event->why = intel_lbr_why_not(format, x86_lbr_wanted(event));
	return event->why ? -EOPNOTSUPP : 0;
}

/* A write to IA32_LBR_DEPTH clears all architectural records. */
static void intel_lbr_forget(const struct x86_lbr_form *f)
{
	if (f->format == INTEL_LBR_ARCHITECTURAL)
		arch_reg_write(IA32_LBR_DEPTH, f->depth);
	else
		x86_lbr_forget(f);
}

static void intel_lbr_switch_on(const struct x86_lbr_form *f, uint64_t type, uint64_t off)
{
	bool freezes = !(type & PERF_SAMPLE_BRANCH_CALL_STACK);
	uint64_t debugctl = freezes ? DEBUGCTL_FREEZE_LBRS_ON_PMI : 0;

	(void)off; /* 0 */
	intel_lbr_forget(f);
	if (f->format == INTEL_LBR_ARCHITECTURAL) {
		arch_reg_write(IA32_DEBUGCTL, debugctl);
		arch_reg_write(IA32_LBR_CTL, intel_lbr_control(type));
	} else {
		arch_reg_write(MSR_LBR_SELECT, x86_lbr_select(type));
		arch_reg_write(IA32_DEBUGCTL, debugctl | DEBUGCTL_LBR);
	}
}

const struct x86_lbr_ops intel_lbr_ops = { intel_lbr_form, intel_lbr_switch_on };

/* ---- A sample ---- */

/* BR_TYPE of architectural records, as perf's type. */
static uint64_t intel_lbr_type(uint64_t info)
{
	static const uint8_t types[16] = {
		PERF_BR_COND,     PERF_BR_IND,  PERF_BR_UNCOND,
		PERF_BR_IND_CALL, PERF_BR_CALL, PERF_BR_RET,
	};

	return (uint64_t)types[info >> LBR_INFO_TYPE & 0xf] << PERF_BRANCH_TYPE;
}

/* PREDICTED is bit 1, MISPRED bit 0. */
static inline uint64_t intel_lbr_prediction(uint64_t word)
{
	return PERF_BRANCH_PREDICTED >> (word >> 63);
}

static inline uint64_t intel_lbr_info_flags(const struct x86_lbr_form *f, uint64_t info)
{
	uint64_t flags = intel_lbr_prediction(info) | (info & LBR_INFO_CYCLES)
	                                                  << PERF_BRANCH_CYCLES;

	if (RING_RARE(info & (LBR_INFO_IN_TSX | LBR_INFO_ABORT)))
		flags |= (info & LBR_INFO_IN_TSX ? PERF_BRANCH_IN_TX : 0) |
		         (info & LBR_INFO_ABORT ? PERF_BRANCH_ABORT : 0);
	if (f->format == INTEL_LBR_ARCHITECTURAL) {
		flags |= intel_lbr_type(info);
		if (!(info & LBR_INFO_CYCLES_VALID))
			flags &= ~(LBR_INFO_CYCLES << PERF_BRANCH_CYCLES);
	}
	return flags & f->reported;
}

/* Formats without INFO: the flags are above the addresses, which have 48 bits and a sign. */
static uint64_t intel_lbr_split(const struct x86_lbr_form *f, uint64_t *from, uint64_t *to)
{
	uint64_t flags = intel_lbr_prediction(*from);
	unsigned above = 1;

	if (f->format == LBR_FMT_EIP_FLAGS2) {
		flags |= (*from & LBR_FROM_IN_TSX ? PERF_BRANCH_IN_TX : 0) |
		         (*from & LBR_FROM_ABORT ? PERF_BRANCH_ABORT : 0);
		above = 3;
	}
	*from = x86_lbr_address(*from, above);
	if (f->format == LBR_FMT_TIME) {
		flags |= (*to >> 48) << PERF_BRANCH_CYCLES;
		*to = x86_lbr_address(*to, 16);
	}
	return flags;
}

/* A record whose source is 0 was not written since it was cleared, or a return took it off the
 * call stack. */
unsigned intel_lbr_branch_stack(const struct perf_event *event, uint64_t *at)
{
	const struct x86_lbr *u = &x86_lbrs[event->cpu];
	const struct x86_lbr_form *f = &u->form;
	uint64_t type = event->attr.branch_sample_type, kept = x86_lbr_kept(type);
	bool indexed = type & PERF_SAMPLE_BRANCH_HW_INDEX;
	unsigned n = f->format == INTEL_LBR_ARCHITECTURAL
	                 ? 0
	                 : (unsigned)arch_counter_read(MSR_LASTBRANCH_TOS) & f->mask;
	uint64_t *entry = at + 1 + indexed;

	if (indexed)
		at[1] = f->format == INTEL_LBR_ARCHITECTURAL ? UINT64_MAX : n;
	for (unsigned i = 0; i < f->depth; i++, n = (n + (unsigned)f->step) & f->mask) {
		uint64_t from = arch_counter_read(f->from + n), to = arch_counter_read(f->to + n);
		uint64_t flags = f->info ? intel_lbr_info_flags(f, arch_counter_read(f->info + n))
		                         : intel_lbr_split(f, &from, &to);

		if (!from)
			break;
		if (RING_RARE(x86_lbr_is_ours(u, from, to)))
			continue;
		entry[0] = from;
		entry[1] = to;
		entry[2] = flags & kept;
		entry += 3;
	}
	at[0] = (uint64_t)(entry - at - 1 - indexed) / 3;
	return (unsigned)(entry - at);
}
