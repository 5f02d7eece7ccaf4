/* SPDX-License-Identifier: MIT */
/* NMIs in the midst of entry.S's steps from traced to hidden and back; trace.h. */
#ifndef ARCH_X86_64_PMU_TRACE_STEP_H
#define ARCH_X86_64_PMU_TRACE_STEP_H

#include <stdint.h>

/* A step of entry.S that switches the registers off, or on again, as offsets from x86_vectors. */
struct trace_step {
	uint32_t begin;         /* its first instruction */
	uint32_t first, last;   /* depth is changed, and the registers are not yet */
	uint32_t found, undone; /* depth, an NMI that comes there included; without the step */
	uint32_t entry; /* of an interrupt that nobody has been told of up to last; none: -1 */
};

/* An NMI came at offset from x86_vectors, in entry.S. In the midst of one of the steps that has not
 * begun any more: depth becomes what it would be, and so does offset, where the NMI will return to.
 * Returns ARCH_ENTERED_IN_ENTRY, or 0. NMI. */
unsigned trace_undo(const struct trace_step *steps, const struct trace_step *end, uint32_t *depth,
                    uint32_t *offset);

#endif
