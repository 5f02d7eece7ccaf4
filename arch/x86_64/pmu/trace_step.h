/* SPDX-License-Identifier: MIT */
/* Corrects NMIs that come in the middle of entry.S's switch from traced to hidden or back;
 * trace.h. */
#ifndef ARCH_X86_64_PMU_TRACE_STEP_H
#define ARCH_X86_64_PMU_TRACE_STEP_H

#include <stdint.h>

/* A step of entry.S that switches the registers off or on, as offsets from x86_vectors. */
struct trace_step {
	uint32_t begin;         /* address of its first instruction */
	uint32_t first, last;   /* depth has changed, the registers have not */
	uint32_t found, undone; /* depth as an NMI there finds it; without the step */
	uint32_t entry; /* the entry's interrupt, which was not reported yet until last; none: -1 */
};

/* An NMI came at offset from x86_vectors, in entry.S. If it is in the middle of a step, the step is
 * undone: depth gets its value from before the step, and offset, the NMI's return address, becomes
 * the step's begin. Returns ARCH_ENTERED_IN_ENTRY, or 0. NMI. */
unsigned trace_undo(const struct trace_step *steps, const struct trace_step *end, uint32_t *depth,
                    uint32_t *offset);

#endif
