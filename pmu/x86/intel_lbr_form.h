/* SPDX-License-Identifier: MIT */
/* The forms that Intel's last branch records have, and their filter: by model and architectural. */
#ifndef PMU_X86_INTEL_LBR_FORM_H
#define PMU_X86_INTEL_LBR_FORM_H

#include <stdint.h>

#define INTEL_LBR_ARCHITECTURAL 0x40U /* as a format: no LBR_FMT has that bit */

/* The records of a CPU. */
struct intel_lbr_form {
	unsigned format; /* LBR_FMT_*, or INTEL_LBR_ARCHITECTURAL */
	unsigned depth;  /* the number of records that are used */
	/* MSRs of record 0; info 0: no such MSR. switched: the MSR that enables the records. */
	uint32_t from, to, info, switched;
	uint32_t shape;    /* MSR that firmware may have set: filter, or depth */
	unsigned mask;     /* mask of a record's number */
	int step;          /* step from a record's number to the next older one's */
	uint64_t reported; /* bits of an entry's flags that the hardware reports */
};

/* The records' format as CPUID and IA32_PERF_CAPABILITIES report it; 0: none that we know.
 * Thread. */
unsigned intel_lbr_format(void);

/* Why records of this format cannot serve branch_sample_type: a phrase; NULL: they can. Thread. */
const char *intel_lbr_why_not(unsigned format, uint64_t type);

/* The calling CPU's records, which are off; depth 0: none of them is there. Finds their number by
 * model by writing to them. Interrupts masked. */
struct intel_lbr_form intel_lbr_form(void);

/* The values of MSR_LBR_SELECT and of IA32_LBR_CTL that let in the branches of
 * branch_sample_type. */
uint32_t intel_lbr_select(uint64_t type);
uint32_t intel_lbr_control(uint64_t type);

#endif
