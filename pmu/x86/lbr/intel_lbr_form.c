/* SPDX-License-Identifier: MIT */
#include "pmu/x86/lbr/intel_lbr_form.h"

#include <stdbool.h>
#include <stddef.h>

#include "arch/arch.h"
#include "arch/x86_64/pmu/lbr.h"
#include "arch/x86_64/pmu/perfmon.h"

/* ---- Detection ---- */

static uint32_t intel_lbr_cpuid(uint32_t leaf, uint32_t word)
{
	return (uint32_t)arch_reg_read(CPUID_WORD(leaf, word));
}

unsigned intel_lbr_format(void)
{
	unsigned format;

	if ((intel_lbr_cpuid(CPUID_PERFMON, CPUID_EAX) & 0xff) < 2)
		return 0;
	if (intel_lbr_cpuid(CPUID_STRUCTURED, CPUID_EDX) & CPUID_STRUCTURED_ARCH_LBR)
		return INTEL_LBR_ARCHITECTURAL;
	if (!(intel_lbr_cpuid(CPUID_FEATURES, CPUID_ECX) & CPUID_FEATURES_PDCM))
		return 0;
	format = arch_reg_read(IA32_PERF_CAPABILITIES) & PERF_CAPABILITIES_LBR_FMT;
	return format >= LBR_FMT_EIP_FLAGS && format <= LBR_FMT_INFO2 ? format : 0;
}

const char *intel_lbr_why_not(unsigned format, uint64_t type)
{
	uint32_t can = intel_lbr_cpuid(CPUID_LBR, CPUID_EBX);
	bool all = type & PERF_SAMPLE_BRANCH_ANY;
	bool call_stack = type & PERF_SAMPLE_BRANCH_CALL_STACK;

	if (call_stack && type & BRANCH_KINDS & ~(uint64_t)PERF_SAMPLE_BRANCH_CALL_STACK)
		return "the CPU's branch records are a call stack or a filtered list, not both";
	if (call_stack && (format == INTEL_LBR_ARCHITECTURAL ? !(can & CPUID_LBR_CALL_STACK)
	                                                     : format < LBR_FMT_EIP_FLAGS2))
		return "this CPU's branch records cannot be a call stack: use --call-graph fp";
	if (format == INTEL_LBR_ARCHITECTURAL && !all && !call_stack && !(can & CPUID_LBR_FILTERS))
		return "this CPU cannot choose branches by kind: use -b";
	return NULL;
}

/* The number of records that are there: a write to one of them takes. */
static unsigned intel_lbr_count(void)
{
	unsigned n = 0;

	for (; n < X86_LBR_MAX; n++) {
		uint32_t reg = MSR_LASTBRANCH_0_FROM_IP + n;

		arch_reg_write(reg, n + 1);
		if (arch_reg_read(reg) != n + 1)
			break;
	}
	return n;
}

/* The largest depth of at most X86_LBR_MAX. */
static unsigned intel_lbr_depth(void)
{
	unsigned depths = intel_lbr_cpuid(CPUID_LBR, CPUID_EAX) & CPUID_LBR_DEPTHS;

	for (unsigned depth = X86_LBR_MAX; depth; depth -= 8)
		if (depths >> (depth / 8 - 1) & 1)
			return depth;
	return 0;
}

static void intel_lbr_describe_architectural(struct x86_lbr_form *f)
{
	uint32_t has = intel_lbr_cpuid(CPUID_LBR, CPUID_ECX);

	f->depth = intel_lbr_depth();
	f->from = IA32_LBR_0_FROM_IP;
	f->to = IA32_LBR_0_TO_IP;
	f->info = IA32_LBR_0_INFO;
	f->stride = 1;
	f->switched = IA32_LBR_CTL;
	f->shape = IA32_LBR_DEPTH;
	f->mask = UINT32_MAX;
	f->step = 1;
	f->reported = PERF_BRANCH_IN_TX | PERF_BRANCH_ABORT;
	if (has & CPUID_LBR_MISPRED)
		f->reported |= PERF_BRANCH_MISPRED | PERF_BRANCH_PREDICTED;
	if (has & CPUID_LBR_CYCLES)
		f->reported |= LBR_INFO_CYCLES << PERF_BRANCH_CYCLES;
	if (has & CPUID_LBR_TYPE)
		f->reported |= 0xfULL << PERF_BRANCH_TYPE;
}

static void intel_lbr_describe_model(struct x86_lbr_form *f)
{
	f->depth = intel_lbr_count();
	f->from = MSR_LASTBRANCH_0_FROM_IP;
	f->to = MSR_LASTBRANCH_0_TO_IP;
	f->stride = 1;
	f->info = f->format == LBR_FMT_INFO || f->format == LBR_FMT_INFO2 ? MSR_LBR_INFO_0 : 0;
	f->switched = IA32_DEBUGCTL;
	f->shape = MSR_LBR_SELECT;
	f->mask = f->depth - 1;
	f->step = -1;
	f->reported = UINT64_MAX;
}

struct x86_lbr_form intel_lbr_form(void)
{
	struct x86_lbr_form form = { .format = intel_lbr_format() };

	if (form.format == INTEL_LBR_ARCHITECTURAL)
		intel_lbr_describe_architectural(&form);
	else
		intel_lbr_describe_model(&form);
	return form;
}

/* ---- The filter ---- */

uint32_t intel_lbr_control(uint64_t type)
{
	static const uint32_t bits[][2] = {
		{ LBR_SELECT_JCC, LBR_CTL_JCC },
		{ LBR_SELECT_NEAR_REL_CALL, LBR_CTL_NEAR_REL_CALL },
		{ LBR_SELECT_NEAR_IND_CALL, LBR_CTL_NEAR_IND_CALL },
		{ LBR_SELECT_NEAR_RET, LBR_CTL_NEAR_RET },
		{ LBR_SELECT_NEAR_IND_JMP, LBR_CTL_NEAR_IND_JMP },
		{ LBR_SELECT_NEAR_REL_JMP, LBR_CTL_NEAR_REL_JMP },
		{ LBR_SELECT_FAR_BRANCH, LBR_CTL_OTHER_BRANCH },
	};
	uint32_t kinds = x86_lbr_kinds(type), control = LBR_CTL_EN;

	for (unsigned i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (kinds & bits[i][0])
			control |= bits[i][1];
	if (type & PERF_SAMPLE_BRANCH_KERNEL)
		control |= LBR_CTL_OS;
	if (type & PERF_SAMPLE_BRANCH_USER)
		control |= LBR_CTL_USR;
	if (type & PERF_SAMPLE_BRANCH_CALL_STACK)
		control |= LBR_CTL_CALL_STACK;
	return control;
}
