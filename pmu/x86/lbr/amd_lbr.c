/* SPDX-License-Identifier: MIT */
/*
 * The switch is DBG_EXTN_CFG.LBRV2EN: entry.S clears it before a handler's first branch, and sets
 * it before the handler's IRET (arch_trace_hide()). With FREEZE_LBRS_ON_PMI the records end before
 * that, at the interrupt: GLOBAL_STATUS.LBR_FRZ is set then, and the counters' handler clears it
 * together with the overflows.
 *
 * Record 0 is always the newest. The CPU has no call stack.
 */
#include "pmu/x86/lbr/amd_lbr.h"

#include <errno.h>

#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/lbr.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "ringbuf/bytes.h"

static uint32_t amd_lbr_cpuid(uint32_t leaf, uint32_t word)
{
	return (uint32_t)arch_reg_read(CPUID_WORD(leaf, word));
}

/* ---- Begin ---- */

static bool amd_lbr_has(uint32_t features)
{
	return (amd_lbr_cpuid(CPUID_EXTENDED_PERFMON, CPUID_EAX) & features) == features;
}

int amd_lbr_init(struct perf_event *event)
{
	if (!x86_lbr_is_asked(event))
		return 0;
	event->why =
	    "this CPU has no branch records (LbrExtV2, from Zen 4 on), or a hypervisor "
	    "hides them";
	if (amd_lbr_cpuid(CPUID_EXTENDED_SIZES, CPUID_EBX) & CPUID_EXTENDED_BRS)
		event->why =
		    "this CPU has branch sampling (BRS, Zen 3), which bareperf does not "
		    "serve; branch records (LbrExtV2) come with Zen 4";
	if (!amd_lbr_has(CPUID_EXTENDED_PERFMON_V2 | CPUID_EXTENDED_PERFMON_LBR))
		return -ENODEV;
	event->why = NULL;
	if (x86_lbr_wanted(event) & PERF_SAMPLE_BRANCH_CALL_STACK)
		event->why = "AMD's branch records cannot be a call stack: use --call-graph fp";
	return event->why ? -EOPNOTSUPP : 0;
}

static struct x86_lbr_form amd_lbr_form(void)
{
	uint32_t sizes = amd_lbr_cpuid(CPUID_EXTENDED_SIZES, CPUID_EAX);
	unsigned depth =
	    amd_lbr_cpuid(CPUID_EXTENDED_PERFMON, CPUID_EBX) >> CPUID_EXTENDED_PERFMON_LBRS & 0x3f;

	return (struct x86_lbr_form){
		.depth = depth < X86_LBR_MAX ? depth : X86_LBR_MAX,
		.from = SAMP_BR_FROM,
		.to = SAMP_BR_TO,
		.stride = 2,
		.switched = DBG_EXTN_CFG,
		.others = ~DBG_EXTN_CFG_LBRV2EN,
		.shape = AMD_LBR_SELECT,
		.above = 64 - (sizes >> CPUID_EXTENDED_LINEAR & 0xff),
	};
}

/* FREEZE_LBRS_ON_PMI is reserved in CPUs without it. */
static void amd_lbr_switch_on(const struct x86_lbr_form *form, uint64_t type, uint64_t off)
{
	x86_lbr_forget(form);
	arch_reg_write(AMD_LBR_SELECT, x86_lbr_select(type));
	arch_reg_write(IA32_DEBUGCTL, amd_lbr_has(CPUID_EXTENDED_PERFMON_FREEZE)
	                                  ? DEBUGCTL_FREEZE_LBRS_ON_PMI
	                                  : 0);
	arch_reg_write(DBG_EXTN_CFG, off | DBG_EXTN_CFG_LBRV2EN);
}

const struct x86_lbr_ops amd_lbr_ops = { amd_lbr_form, amd_lbr_switch_on };

/* ---- A sample ---- */

static inline uint64_t amd_lbr_flags(uint64_t from, uint64_t to)
{
	return PERF_BRANCH_PREDICTED >> (from >> 63) | to >> SAMP_BR_TO_SPEC << PERF_BRANCH_SPEC;
}

/* A record that is neither valid nor speculative was not written since x86_lbr_forget(). With the
 * reserved bit no branch made it (erratum 1452 of family 19H, models 10H to 1FH). */
unsigned amd_lbr_branch_stack(const struct perf_event *event, uint64_t *at)
{
	const struct x86_lbr *u = &x86_lbrs[event->cpu];
	uint64_t type = event->attr.branch_sample_type, kept = x86_lbr_kept(type);
	bool indexed = type & PERF_SAMPLE_BRANCH_HW_INDEX;
	uint64_t *entry = at + 1 + indexed;

	if (indexed)
		at[1] = 0;
	for (uint32_t i = 0; i < u->form.depth; i++) {
		uint64_t from = arch_counter_read(SAMP_BR_FROM + 2 * i);
		uint64_t to = arch_counter_read(SAMP_BR_TO + 2 * i);

		if (!(to >> SAMP_BR_TO_SPEC))
			break;
		entry[0] = x86_lbr_address(from, u->form.above);
		entry[1] = x86_lbr_address(to, u->form.above);
		entry[2] = amd_lbr_flags(from, to) & kept;
		if (RING_RARE(to & SAMP_BR_TO_ERRONEOUS))
			branch_stack_erroneous[event->cpu]++;
		else if (!RING_RARE(x86_lbr_is_ours(u, entry[0], entry[1])))
			entry += 3;
	}
	at[0] = (uint64_t)(entry - at - 1 - indexed) / 3;
	return (unsigned)(entry - at);
}
