/* SPDX-License-Identifier: MIT */
#include "arch/x86_64/pmu/trace_step.h"

#include "arch/arch.h"

unsigned trace_undo(const struct trace_step *steps, const struct trace_step *end, uint32_t *depth,
                    uint32_t *offset)
{
	for (const struct trace_step *s = steps; s != end; s++) {
		bool unheard = *offset >= s->entry && *offset <= s->last;

		if (*offset >= s->first && *offset <= s->last && *depth == s->found) {
			*depth = s->undone;
			*offset = s->begin;
		}
		if (unheard)
			return ARCH_ENTERED_IN_ENTRY;
	}
	return 0;
}
