/* SPDX-License-Identifier: MIT */
/* The forms that Intel's last branch records have, and their filter: by model and architectural. */
#ifndef PMU_X86_LBR_INTEL_LBR_FORM_H
#define PMU_X86_LBR_INTEL_LBR_FORM_H

#include "pmu/x86/lbr/x86_lbr.h"

#define INTEL_LBR_ARCHITECTURAL \
	0x40U /* as x86_lbr_form.format, beside LBR_FMT_*: none has that bit */

/* The records' format as CPUID and IA32_PERF_CAPABILITIES report it; 0: none that we know.
 * Thread. */
unsigned intel_lbr_format(void);

/* Why records of this format cannot serve branch_sample_type: a phrase; NULL: they can. Thread. */
const char *intel_lbr_why_not(unsigned format, uint64_t type);

/* The calling CPU's records, which are off; depth 0: none of them is there. Finds their number by
 * model by writing to them. Interrupts masked. */
struct x86_lbr_form intel_lbr_form(void);

/* The value of IA32_LBR_CTL that lets in the branches of branch_sample_type. */
uint32_t intel_lbr_control(uint64_t type);

#endif
